// Errors as problem details (RFC 9457), for clients whose Accept header names that media type.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  APIException,
  Document,
  htmlDocumentRenderer,
  jsonRenderer,
  NotFound,
  PermissionDenied,
  Throttled,
  ValidationError,
} from 'resource-api'
import { startApi, type TestApi, userScheme } from '../support/own-api.ts'

class PaymentRequired extends APIException {
  static override status = 402
  static override message = 'Your plan does not include this.'
  static override code = 'payment_required'
}

const exceptions: Record<string, () => unknown> = {
  missing: () => new NotFound(),
  denied: () => new PermissionDenied('Not yours.', 'not_yours'),
  paid: () => new PaymentRequired(),
  slow: () => new Throttled(2.5),
  invalid: () => new ValidationError({ title: ['Too short.'], tags: { 1: ['No.'] } }),
  plain: () => new ValidationError('Bad.'),
  unforeseen: () => new Error('hunter2'),
}

const views = Object.fromEntries(
  Object.entries(exceptions).map(([name, make]) => [
    `/${name}/`,
    { name, renderers: [jsonRenderer, htmlDocumentRenderer], handlers: { GET: () => Promise.reject(make()) } },
  ]),
)

let api: TestApi
before(async () => {
  const page = { name: 'Page', handlers: { GET: () => ({ status: 200, body: new Document('<p>') }) } }
  api = await startApi({ authentication: [userScheme], views: { ...views, '/page/': page } })
})
after(() => api.stop())

const problem = 'application/problem+json'
const get = (path: string, accept: string, headers: Record<string, string> = {}) =>
  api.client.get(path, { headers: { accept, ...headers } })

test('ERR-EXC-r6: a client that accepts problem details gets them', async () => {
  for (const [path, expected] of [
    ['/missing/', { title: 'Not Found', status: 404, detail: 'Not found.', code: 'not_found' }],
    ['/nowhere/', { title: 'Not Found', status: 404, detail: 'Not found.', code: 'not_found' }],
    ['/denied/', { title: 'Forbidden', status: 403, detail: 'Not yours.', code: 'not_yours' }],
    [
      '/paid/',
      { title: 'Payment Required', status: 402, detail: 'Your plan does not include this.', code: 'payment_required' },
    ],
    [
      '/unforeseen/',
      { title: 'Internal Server Error', status: 500, detail: 'A server error occurred.', code: 'error' },
    ],
    [
      '/plain/',
      {
        title: 'Bad Request',
        status: 400,
        detail: 'Invalid input.',
        code: 'invalid',
        errors: { non_field_errors: ['Bad.'] },
      },
    ],
    [
      '/invalid/',
      {
        title: 'Bad Request',
        status: 400,
        detail: 'Invalid input.',
        code: 'invalid',
        errors: { title: ['Too short.'], tags: { 1: ['No.'] } },
      },
    ],
  ] as const) {
    const response = await get(path, `application/json, ${problem}`)
    assert.equal(response.status, expected.status, path)
    assert.equal(response.headers['content-type'], problem)
    assert.deepEqual(response.json(), { type: 'about:blank', ...expected })
    assert.match(response.headers.vary!, /Accept/)
  }
})

test('AUTH-GEN-6: problem details keep the headers of the error', async () => {
  const throttled = await get('/slow/', `${problem}, */*;q=0.1`)
  assert.deepEqual([throttled.status, throttled.headers['retry-after']], [429, '3'])
  const unauthenticated = await get('/missing/', problem, { 'x-user': 'nobody' })
  assert.deepEqual([unauthenticated.status, unauthenticated.headers['www-authenticate']], [401, 'User'])
  assert.deepEqual(unauthenticated.json(), {
    type: 'about:blank',
    title: 'Unauthorized',
    status: 401,
    detail: 'Nobody has this name.',
    code: 'authentication_failed',
  })
})

test('SVC-6: a client gets problem details only if it names the media type and prefers no other one', async () => {
  for (const [accept, type] of [
    ['*/*', 'application/json'],
    ['application/*', 'application/json'],
    ['application/json', 'application/json'],
    [`application/json, ${problem};q=0.9`, 'application/json'],
    [`application/json;q=0.9, ${problem};q=0.9`, problem],
    [`text/html;q=0.5, ${problem}`, problem],
    [`*/*, ${problem};q=0`, 'application/json'],
    ['APPLICATION/Problem+JSON', problem],
    [`text/xml, ${problem}`, problem],
    [`"${problem}"`, 'application/json'],
  ] as const) {
    assert.equal((await get('/missing/', accept)).headers['content-type'], type, accept)
  }
  const indented = await get('/missing/', `${problem}; indent=2`)
  assert.match(indented.text, /^\{\n {2}"type"/)
})

test('SVC-6: successful responses are not affected', async () => {
  const { status, headers } = await get('/', `application/json, ${problem}`)
  assert.deepEqual([status, headers['content-type']], [200, 'application/json'])
  const refused = await get('/', problem)
  assert.deepEqual(
    [refused.status, refused.headers['content-type'], refused.json().available],
    [406, problem, ['application/json']],
  )
})

test('ERR-BODY-3: a custom exception handler gets `problem`, and its response is sent unchanged', async () => {
  const received: boolean[] = []
  const ownApi = await startApi({
    views,
    exceptionHandler: (_, { problem }) => {
      received.push(problem)
      return { status: 418, body: { own: true } }
    },
  })
  const response = await ownApi.client.get('/missing/', { headers: { accept: problem } })
  await ownApi.stop()
  assert.deepEqual(
    [response.status, response.headers['content-type'], response.json()],
    [418, 'application/json', { own: true }],
  )
  assert.deepEqual(received, [true])
})
