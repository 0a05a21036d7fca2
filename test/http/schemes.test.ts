// The contract of authentication schemes (AUTH-GEN, AUTH-SCH-6), with schemes of an API of our own.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  APIException,
  type ApiOptions,
  type Attempt,
  AuthenticationFailed,
  allowAny,
  anonymous,
  authenticated,
  failure,
  PermissionDenied,
  type RequestContext,
  type Scheme,
  skip,
  success,
} from '../../src/framework/index.ts'
import { as, people, startApi, userScheme } from '../support/own-api.ts'

/** A scheme that always comes to this, and tells when it was asked. */
function always(name: string, outcome: Attempt | Error, log: string[] = [], challenge?: string): Scheme {
  return {
    name,
    ...(challenge !== undefined && { challenge }),
    varyOn: [],
    authenticate() {
      log.push(name)
      if (outcome instanceof Error) throw outcome
      return outcome
    },
  }
}

const whoami = {
  name: 'Who Am I',
  handlers: { GET: ({ user, auth }: RequestContext) => ({ status: 200, body: { user, auth } }) },
}

async function ask(options: ApiOptions, headers: Record<string, string> = {}) {
  const { client, stop } = await startApi({ views: { '/whoami/': whoami }, ...options })
  const response = await client.get('/whoami/', { headers })
  await stop()
  return response
}

test('AUTH-GEN-1: schemes are tried in order, and the first that succeeds supplies identity and information', async () => {
  const log: string[] = []
  const response = await ask({
    authentication: [
      always('first', skip, log),
      always('second', success(people.ann, { key: 'k' }), log),
      always('third', success(people.bob), log),
    ],
  })
  assert.deepEqual(response.json(), { user: people.ann, auth: { key: 'k' } })
  assert.deepEqual(log, ['first', 'second'])
})

test('AUTH-GEN-1, AUTH-SCH-6: a success without authentication information has none', async () => {
  const response = await ask({ authentication: [always('only', success(people.ann))] })
  assert.deepEqual(response.json(), { user: people.ann, auth: null })
})

test('AUTH-GEN-2, SVC-2: when no scheme succeeds the caller is anonymous, and nothing is refused for that', async () => {
  const response = await ask({ authentication: [always('only', skip, [], 'Only')] })
  assert.deepEqual([response.status, response.json()], [200, { user: anonymous, auth: null }])
})

test('AUTH-GEN-2: both values for anonymous callers are configurable', async () => {
  const guest = { ...anonymous, username: 'guest' }
  const response = await ask({ authentication: [userScheme], anonymous: { user: guest, auth: 'none' } })
  assert.deepEqual(response.json(), { user: guest, auth: 'none' })
  const known = await ask({ authentication: [userScheme], anonymous: { user: guest, auth: 'none' } }, as('ann').headers)
  assert.deepEqual(known.json(), { user: people.ann, auth: 'a header' })
})

for (const [how, outcome] of [
  ['answers a failure', failure('Wrong.')],
  ['raises AuthenticationFailed', new AuthenticationFailed('Wrong.')],
] as const) {
  test(`AUTH-GEN-4, AUTH-SCH-6: a scheme that ${how} ends the request, on a public view too`, async () => {
    const log: string[] = []
    const asked = { allows: () => Boolean(log.push('permission')) }
    const response = await ask({
      authentication: [
        always('first', skip, log, 'First'),
        always('second', outcome, log),
        always('third', success(people.ann), log),
      ],
      permissions: [allowAny, asked],
      throttles: [{ check: () => ({ allowed: Boolean(log.push('throttle')) }) }],
    })
    assert.deepEqual([response.status, response.json()], [401, { detail: 'Wrong.' }])
    assert.equal(response.headers['www-authenticate'], 'First')
    assert.deepEqual(log, ['first', 'second'])
  })
}

test('AUTH-SCH-6: a scheme may wait, and name the code of its failure', async () => {
  const codes: unknown[] = []
  const slow: Scheme = { ...always('slow', skip), authenticate: async () => failure('Expired.', 'expired') }
  const response = await ask({
    authentication: [slow],
    exceptionHandler: error => {
      codes.push((error as APIException).codes)
      return undefined
    },
  })
  assert.deepEqual([response.status, codes], [500, ['expired']])
})

