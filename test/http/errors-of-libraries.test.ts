// Errors of SDKs, HTTP clients and other libraries that have a `statusCode`: their status reaches the client, their text and header
// fields only if they say that they may. Exception handlers get an exception of the catalogue, whatever was thrown.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { errorCodes, type FastifyInstance } from 'fastify'
import {
  APIException,
  type ApiOptions,
  BadRequest,
  Conflict,
  type ExceptionHandler,
  exceptionHandler,
  InsufficientStorage,
  key,
  MethodNotAllowed,
  NotAcceptable,
  NotAuthenticated,
  NotFound,
  PayloadTooLarge,
  PermissionDenied,
  PreconditionFailed,
  resource,
  ServiceUnavailable,
  Throttled,
  text,
  UnsupportedMediaType,
} from 'resource-api'
import { onEachDatabase, respondToError, startApi } from '../support/own-api.ts'

const secret = 'GET http://10.0.0.7:9200/users?key=sk-12…89 failed'

/** An error as the client of another service throws it. */
const sdkError = (statusCode: number, properties: object = {}) =>
  Object.assign(new Error(secret), {
    statusCode,
    code: 'sdk_internal',
    headers: { 'set-cookie': 'session=of-the-other-service', 'x-internal': 'yes' },
    ...properties,
  })

const throwing = (error: unknown) => () => {
  throw error
}

const catalogued = [
  [400, BadRequest, 'Bad request.'],
  [401, NotAuthenticated, 'Authentication credentials were not provided.'],
  [403, PermissionDenied, 'You do not have permission to perform this action.'],
  [404, NotFound, 'Not found.'],
  [405, MethodNotAllowed, "Method 'GET' not allowed."],
  [406, NotAcceptable, 'Could not satisfy the request Accept header.'],
  [409, Conflict, 'Conflict.'],
  [412, PreconditionFailed, 'The resource is not in the state that the request expects.'],
  [413, PayloadTooLarge, 'Request body is too large.'],
  [415, UnsupportedMediaType, 'Unsupported media type "" in request.'],
  [429, Throttled, 'Request was throttled.'],
] as const

