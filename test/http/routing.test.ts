// Routes, methods, the headers of every response, and unknown URLs (ERR-EXC-r6, ERR-EXC-r7).

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type HandlerContext, isSafe, key, type RequestContext, readOnly, resource, text } from 'resource-api'
import { asUser, onEachDatabase, startApi, type TestApi, userScheme } from '../support/own-api.ts'

const echo = ({ request, requestBody }: HandlerContext) => ({
  status: 200,
  body: { url: request.url, data: requestBody.kind === 'data' ? requestBody.data : null },
})
const views = {
  '/echo/': {
    name: 'Echo',
    description: 'Says it again.',
    handlers: { GET: echo, POST: echo },
    permissions: [{ allows: ({ user, request }: RequestContext) => isSafe(request.method) || user.isAuthenticated }],
  },
  '/nested/path/': { name: 'Nested', handlers: { GET: echo } },
}

const notFound = { detail: 'Not found.' }

for (const [name, start] of [
  ['in-process', {}],
  ['over a socket', { socket: true }],
  ['under a prefix', { prefix: '/v1' }],
  ['under a prefix with a slash', { prefix: '/v1/' }],
] as const) {
  suite(`an API ${name}`, () => {
    let api: TestApi
    const prefix = 'prefix' in start ? '/v1' : ''
    before(async () => {
      api = await startApi({ authentication: [userScheme], views }, start)
    })
    after(() => api.stop())

    test('SVC-6: every response of a view has the Vary and Allow headers', async () => {
      for (const [method, url, options, status, allow] of [
        ['GET', '/echo/', {}, 200, 'GET, POST, HEAD, OPTIONS'],
        ['OPTIONS', '/echo/', {}, 200, 'GET, POST, HEAD, OPTIONS'],
        ['POST', '/echo/', { json: {} }, 401, 'GET, POST, HEAD, OPTIONS'],
        ['GET', '/echo/', { headers: { 'x-user': 'nobody' } }, 401, 'GET, POST, HEAD, OPTIONS'],
        ['GET', '/echo/', { headers: { accept: 'a/b' } }, 406, 'GET, POST, HEAD, OPTIONS'],
        ['GET', '/nested/path/?format=a', {}, 404, 'GET, HEAD, OPTIONS'],
        ['DELETE', '/nested/path/', {}, 405, 'GET, HEAD, OPTIONS'],
        ['GET', '/', {}, 200, 'GET, HEAD, OPTIONS'],
      ] as const) {
        const response = await api.client.request(method, prefix + url, options)
        assert.equal(response.status, status, `${method} ${url}`)
        assert.equal(response.headers.allow, allow)
        assert.equal(response.headers.vary, 'Accept, X-User')
      }
      const unknown = await api.client.get(`${prefix}/elsewhere/`)
      assert.equal(unknown.headers.vary, 'Accept')
    })

    test('ERR-EXC-r6, SVC-5: an unknown URL is 404 for every method and body', async () => {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']) {
        for (const options of [{}, { body: '{"', headers: { 'content-type': 'a/b', 'x-user': 'nobody' } }]) {
          const response = await api.client.request(method, `${prefix}/elsewhere/`, options)
          assert.deepEqual([response.status, response.json()], [404, notFound], method)
          assert.equal(response.headers['content-type'], 'application/json')
        }
      }
    })

    test('ERR-EXC-r6: URLs that only resemble a URL of the API are 404', async () => {
      const paths =
        '/Echo/ /echo// /echo/x /echo/x/ //echo/ /nested/ /nested /echo%2F /echo%00/ /echo;x/ /__proto__/ /constructor/'
      for (const url of [...paths.split(' '), `/${'a'.repeat(5000)}/`]) {
        const response = await api.client.get(prefix + url)
        assert.deepEqual([response.status, response.json()], [404, notFound], url)
      }
    })

    test('ERR-EXC-r7, ERR-MSG-r1: every method without a handler is 405', async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'REPORT', 'QUERY', 'LINK']) {
        const response = await api.client.request(method, `${prefix}/nested/path/`)
        assert.deepEqual([response.status, response.json()], [405, { detail: `Method '${method}' not allowed.` }])
        assert.equal(response.headers.allow, 'GET, HEAD, OPTIONS')
      }
    })

    test('a URL without its trailing slash redirects to the URL with it, and keeps the query', async () => {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const status = method === 'GET' || method === 'HEAD' ? 301 : 308
        const response = await api.client.request(method, `${prefix}/echo?a=1&b=%2F&c=//x`, { body: '{}' })
        assert.deepEqual(
          [response.status, response.headers.location],
          [status, `${prefix}/echo/?a=1&b=%2F&c=//x`],
          method,
        )
        assert.equal(response.text, '')
        assert.deepEqual(
          [response.headers.allow, response.headers.vary],
          ['GET, POST, HEAD, OPTIONS', 'Accept, X-User'],
        )
      }
      const nested = await api.client.get(`${prefix}/nested/path`)
      assert.deepEqual([nested.status, nested.headers.location], [301, `${prefix}/nested/path/`])
      const encoded = await api.client.get(`${prefix}/%65cho`)
      assert.deepEqual([encoded.status, encoded.headers.location], [301, `${prefix}/%65cho/`])
      assert.equal((await api.client.get(`${prefix}/%65cho/`)).status, 200)
    })

    test('a client that follows the redirect can send its body again', async () => {
      const options = { ...asUser('ann'), json: { a: 1 } }
      const { headers } = await api.client.post(`${prefix}/echo?b=2`, options)
      const response = await api.client.post(headers.location!, options)
      assert.deepEqual(response.json(), { url: `${prefix}/echo/?b=2`, data: { a: 1 } })
    })

    test('HEAD responds like GET, without the body', async () => {
      for (const url of ['/echo/', '/', '/elsewhere/', '/echo/?format=x']) {
        const [get, head] = await Promise.all([api.client.get(prefix + url), api.client.request('HEAD', prefix + url)])
        assert.deepEqual([head.status, head.text], [get.status, ''], url)
        for (const name of ['content-type', 'content-length', 'allow', 'vary'])
          assert.equal(head.headers[name], get.headers[name], `${name} of ${url}`)
      }
    })

    test('OPTIONS describes the view', async () => {
      const response = await api.client.request('OPTIONS', `${prefix}/echo/`)
      assert.equal(response.status, 200)
      assert.deepEqual(response.json(), {
        name: 'Echo',
        description: 'Says it again.',
        renders: ['application/json'],
        parses: ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'],
      })
    })
  })
}

onEachDatabase(
  () => ({
    resources: [
      resource('books', { table: 'books', actions: ['retrieve'], fields: { id: key(), title: readOnly(text()) } }),
    ],
  }),
  api => {
    test('ERR-EXC-r6: a primary key that no row can have is 404 instead of a database error', async () => {
      const malformed = '0 -1 1 01 1.0 1e3 +1 1% %31 1/ x null true ٣ １'.split(' ')
      const large = '2147483648 9007199254740991 9007199254740993 9223372036854775808'.split(' ')
      const hostile = [
        ' 1',
        '1 ',
        '\0',
        '1'.repeat(30),
        '1'.repeat(150),
        '1'.repeat(2000),
        "1'--",
        '1;drop table books',
      ]
      for (const segment of [...malformed, ...large, ...hostile]) {
        const response = await api().client.get(`/books/${encodeURIComponent(segment)}/`)
        assert.deepEqual([response.status, response.json()], [404, notFound], segment)
      }
    })
  },
)
