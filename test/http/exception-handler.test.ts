// `exceptionHandler` changes every error response (ERR-BODY-3, ERR-BODY-4); two generic responses exist (ERR-BODY-5).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type APIException,
  type ApiOptions,
  authenticated,
  type ExceptionContext,
  type ExceptionHandler,
  exceptionHandler,
  genericBadRequest,
  genericServerError,
  NotFound,
  PermissionDenied,
  ValidationError,
} from 'resource-api'
import { type Renderer, type Scheme, skip } from 'resource-api/extend'
import { startApi, userScheme } from '../support/own-api.ts'

const thing = {
  name: 'Thing',
  handlers: {
    GET: () => {
      throw new NotFound('No such thing.')
    },
    POST: () => {
      throw new Error('hunter2')
    },
    PUT: () => ({ status: 404, body: { detail: 'from the view' } }),
  },
}

async function request(options: ApiOptions, method = 'GET', url = '/thing/') {
  const { client, stop } = await startApi({ views: { '/thing/': thing }, ...options })
  const response = await client.request(method, url)
  await stop()
  return response
}

test('ERR-BODY-3: a handler changes the error body of every exception', async () => {
  const wrappingHandler: ExceptionHandler = (error, context) => {
    const response = exceptionHandler(error, context)
    return response && { ...response, body: { ok: false, status: response.status, error: response.body } }
  }
  const raised = await request({ exceptionHandler: wrappingHandler })
  assert.deepEqual(raised.json(), { ok: false, status: 404, error: { detail: 'No such thing.' } })
  const unknown = await request({ exceptionHandler: wrappingHandler }, 'GET', '/nowhere/')
  assert.deepEqual([unknown.status, unknown.json().error], [404, { detail: 'Not found.' }])
  const refused = await request({ exceptionHandler: wrappingHandler }, 'DELETE')
  assert.deepEqual([refused.status, refused.json().error], [405, { detail: "Method 'DELETE' not allowed." }])
})

test('ERR-BODY-3, AUTH-GEN-5: the default handler returns the response that is sent', async () => {
  const scheme: Scheme = { name: 'session', varyOn: ['cookie'], authenticate: () => skip }
  const responses: unknown[] = []
  const recordingHandler: ExceptionHandler = (error, context) => {
    const response = exceptionHandler(error, context)
    responses.push([response?.status, response?.headers?.['www-authenticate']])
    return response
  }
  const options = { permissions: [authenticated], exceptionHandler: recordingHandler }
  const plain = await request({ ...options, authentication: [scheme] })
  const challenging = await request({ ...options, authentication: [{ ...scheme, challenge: 'Cookie' }] })
  assert.deepEqual([plain.status, challenging.status], [403, 401])
  assert.deepEqual(responses, [
    [403, undefined],
    [401, 'Cookie'],
  ])
})

test('ERR-BODY-3: a custom renderer gets the error body as data', async () => {
  const bodies: unknown[] = []
  const renderer: Renderer = {
    mediaType: 'text/plain',
    format: 'text',
    contentType: 'text/plain',
    canRender: () => true,
    render(body) {
      bodies.push(body)
      return 'text'
    },
  }
  const { text } = await request({ renderers: [renderer] })
  assert.equal(text, 'text')
  assert.deepEqual(bodies, [{ detail: 'No such thing.' }])
})

test('ERR-BODY-3: the handler receives the exception and its context', async () => {
  const calls: [unknown, ExceptionContext][] = []
  const recordingHandler: ExceptionHandler = async (error, context) => {
    calls.push([error, context])
    return { status: 499, headers: { 'x-seen': 'yes' }, body: {} }
  }
  const response = await request({
    exceptionHandler: recordingHandler,
    authentication: [userScheme],
    nonFieldErrorsKey: 'general',
  })
  assert.deepEqual([response.status, response.headers['x-seen'], response.json()], [499, 'yes', {}])
  const [[error, context] = []] = calls
  assert.equal(calls.length, 1)
  assert.ok(error instanceof NotFound)
  assert.equal(context?.viewName, 'Thing')
  assert.equal(context?.request.url, '/thing/')
  assert.deepEqual(context?.refusal, { challenge: 'User' })
  assert.equal(context?.nonFieldErrorsKey, 'general')
})