suite('errors with a statusCode', () => {
  test('ERR-EXC-r6: the text, the code and the header fields stay in the service, unless the error says `expose: true`', async () => {
    for (const [status, , detail] of [...catalogued, [402, APIException, 'Payment Required.'] as const]) {
      for (const properties of [{}, { expose: undefined }, { expose: false }, { expose: 'true' }]) {
        const response = await respondToError(sdkError(status, properties))
        assert.deepEqual([response.status, response.json()], [status, { detail }])
        assert.deepEqual([response.headers['set-cookie'], response.headers['x-internal']], [undefined, undefined])
      }
      const problem = await respondToError(
        sdkError(status),
        {},
        { headers: { accept: '*/*, application/problem+json' } },
      )
      assert.doesNotMatch(problem.text, /sdk_internal|10\.0\.0\.7/)
      const shown = await respondToError(sdkError(status, { expose: true, message: 'The third volume is lost.' }))
      assert.deepEqual([shown.status, shown.json()], [status, { detail: 'The third volume is lost.' }])
      assert.equal(shown.headers['x-internal'], 'yes')
    }
  })

  test('ERR-EXC-r6: schemes, permissions, throttles and hooks of Fastify that throw such an error keep its text too', async () => {
    const hello = { name: 'Hello', handlers: { GET: () => ({ status: 200, body: 'hello' }) } }
    const scheme = { name: 'sdk', varyOn: [], authenticate: throwing(sdkError(404)) }
    const parts: readonly ApiOptions[] = [
      { authentication: [scheme] },
      { permissions: [{ allows: throwing(sdkError(404)) }] },
      { throttles: [{ check: throwing(sdkError(404)) }] },
    ]
    for (const [index, options] of parts.entries()) {
      const { client, stop } = await startApi({ views: { '/x/': hello }, ...options })
      const response = await client.get('/x/')
      assert.deepEqual([response.status, response.json()], [404, { detail: 'Not found.' }], String(index))
      await stop()
    }
    for (const [status, detail] of [
      [404, 'Not found.'],
      [502, 'Bad Gateway.'],
      [503, 'The service is temporarily unavailable. Try again later.'],
      [507, 'There is no space left to store this.'],
    ] as const) {
      const hook = throwing(sdkError(status))
      const prepare = (app: FastifyInstance) => void app.addHook('onRequest', hook)
      const { client, stop } = await startApi({}, { prepare, checkDocument: false })
      const response = await client.get('/')
      assert.deepEqual([response.status, response.json()], [status, { detail }])
      assert.equal(response.headers['x-internal'], undefined)
      await stop()
    }
  })

  test('ERR-EXC-r6: the log has the text that the response leaves out; a text that is sent is not logged', async () => {
    const listMessages = async (error: unknown) => {
      const lines: string[] = []
      const views = { '/raise/': { name: 'Raise', handlers: { GET: throwing(error) } } }
      const { client, stop } = await startApi({ views }, { log: line => lines.push(line) })
      await client.get('/raise/')
      await stop()
      return lines.map(line => JSON.parse(line)).flatMap(({ level, err }) => (err ? [[level, err.message]] : []))
    }
    assert.deepEqual(await listMessages(sdkError(404)), [[40, secret]])
    assert.deepEqual(await listMessages(sdkError(404, { expose: true })), [])
    assert.deepEqual(await listMessages(sdkError(404, { message: 'Not Found' })), [])
    assert.deepEqual(await listMessages(new errorCodes.FST_ERR_NOT_FOUND()), [])
    assert.deepEqual(await listMessages(new NotFound('No such book.')), [])
  })

  test('ERR-BODY-3, ERR-EXC-r6: an exception handler gets the exception of the catalogue, whose cause is what was thrown', async () => {
    for (const [status, type, detail] of catalogued)
      for (const error of [sdkError(status), sdkError(status, { expose: true }), { statusCode: status }]) {
        const received: unknown[] = []
        const handler: ExceptionHandler = (raised, context) => {
          received.push(raised)
          return exceptionHandler(raised, context)
        }
        await respondToError(error, { exceptionHandler: handler })
        const [raised] = received
        assert.ok(raised instanceof type, `${status} is a ${(raised as Error).name}`)
        assert.deepEqual([raised.status, raised.cause], [status, error])
        assert.equal(raised.detail, (error as { expose?: true }).expose ? secret : detail)
      }
  })

  test('ERR-BODY-3: the same holds for a hook of Fastify, also with a 5xx', async () => {
    for (const [status, type] of [
      [404, NotFound],
      [503, ServiceUnavailable],
      [507, InsufficientStorage],
    ] as const) {
      const received: unknown[] = []
      const handler: ExceptionHandler = raised => {
        received.push(raised)
        return { status: 499, body: {} }
      }
      const hook = throwing(sdkError(status))
      const { client, stop } = await startApi(
        { exceptionHandler: handler },
        { prepare: app => app.addHook('onRequest', hook) },
      )
      await client.get('/')
      await stop()
      assert.ok(received[0] instanceof type, String(status))
    }
  })
})

const books = resource('books', {
  table: 'authors',
  bulk: 'each',
  fields: { id: key(), name: text() },
  async beforeSave({ values: { name } }) {
    if (name === 'lost') throw sdkError(404)
    if (name === 'known') throw sdkError(422, { expose: true, message: 'No such author may exist.' })
  },
})

onEachDatabase(
  () => ({ resources: [books] }),
  api => {
    test('ERR-EXC-r6: a hook of a resource that throws such an error', async () => {
      const lost = await api().client.post('/books/', { json: { name: 'lost' } })
      assert.deepEqual([lost.status, lost.json()], [404, { detail: 'Not found.' }])
      const known = await api().client.post('/books/', { json: { name: 'known' } })
      assert.deepEqual([known.status, known.json()], [422, { detail: 'No such author may exist.' }])
      assert.deepEqual(await api().rows('authors'), [])
    })
  },
)
