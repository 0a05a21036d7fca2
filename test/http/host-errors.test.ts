// Errors of Fastify and of libraries, which name their status in `statusCode`: the response has that status, in the
// catalogue's text and shape, wherever the error is thrown.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { errorCodes } from 'fastify'
import { type ApiOptions, key, type Permission, resource, text } from '../../src/framework/index.ts'
import { answerTo, as, onEachDatabase, startApi, userScheme } from '../support/own-api.ts'

/** An error as http-errors makes it. */
const httpError = (statusCode: number, message: string, more: object = {}) =>
  Object.assign(new Error(message), { statusCode, status: statusCode, expose: statusCode < 500, ...more })

const fail = (error: unknown) => () => {
  throw error
}

suite('errors with a statusCode', () => {
  test('ERR-EXC-r6: an error without a text of its own has the text and the code of the catalogue', async () => {
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
      const response = await answerTo(error)
      assert.deepEqual([response.status, response.json()], [status, { detail }])
    }
  })

  test('ERR-EXC-r6: a text, a code and header fields that are given are kept, and a text that is not to be shown is not', async () => {
    const gone = await answerTo(httpError(404, 'The third volume is lost.', { code: 'LOST' }))
    assert.deepEqual([gone.status, gone.json()], [404, { detail: 'The third volume is lost.' }])
    const slow = await answerTo(httpError(429, 'Slowly.', { headers: { 'Retry-After': '7', 'x-number': 1 } }))
    assert.deepEqual([slow.status, slow.headers['retry-after'], slow.headers['x-number']], [429, '7', undefined])
    const secret = await answerTo(httpError(403, 'hunter2', { expose: false }))
    assert.deepEqual(secret.json(), { detail: 'You do not have permission to perform this action.' })
  })

  test('AUTH-GEN-5: a 401 is as the first scheme wants it', async () => {
    const error = httpError(401, 'Unauthorized')
    const challenged = await answerTo(error)
    assert.deepEqual([challenged.status, challenged.headers['www-authenticate']], [401, 'User'])
    assert.deepEqual(challenged.json(), { detail: 'Authentication credentials were not provided.' })
    const unchallenged = await answerTo(error, { authentication: [] })
    assert.deepEqual([unchallenged.status, unchallenged.headers['www-authenticate']], [403, undefined])
  })

  test('ERR-EXC-r11: a status that is no 4xx says nothing about the response', async () => {
    for (const statusCode of [200, 302, 399, 500, 503, 600, 404.5, '404', Number.NaN]) {
      const response = await answerTo(Object.assign(new Error('hunter2'), { statusCode }))
      assert.deepEqual([response.status, response.json()], [500, { detail: 'A server error occurred.' }])
    }
  })

  test('ERR-EXC-r6: it is the same whichever part of a view throws it', async () => {
    const error = httpError(404, 'Not Found')
    const hello = { name: 'Hello', handlers: { GET: () => ({ status: 200, body: 'hello' }) } }
    const late = { ...hello, handlers: { GET: () => Promise.reject(error) } }
    const parts: readonly ApiOptions[] = [
      { views: { '/x/': late } },
      { views: { '/x/': hello }, authentication: [{ ...userScheme, authenticate: fail(error) }] },
      { views: { '/x/': hello }, permissions: [{ allows: fail(error) }] },
      { views: { '/x/': hello }, throttles: [{ check: fail(error) }] },
    ]
    for (const [index, options] of parts.entries()) {
      const { client, stop } = await startApi(options)
      const response = await client.get('/x/')
      assert.deepEqual([response.status, response.json()], [404, { detail: 'Not found.' }], String(index))
      await stop()
    }
  })

  test('ERR-EXC-r6: a hook of Fastify that throws it has the same response', async () => {
    for (const [error, detail] of [
      [httpError(404, 'Not Found'), 'Not found.'],
      [new errorCodes.FST_ERR_NOT_FOUND(), 'Not found.'],
      [httpError(404, 'Lost.'), 'Lost.'],
    ] as const) {
      const { client, stop } = await startApi({}, { prepare: app => app.addHook('onRequest', fail(error)) })
      const response = await client.get('/')
      assert.deepEqual([response.status, response.json()], [404, { detail }])
      await stop()
    }
  })

  test('OPTIONS leaves out a method whose policy throws it', async () => {
    const closed: Permission = {
      allows: ({ method }) => {
        if (method === 'POST') throw httpError(403, 'Forbidden')
        return true
      },
    }
    const view = {
      name: 'Form',
      permissions: [closed],
      handlers: { POST: () => ({ status: 200 }), PUT: () => ({ status: 200 }) },
      forms: { POST: { fields: {} }, PUT: { fields: {} } },
    }
    const { client, stop } = await startApi({ views: { '/form/': view } })
    const response = await client.request('OPTIONS', '/form/')
    assert.deepEqual([response.status, Object.keys(response.json().actions)], [200, ['PUT']])
    await stop()
  })
})

const refusing = resource('authors', {
  table: 'authors',
  fields: { id: key(), name: text() },
  validate({ name }) {
    if (name === 'validate') throw httpError(422, 'No such author may exist.')
  },
  prepare({ name }) {
    if (name === 'prepare') throw httpError(404, 'Not Found')
    return {}
  },
  beforeSave({ name }) {
    if (name === 'beforeSave') throw httpError(403, 'Forbidden')
  },
  async afterSave() {
    throw httpError(409, 'Conflict')
  },
})

onEachDatabase(
  () => ({ authentication: [userScheme], resources: [refusing] }),
  api => {
    test('ERR-EXC-r6: a hook of a resource that throws it has its status, and nothing is written', async () => {
      for (const [name, status, detail] of [
        ['validate', 422, 'No such author may exist.'],
        ['prepare', 404, 'Not found.'],
        ['beforeSave', 403, 'You do not have permission to perform this action.'],
        ['afterSave', 409, 'Conflict.'],
      ] as const) {
        const response = await api().client.post('/authors/', { ...as('ann'), json: { name } })
        assert.deepEqual([response.status, response.json()], [status, { detail }], name)
      }
      assert.deepEqual(await api().rows('authors'), [])
    })
  },
)
