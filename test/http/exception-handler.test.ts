// One function can change every error answer (ERR-BODY-3, ERR-BODY-4), and two generic answers are there to be used (ERR-BODY-5).

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
  type Renderer,
  type Scheme,
  skip,
  ValidationError,
} from '../../src/framework/index.ts'
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
    PUT: () => ({ status: 404, body: { said: 'by the view itself' } }),
  },
}

async function ask(options: ApiOptions, method = 'GET', url = '/thing/') {
  const { client, stop } = await startApi({ views: { '/thing/': thing }, ...options })
  const response = await client.request(method, url)
  await stop()
  return response
}

test('ERR-BODY-3: a handler changes the error body of every exception', async () => {
  const styled: ExceptionHandler = (error, context) => {
    const response = exceptionHandler(error, context)
    return response && { ...response, body: { ok: false, status: response.status, error: response.body } }
  }
  const raised = await ask({ exceptionHandler: styled })
  assert.deepEqual(raised.json(), { ok: false, status: 404, error: { detail: 'No such thing.' } })
  const unknown = await ask({ exceptionHandler: styled }, 'GET', '/nowhere/')
  assert.deepEqual([unknown.status, unknown.json().error], [404, { detail: 'Not found.' }])
  const refused = await ask({ exceptionHandler: styled }, 'DELETE')
  assert.deepEqual([refused.status, refused.json().error], [405, { detail: "Method 'DELETE' not allowed." }])
})

test('ERR-BODY-3, AUTH-GEN-5: what the packaged handler answers is what goes out', async () => {
  const scheme: Scheme = { name: 'session', varyOn: ['cookie'], authenticate: () => skip }
  const said: unknown[] = []
  const listening: ExceptionHandler = (error, context) => {
    const response = exceptionHandler(error, context)
    said.push([response?.status, response?.headers?.['www-authenticate']])
    return response
  }
  const options = { permissions: [authenticated], exceptionHandler: listening }
  const plain = await ask({ ...options, authentication: [scheme] })
  const challenging = await ask({ ...options, authentication: [{ ...scheme, challenge: 'Cookie' }] })
  assert.deepEqual([plain.status, challenging.status], [403, 401])
  assert.deepEqual(said, [
    [403, undefined],
    [401, 'Cookie'],
  ])
})

test('ERR-BODY-3: a renderer of an application gets the body of an error as data', async () => {
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
  const { text } = await ask({ renderers: [renderer] })
  assert.equal(text, 'text')
  assert.deepEqual(bodies, [{ detail: 'No such thing.' }])
})

test('ERR-BODY-3: the handler receives the exception and its context', async () => {
  const calls: [unknown, ExceptionContext][] = []
  const listening: ExceptionHandler = async (error, context) => {
    calls.push([error, context])
    return { status: 499, headers: { 'x-seen': 'yes' }, body: {} }
  }
  const response = await ask({
    exceptionHandler: listening,
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
    const response = await ask({ exceptionHandler: handler })
    assert.deepEqual([response.status, response.json()], [500, { detail: 'A server error occurred.' }])
  }
})

test('ERR-BODY-3: the handler is asked for what no exception of the catalogue is, too', async () => {
  const exceptionHandler: ExceptionHandler = error => ({ status: 503, body: { message: (error as Error).message } })
  const response = await ask({ exceptionHandler }, 'POST')
  assert.deepEqual([response.status, response.json()], [503, { message: 'hunter2' }])
})

test('ERR-BODY-3: a handler that throws, or answers what cannot be written, is a 500', async () => {
  const circular: Record<string, unknown> = {}
  circular.self = circular
  for (const handler of [
    () => {
      throw new Error('hunter2')
    },
    () => Promise.reject(new PermissionDenied()),
    () => ({ status: 400, body: circular }),
  ] as ExceptionHandler[]) {
    const response = await ask({ exceptionHandler: handler })
    assert.deepEqual([response.status, response.json()], [500, { detail: 'A server error occurred.' }])
  }
})

test('ERR-BODY-4: the handler is not asked for what a view returns itself', async () => {
  const asked: unknown[] = []
  const exceptionHandler: ExceptionHandler = error => {
    asked.push(error)
    return undefined
  }
  const response = await ask({ exceptionHandler }, 'PUT')
  assert.deepEqual([response.status, response.json(), asked], [404, { said: 'by the view itself' }, []])
})

test('ERR-BODY-5: the generic 500 can stand for every unhandled exception', async () => {
  const response = await ask({ serverError: genericServerError }, 'POST')
  assert.equal(response.status, 500)
  assert.equal(response.headers['content-type'], 'application/json')
  assert.equal(response.text, '{"error":"Server Error (500)"}')
})

test('ERR-BODY-5: the generic 400 can stand for any exception', async () => {
  const exceptionHandler: ExceptionHandler = error =>
    error instanceof ValidationError ? genericBadRequest() : undefined
  const invalid = { name: 'Invalid', handlers: { GET: () => Promise.reject(new ValidationError('Bad.')) } }
  const response = await ask({ exceptionHandler, views: { '/thing/': invalid } })
  assert.equal(response.status, 400)
  assert.equal(response.headers['content-type'], 'application/json')
  assert.equal(response.text, '{"error":"Bad Request (400)"}')
})

test('AUTH-GEN-5, AUTH-GEN-6, ERR-BODY-3: a handler of its own words keeps the rule of the first scheme', async () => {
  const worded: ExceptionHandler = error => ({
    status: (error as APIException).status,
    headers: { 'www-authenticate': 'Mine' },
    body: { error: 'No.' },
  })
  const { challenge: _, ...silent } = userScheme
  for (const [scheme, status, header] of [
    [userScheme, 401, 'User'],
    [silent, 403, undefined],
  ] as const) {
    const options = { authentication: [scheme], permissions: [authenticated] }
    const response = await ask({ exceptionHandler: worded, ...options })
    assert.deepEqual([response.status, response.json()], [status, { error: 'No.' }])
    assert.equal(response.headers['www-authenticate'], header)
  }
  const denied = { name: 'Denied', handlers: { GET: () => Promise.reject(new PermissionDenied()) } }
  const response = await ask({
    exceptionHandler: worded,
    authentication: [userScheme],
    views: { '/thing/': denied },
  })
  assert.deepEqual([response.status, response.headers['www-authenticate']], [403, undefined])
})