test('ERR-BODY-3: a handler that returns nothing has the exception re-raised: 500', async () => {
  for (const handler of [() => undefined, async () => undefined]) {
    const response = await request({ exceptionHandler: handler })
    assert.deepEqual([response.status, response.json()], [500, { detail: 'A server error occurred.' }])
  }
})

test('ERR-BODY-3: the handler also receives errors that are not API exceptions', async () => {
  const exceptionHandler: ExceptionHandler = error => ({ status: 503, body: { message: (error as Error).message } })
  const response = await request({ exceptionHandler }, 'POST')
  assert.deepEqual([response.status, response.json()], [503, { message: 'hunter2' }])
})

test('ERR-BODY-3: a handler that throws, or returns a body that cannot be serialized, is a 500', async () => {
  const circular: Record<string, unknown> = {}
  circular.self = circular
  for (const handler of [
    () => {
      throw new Error('hunter2')
    },
    () => Promise.reject(new PermissionDenied()),
    () => ({ status: 400, body: circular }),
  ] as ExceptionHandler[]) {
    const response = await request({ exceptionHandler: handler })
    assert.deepEqual([response.status, response.json()], [500, { detail: 'A server error occurred.' }])
  }
})

test('ERR-BODY-4: the handler is not called for an error response that a view returns', async () => {
  const handled: unknown[] = []
  const exceptionHandler: ExceptionHandler = error => {
    handled.push(error)
    return undefined
  }
  const response = await request({ exceptionHandler }, 'PUT')
  assert.deepEqual([response.status, response.json(), handled], [404, { detail: 'from the view' }, []])
})

test('ERR-BODY-5: serverError may be the generic 500 response', async () => {
  const response = await request({ serverError: genericServerError }, 'POST')
  assert.equal(response.status, 500)
  assert.equal(response.headers['content-type'], 'application/json')
  assert.equal(response.text, '{"error":"Server Error (500)"}')
})

test('ERR-BODY-5: a handler may return the generic 400 response', async () => {
  const exceptionHandler: ExceptionHandler = error =>
    error instanceof ValidationError ? genericBadRequest() : undefined
  const invalid = { name: 'Invalid', handlers: { GET: () => Promise.reject(new ValidationError('Bad.')) } }
  const response = await request({ exceptionHandler, views: { '/thing/': invalid } })
  assert.equal(response.status, 400)
  assert.equal(response.headers['content-type'], 'application/json')
  assert.equal(response.text, '{"error":"Bad Request (400)"}')
})

test('AUTH-GEN-5, AUTH-GEN-6, ERR-BODY-3: status and challenge of a custom handler follow the first scheme', async () => {
  const customHandler: ExceptionHandler = error => ({
    status: (error as APIException).status,
    headers: { 'www-authenticate': 'Mine' },
    body: { error: 'No.' },
  })
  const { challenge: _, ...schemeWithoutChallenge } = userScheme
  for (const [scheme, status, header] of [
    [userScheme, 401, 'User'],
    [schemeWithoutChallenge, 403, undefined],
  ] as const) {
    const options = { authentication: [scheme], permissions: [authenticated] }
    const response = await request({ exceptionHandler: customHandler, ...options })
    assert.deepEqual([response.status, response.json()], [status, { error: 'No.' }])
    assert.equal(response.headers['www-authenticate'], header)
  }
  const denied = { name: 'Denied', handlers: { GET: () => Promise.reject(new PermissionDenied()) } }
  const response = await request({
    exceptionHandler: customHandler,
    authentication: [userScheme],
    views: { '/thing/': denied },
  })
  assert.deepEqual([response.status, response.headers['www-authenticate']], [403, undefined])
})
