// Error responses for exceptions that views throw (ERR-BODY, ERR-EXC, ERR-MSG).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  APIException,
  AuthenticationFailed,
  BadRequest,
  Conflict,
  IdempotencyKeyReused,
  MethodNotAllowed,
  NotAcceptable,
  NotAuthenticated,
  NotFound,
  ParseError,
  PayloadTooLarge,
  PermissionDenied,
  PreconditionFailed,
  PreconditionRequired,
  Protected,
  ServiceUnavailable,
  Throttled,
  UnsupportedMediaType,
} from 'resource-api'
import { respondToError, startApi } from '../support/own-api.ts'

const builtInExceptions: readonly (readonly [
  ids: string,
  error: APIException,
  status: number,
  detail: string,
  code: string,
])[] = [
  ['ERR-EXC-r1', new ParseError(), 400, 'Malformed request.', 'parse_error'],
  ['ERR-EXC-r3', new AuthenticationFailed(), 401, 'Incorrect authentication credentials.', 'authentication_failed'],
  [
    'ERR-EXC-r4, ERR-MSG-r2',
    new NotAuthenticated(),
    401,
    'Authentication credentials were not provided.',
    'not_authenticated',
  ],
  [
    'ERR-EXC-r5, ERR-MSG-r3',
    new PermissionDenied(),
    403,
    'You do not have permission to perform this action.',
    'permission_denied',
  ],
  ['ERR-EXC-r6', new NotFound(), 404, 'Not found.', 'not_found'],
  ['ERR-EXC-r7, ERR-MSG-r1', new MethodNotAllowed('DELETE'), 405, "Method 'DELETE' not allowed.", 'method_not_allowed'],
  ['ERR-EXC-r8', new NotAcceptable(), 406, 'Could not satisfy the request Accept header.', 'not_acceptable'],
  [
    'ERR-EXC-r9',
    new UnsupportedMediaType('a/b'),
    415,
    'Unsupported media type "a/b" in request.',
    'unsupported_media_type',
  ],
  ['ERR-EXC-r10', new Throttled(), 429, 'Request was throttled.', 'throttled'],
  ['ERR-EXC-r11', new APIException(), 500, 'A server error occurred.', 'error'],
  ['ERR-GAP-b1', new BadRequest(), 400, 'Bad request.', 'bad_request'],
  ['ERR-GAP-b1', new Protected(), 409, 'Other objects refer to this one.', 'protected'],
  [
    'ERR-GAP-b1',
    new PreconditionFailed(),
    412,
    'The resource is not in the state that the request expects.',
    'precondition_failed',
  ],
  [
    'ERR-GAP-b1',
    new PreconditionRequired(),
    428,
    'Send the ETag of the resource in the header If-Match.',
    'precondition_required',
  ],
  [
    'ERR-GAP-b1',
    new IdempotencyKeyReused(),
    422,
    'This Idempotency-Key was used with another request body.',
    'idempotency_key_reused',
  ],
  ['ERR-GAP-b1', new Conflict(), 409, 'The resource was changed by another request. Try again.', 'conflict'],
  ['ERR-GAP-b1', new PayloadTooLarge(), 413, 'Request body is too large.', 'payload_too_large'],
  [
    'ERR-GAP-b1',
    new ServiceUnavailable(),
    503,
    'The service is temporarily unavailable. Try again later.',
    'service_unavailable',
  ],
]

for (const [ids, error, status, detail, code] of builtInExceptions) {
  test(`${ids}, ERR-BODY-1, SVC-5: ${error.name} is ${status} with a fixed detail, and the exception has a code`, async () => {
    const response = await respondToError(error)
    assert.equal(response.status, status)
    assert.equal(response.headers['content-type'], 'application/json')
    assert.deepEqual(response.json(), { detail })
    assert.equal(response.headers['www-authenticate'], status === 401 ? 'User' : undefined)
    assert.equal(error.detail, detail)
    assert.equal(error.codes, code)
    assert.deepEqual(error.fullDetails, { message: detail, code })
  })
}

test('ERR-EXC-r10, ERR-GAP-b2: the wait is rounded up to whole seconds, in Retry-After and in the detail', async () => {
  for (const [wait, seconds, words] of [
    [0.2, '1', '1 second.'],
    [1, '1', '1 second.'],
    [1.01, '2', '2 seconds.'],
    [0, '0', '0 seconds.'],
    [86_400, '86400', '86400 seconds.'],
  ] as const) {
    const response = await respondToError(new Throttled(wait))
    assert.equal(response.status, 429)
    assert.equal(response.headers['retry-after'], seconds)
    assert.deepEqual(response.json(), { detail: `Request was throttled. Expected available in ${words}` })
  }
  assert.equal((await respondToError(new Throttled())).headers['retry-after'], undefined)
})

test('ERR-EXC-r11, SVC-5: any other thrown value is a 500 without details', async () => {
  for (const raised of [
    new Error('the password is hunter2'),
    new TypeError('hunter2'),
    'hunter2',
    null,
    undefined,
    7,
  ]) {
    const response = await respondToError(raised)
    assert.equal(response.status, 500)
    assert.equal(response.headers['content-type'], 'application/json')
    assert.equal(response.text, '{"detail":"A server error occurred."}')
  }
})

test('ERR-EXC-r11: a view that rejects, or returns a body that cannot be serialized, is a 500', async () => {
  const circular: Record<string, unknown> = {}
  circular.self = circular
  const { client, stop } = await startApi({
    views: {
      '/late/': { name: 'Late', handlers: { GET: () => Promise.reject(new Error('hunter2')) } },
      '/circular/': { name: 'Circular', handlers: { GET: () => ({ status: 200, body: circular }) } },
      '/nothing/': { name: 'Nothing', handlers: { GET: () => undefined as never } },
    },
  })
  for (const url of ['/late/', '/circular/', '/nothing/']) {
    const response = await client.get(url)
    assert.deepEqual([response.status, response.json()], [500, { detail: 'A server error occurred.' }], url)
  }
  await stop()
})

test('ERR-EXC-r6: errors of Fastify and its plugins keep their status and get a JSON body', async () => {
  const { client, stop } = await startApi(
    {},
    {
      // The document does not know the errors of plugins.
      checkDocument: false,
      prepare: app =>
        app.addHook('onRequest', async ({ headers }) => {
          const status = Number(headers['x-status'])
          if (status) throw Object.assign(new Error('Refused.'), { statusCode: status, code: 'REFUSED', expose: true })
        }),
    },
  )
  for (const [status, expectedStatus, detail] of [
    [404, 404, 'Refused.'],
    [418, 418, 'Refused.'],
    [503, 503, 'Refused.'],
    [500, 500, 'A server error occurred.'],
    [200, 500, 'A server error occurred.'],
  ] as const) {
    const response = await client.get('/', { headers: { 'x-status': String(status) } })
    assert.deepEqual([response.status, response.json()], [expectedStatus, { detail }])
  }
  await stop()
})
