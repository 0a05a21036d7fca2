// Errors of Fastify and libraries with a `statusCode`: the response has that status, and detail and shape of the
// corresponding API exception, wherever the error is thrown.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { errorCodes } from 'fastify'
import { type ApiOptions, key, type Permission, resource, text } from 'resource-api'
import { asUser, onEachDatabase, respondToError, startApi, userScheme } from '../support/own-api.ts'

/** Creates an error like http-errors. */
const httpError = (statusCode: number, message: string, properties: object = {}) =>
  Object.assign(new Error(message), { statusCode, status: statusCode, expose: statusCode < 500, ...properties })

const throwing = (error: unknown) => () => {
  throw error
}

suite('errors with a statusCode', () => {
  test('ERR-EXC-r6: an error with the default message gets the detail of the API exception', async () => {
    for (const [error, status, detail] of [
      [httpError(400, 'Bad Request'), 400, 'Bad request.'],
      [httpError(403, 'Forbidden'), 403, 'You do not have permission to perform this action.'],
      [httpError(404, 'Not Found'), 404, 'Not found.'],
      [new errorCodes.FST_ERR_NOT_FOUND(), 404, 'Not found.'],
      [httpError(405, 'Method Not Allowed'), 405, "Method 'GET' not allowed."],
      [httpError(406, 'Not Acceptable'), 406, 'Could not satisfy the request Accept header.'],
      [httpError(413, 'Payload Too Large'), 413, 'Request body is too large.'],
      [new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE(), 413, 'Request body is too large.'],
      [httpError(415, 'Unsupported Media Type'), 415, 'Unsupported media type "" in request.'],
      [httpError(429, 'Too Many Requests'), 429, 'Request was throttled.'],
      [httpError(410, 'Gone'), 410, 'Gone.'],
      [httpError(422, ''), 422, 'Unprocessable Entity.'],
      [httpError(499, ''), 499, 'Request refused.'],
      [{ statusCode: 404 }, 404, 'Not found.'],
    ] as const) {
      const response = await respondToError(error)
      assert.deepEqual([response.status, response.json()], [status, { detail }])
    }
  })

  test('ERR-EXC-r6: a custom message and string headers are kept, and a message with expose: false is hidden', async () => {
    const notFound = await respondToError(httpError(404, 'The third volume is lost.', { code: 'LOST' }))
    assert.deepEqual([notFound.status, notFound.json()], [404, { detail: 'The third volume is lost.' }])
    const throttled = await respondToError(
      httpError(429, 'Slowly.', { headers: { 'Retry-After': '7', 'x-number': 1 } }),
    )
    assert.deepEqual(
      [throttled.status, throttled.headers['retry-after'], throttled.headers['x-number']],
      [429, '7', undefined],
    )
    const hidden = await respondToError(httpError(403, 'hunter2', { expose: false }))
    assert.deepEqual(hidden.json(), { detail: 'You do not have permission to perform this action.' })
  })

  test('AUTH-GEN-5: a 401 follows the first scheme', async () => {
    const error = httpError(401, 'Unauthorized')
    const challenged = await respondToError(error)
    assert.deepEqual([challenged.status, challenged.headers['www-authenticate']], [401, 'User'])
    assert.deepEqual(challenged.json(), { detail: 'Authentication credentials were not provided.' })
    const unchallenged = await respondToError(error, { authentication: [] })
    assert.deepEqual([unchallenged.status, unchallenged.headers['www-authenticate']], [403, undefined])
  })

  test('ERR-EXC-r11: a statusCode outside 4xx is a 500', async () => {
    for (const statusCode of [200, 302, 399, 500, 503, 600, 404.5, '404', Number.NaN]) {
      const response = await respondToError(Object.assign(new Error('hunter2'), { statusCode }))
      assert.deepEqual([response.status, response.json()], [500, { detail: 'A server error occurred.' }])
    }
  })

  test('ERR-EXC-r6: handlers, schemes, permissions and throttles that throw such an error get the same response', async () => {
    const error = httpError(404, 'Not Found')
    const hello = { name: 'Hello', handlers: { GET: () => ({ status: 200, body: 'hello' }) } }
    const rejecting = { ...hello, handlers: { GET: () => Promise.reject(error) } }
    const services: readonly ApiOptions[] = [
      { views: { '/x/': rejecting } },
      { views: { '/x/': hello }, authentication: [{ ...userScheme, authenticate: throwing(error) }] },
      { views: { '/x/': hello }, permissions: [{ allows: throwing(error) }] },
      { views: { '/x/': hello }, throttles: [{ check: throwing(error) }] },
    ]
    for (const [index, options] of services.entries()) {
      const { client, stop } = await startApi(options)
      const response = await client.get('/x/')
      assert.deepEqual([response.status, response.json()], [404, { detail: 'Not found.' }], String(index))
      await stop()
    }
  })

  test('ERR-EXC-r6: a Fastify hook that throws such an error gets the same response', async () => {
    for (const [error, detail] of [
      [httpError(404, 'Not Found'), 'Not found.'],
      [new errorCodes.FST_ERR_NOT_FOUND(), 'Not found.'],
      [httpError(404, 'Lost.'), 'Lost.'],
    ] as const) {
      const { client, stop } = await startApi({}, { prepare: app => app.addHook('onRequest', throwing(error)) })
      const response = await client.get('/')
      assert.deepEqual([response.status, response.json()], [404, { detail }])
      await stop()
    }
  })

  test('OPTIONS omits a method whose permission throws such an error', async () => {
    const postForbidden: Permission = {
      allows: ({ method }) => {
        if (method === 'POST') throw httpError(403, 'Forbidden')
        return true
      },
    }
    const view = {
      name: 'Form',
      permissions: [postForbidden],
      handlers: { POST: () => ({ status: 200 }), PUT: () => ({ status: 200 }) },
      forms: { POST: { fields: {} }, PUT: { fields: {} } },
    }
    const { client, stop } = await startApi({ views: { '/form/': view } })
    const response = await client.request('OPTIONS', '/form/')
    assert.deepEqual([response.status, Object.keys(response.json().actions)], [200, ['PUT']])
    await stop()
  })
})

const authors = resource('authors', {
  table: 'authors',
  fields: { id: key(), name: text() },
  validate({ values: { name } }) {
    if (name === 'validate') throw httpError(422, 'No such author may exist.')
  },
  prepare({ values: { name } }) {
    if (name === 'prepare') throw httpError(404, 'Not Found')
    return {}
  },
  beforeSave({ values: { name } }) {
    if (name === 'beforeSave') throw httpError(403, 'Forbidden')
  },
  async afterSave() {
    throw httpError(409, 'Conflict')
  },
})

onEachDatabase(
  () => ({ authentication: [userScheme], resources: [authors] }),
  api => {
    test('ERR-EXC-r6: a resource hook that throws such an error gets its status, and nothing is written', async () => {
      for (const [name, status, detail] of [
        ['validate', 422, 'No such author may exist.'],
        ['prepare', 404, 'Not found.'],
        ['beforeSave', 403, 'You do not have permission to perform this action.'],
        ['afterSave', 409, 'Conflict.'],
      ] as const) {
        const response = await api().client.post('/authors/', { ...asUser('ann'), json: { name } })
        assert.deepEqual([response.status, response.json()], [status, { detail }], name)
      }
      assert.deepEqual(await api().rows('authors'), [])
    })
  },
)
