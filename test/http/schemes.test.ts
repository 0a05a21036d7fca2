// The contract of authentication schemes (AUTH-GEN, AUTH-SCH-6), tested with custom schemes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  APIException,
  type ApiOptions,
  AuthenticationFailed,
  allowAny,
  anonymous,
  authenticated,
  PermissionDenied,
  type RequestContext,
} from 'resource-api'
import { type Attempt, failure, type Scheme, skip, success } from 'resource-api/extend'
import { asUser, fullDetailsHandler, people, startApi, userScheme } from '../support/own-api.ts'

/** A scheme that always has this outcome, and logs each call. */
function createScheme(name: string, outcome: Attempt | Error, log: string[] = [], challenge?: string): Scheme {
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

async function request(options: ApiOptions, headers: Record<string, string> = {}) {
  const { client, stop } = await startApi({ views: { '/whoami/': whoami }, ...options })
  const response = await client.get('/whoami/', { headers })
  await stop()
  return response
}

test('AUTH-GEN-1: schemes are tried in order, and the first that succeeds provides the identity and the authentication information', async () => {
  const log: string[] = []
  const response = await request({
    authentication: [
      createScheme('first', skip, log),
      createScheme('second', success(people.ann, { key: 'k' }), log),
      createScheme('third', success(people.bob), log),
    ],
  })
  assert.deepEqual(response.json(), { user: people.ann, auth: { key: 'k' } })
  assert.deepEqual(log, ['first', 'second'])
})

test('AUTH-GEN-1, AUTH-SCH-6: authentication information is optional', async () => {
  const response = await request({ authentication: [createScheme('only', success(people.ann))] })
  assert.deepEqual(response.json(), { user: people.ann, auth: null })
})

test('AUTH-GEN-2, SVC-2: if no scheme succeeds, the caller is anonymous, which is not an error', async () => {
  const response = await request({ authentication: [createScheme('only', skip, [], 'Only')] })
  assert.deepEqual([response.status, response.json()], [200, { user: anonymous, auth: null }])
})

test('AUTH-GEN-2: the identity and the information of anonymous callers are configurable', async () => {
  const guest = { ...anonymous, username: 'guest' }
  const response = await request({ authentication: [userScheme], anonymous: { user: guest, auth: 'none' } })
  assert.deepEqual(response.json(), { user: guest, auth: 'none' })
  const authenticatedResponse = await request(
    { authentication: [userScheme], anonymous: { user: guest, auth: 'none' } },
    asUser('ann').headers,
  )
  assert.deepEqual(authenticatedResponse.json(), { user: people.ann, auth: 'a header' })
})

for (const [how, outcome] of [
  ['returns a failure', failure('Wrong.')],
  ['raises AuthenticationFailed', new AuthenticationFailed('Wrong.')],
] as const) {
  test(`AUTH-GEN-4, AUTH-SCH-6: a scheme that ${how} ends the request, even on a public view`, async () => {
    const log: string[] = []
    const permission = { allows: () => Boolean(log.push('permission')) }
    const response = await request({
      authentication: [
        createScheme('first', skip, log, 'First'),
        createScheme('second', outcome, log),
        createScheme('third', success(people.ann), log),
      ],
      permissions: [allowAny, permission],
      throttles: [{ check: () => ({ allowed: Boolean(log.push('throttle')) }) }],
    })
    assert.deepEqual([response.status, response.json()], [401, { detail: 'Wrong.' }])
    assert.equal(response.headers['www-authenticate'], 'First')
    assert.deepEqual(log, ['first', 'second'])
  })
}

test('AUTH-SCH-6: a scheme may be asynchronous, and set the code of its failure', async () => {
  const codes: unknown[] = []
  const asyncScheme: Scheme = {
    ...createScheme('slow', skip),
    authenticate: async () => failure('Expired.', { code: 'expired' }),
  }
  const response = await request({
    authentication: [asyncScheme],
    exceptionHandler: error => {
      codes.push((error as APIException).codes)
      return undefined
    },
  })
  assert.deepEqual([response.status, codes], [500, ['expired']])
})

test('AUTH-GEN-4, ERR-EXC-r11: an unexpected error in a scheme ends the request', async () => {
  const response = await request(
    { authentication: [createScheme('broken', new Error('hunter2')), userScheme] },
    asUser('ann').headers,
  )
  assert.deepEqual([response.status, response.json()], [500, { detail: 'A server error occurred.' }])
})

const missingCredentials = 'Authentication credentials were not provided.'

test('AUTH-GEN-5, AUTH-GEN-6, AUTH-SCH-6, ERR-EXC-r4: only the first scheme decides between 401 and 403', async () => {
  for (const [challenges, status, header] of [
    [['First', 'Second'], 401, 'First'],
    [['First', undefined], 401, 'First'],
    [[undefined, 'Second'], 403, undefined],
    [[undefined], 403, undefined],
  ] as const) {
    const authentication = challenges.map((challenge, index) => createScheme(`${index}`, skip, [], challenge))
    const response = await request({ authentication, permissions: [authenticated] })
    assert.deepEqual([response.status, response.json()], [status, { detail: missingCredentials }])
    assert.equal(response.headers['www-authenticate'], header)
  }
})

test('AUTH-GEN-5, AUTH-GEN-6, ERR-EXC-r3: after a failed attempt, the first scheme decides between 401 and 403, even if the second failed', async () => {
  for (const [first, second, status, header] of [
    ['First', undefined, 401, 'First'],
    [undefined, 'Second', 403, undefined],
  ] as const) {
    const authentication = [createScheme('1', skip, [], first), createScheme('2', failure('Wrong.'), [], second)]
    const response = await request({ authentication })
    assert.deepEqual([response.status, response.json()], [status, { detail: 'Wrong.' }])
    assert.equal(response.headers['www-authenticate'], header)
  }
})

test('AUTH-GEN-5, AUTH-GEN-6, ERR-EXC-r5: an authenticated caller who is refused gets 403 without a challenge', async () => {
  const response = await request(
    { authentication: [userScheme], permissions: [{ allows: () => false }] },
    asUser('ann').headers,
  )
  assert.equal(response.status, 403)
  assert.deepEqual(response.json(), { detail: 'You do not have permission to perform this action.' })
  assert.equal(response.headers['www-authenticate'], undefined)
})

test('AUTH-GEN-5: without schemes, a refusal is 403 with the message for missing permission', async () => {
  const response = await request({ authentication: [], permissions: [authenticated] })
  assert.equal(response.status, 403)
  assert.deepEqual(response.json(), { detail: 'You do not have permission to perform this action.' })
  assert.equal(response.headers['www-authenticate'], undefined)
})

class Unauthorized extends APIException {
  static override status = 401
  static override message = 'Who are you?'
  override readonly headers = { 'www-authenticate': 'Mine', 'x-other': 'kept' }
}

class Denied extends PermissionDenied {
  override readonly headers = { 'www-authenticate': 'Mine', 'x-other': 'kept' }
}

test('AUTH-GEN-6: the rule also applies to 401 and 403 exceptions of the application', async () => {
  for (const [raised, challenge, status, header] of [
    [new Unauthorized(), 'First', 401, 'First'],
    [new Unauthorized(), undefined, 403, undefined],
    [new Denied(), 'First', 403, undefined],
  ] as const) {
    const view = { name: 'Raise', handlers: { GET: () => Promise.reject(raised) } }
    const response = await request({
      authentication: [createScheme('1', skip, [], challenge)],
      views: { '/whoami/': view },
    })
    assert.deepEqual([response.status, response.json()], [status, { detail: raised.detail }])
    assert.deepEqual([response.headers['www-authenticate'], response.headers['x-other']], [header, 'kept'])
  }
})

test('AUTH-GEN-5: for a view with its own schemes, the first of those decides', async () => {
  const views = {
    '/whoami/': { ...whoami, authentication: [createScheme('own', skip, [], 'Own')], permissions: [authenticated] },
  }
  const response = await request({ authentication: [userScheme], views })
  assert.deepEqual([response.status, response.headers['www-authenticate']], [401, 'Own'])
})

test('AUTH-GEN-5, AUTH-GEN-6: the challenge of a failure replaces the one of the first scheme, which still decides between 401 and 403', async () => {
  const wrong = failure('Wrong.', { challenge: 'Second error="wrong"' })
  for (const [first, status, header] of [
    ['First', 401, 'Second error="wrong"'],
    [undefined, 403, undefined],
  ] as const) {
    const authentication = [createScheme('1', skip, [], first), createScheme('2', wrong, [], 'Second')]
    for (const exceptionHandler of [undefined, fullDetailsHandler]) {
      const response = await request({ authentication, ...(exceptionHandler && { exceptionHandler }) })
      assert.deepEqual([response.status, response.headers['www-authenticate']], [status, header])
    }
  }
})

test('AUTH-GEN-6: a 403 has a challenge only if the scheme or the permission asks for more than the caller showed', async () => {
  const challenge = 'User error="insufficient"'
  const raising = createScheme('1', new PermissionDenied('More.', 'more', challenge), [], 'User')
  const byScheme = await request({ authentication: [raising] })
  assert.deepEqual([byScheme.status, byScheme.json()], [403, { detail: 'More.' }])
  assert.equal(byScheme.headers['www-authenticate'], challenge)
  const options: ApiOptions = {
    authentication: [userScheme],
    permissions: [{ allows: () => false, challenge: ({ user }) => `User name="${user.username}"` }],
  }
  const byPermission = await request(options, asUser('ann').headers)
  assert.deepEqual([byPermission.status, byPermission.headers['www-authenticate']], [403, 'User name="ann"'])
  const anonymousCaller = await request(options)
  assert.deepEqual([anonymousCaller.status, anonymousCaller.headers['www-authenticate']], [401, 'User'])
})