test('AUTH-GEN-4, ERR-EXC-r11: a scheme that breaks lets nobody through', async () => {
  const response = await ask(
    { authentication: [always('broken', new Error('hunter2')), userScheme] },
    as('ann').headers,
  )
  assert.deepEqual([response.status, response.json()], [500, { detail: 'A server error occurred.' }])
})

const missing = 'Authentication credentials were not provided.'

test('AUTH-GEN-5, AUTH-GEN-6, AUTH-SCH-6, ERR-EXC-r4: the first scheme alone decides between 401 and 403', async () => {
  for (const [challenges, status, header] of [
    [['First', 'Second'], 401, 'First'],
    [['First', undefined], 401, 'First'],
    [[undefined, 'Second'], 403, undefined],
    [[undefined], 403, undefined],
  ] as const) {
    const authentication = challenges.map((challenge, index) => always(`${index}`, skip, [], challenge))
    const response = await ask({ authentication, permissions: [authenticated] })
    assert.deepEqual([response.status, response.json()], [status, { detail: missing }])
    assert.equal(response.headers['www-authenticate'], header)
  }
})

test('AUTH-GEN-5, AUTH-GEN-6, ERR-EXC-r3: a failed attempt is 401 or 403 by the first scheme, whichever failed', async () => {
  for (const [first, second, status, header] of [
    ['First', undefined, 401, 'First'],
    [undefined, 'Second', 403, undefined],
  ] as const) {
    const authentication = [always('1', skip, [], first), always('2', failure('Wrong.'), [], second)]
    const response = await ask({ authentication })
    assert.deepEqual([response.status, response.json()], [status, { detail: 'Wrong.' }])
    assert.equal(response.headers['www-authenticate'], header)
  }
})

test('AUTH-GEN-5, AUTH-GEN-6, ERR-EXC-r5: an authenticated caller who is refused gets 403 without a challenge', async () => {
  const response = await ask(
    { authentication: [userScheme], permissions: [{ allows: () => false }] },
    as('ann').headers,
  )
  assert.equal(response.status, 403)
  assert.deepEqual(response.json(), { detail: 'You do not have permission to perform this action.' })
  assert.equal(response.headers['www-authenticate'], undefined)
})

test('AUTH-GEN-5: with an empty list of schemes a refusal is 403 and speaks of permission', async () => {
  const response = await ask({ authentication: [], permissions: [authenticated] })
  assert.equal(response.status, 403)
  assert.deepEqual(response.json(), { detail: 'You do not have permission to perform this action.' })
  assert.equal(response.headers['www-authenticate'], undefined)
})

class Unknown extends APIException {
  static override status = 401
  static override message = 'Who are you?'
  override readonly headers = { 'www-authenticate': 'Mine', 'x-other': 'kept' }
}

class Denied extends PermissionDenied {
  override readonly headers = { 'www-authenticate': 'Mine', 'x-other': 'kept' }
}

test("AUTH-GEN-6: an application's own 401 and 403 keep the rule", async () => {
  for (const [raised, challenge, status, header] of [
    [new Unknown(), 'First', 401, 'First'],
    [new Unknown(), undefined, 403, undefined],
    [new Denied(), 'First', 403, undefined],
  ] as const) {
    const view = { name: 'Raise', handlers: { GET: () => Promise.reject(raised) } }
    const response = await ask({ authentication: [always('1', skip, [], challenge)], views: { '/whoami/': view } })
    assert.deepEqual([response.status, response.json()], [status, { detail: raised.detail }])
    assert.deepEqual([response.headers['www-authenticate'], response.headers['x-other']], [header, 'kept'])
  }
})

test('AUTH-GEN-5: a view with schemes of its own refuses as its own first scheme does', async () => {
  const views = {
    '/whoami/': { ...whoami, authentication: [always('own', skip, [], 'Own')], permissions: [authenticated] },
  }
  const response = await ask({ authentication: [userScheme], views })
  assert.deepEqual([response.status, response.headers['www-authenticate']], [401, 'Own'])
})
