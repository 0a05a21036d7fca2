// URLs and methods: what is where, what every answer says of it, and what nothing is at (ERR-EXC-r6, ERR-EXC-r7).

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  type HandlerContext,
  isSafe,
  key,
  type RequestContext,
  readOnly,
  resource,
  text,
} from '../../src/framework/index.ts'
import { as, type OwnApi, onEachDatabase, startApi, userScheme } from '../support/own-api.ts'

const echo = ({ request, body }: HandlerContext) => ({
  status: 200,
  body: { url: request.url, data: body.kind === 'data' ? body.data : null },
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
  ['in the process', {}],
  ['over a socket', { socket: true }],
  ['under a prefix', { prefix: '/v1' }],
  ['under a prefix with a slash', { prefix: '/v1/' }],
] as const) {
  suite(`An API ${name}`, () => {
    let api: OwnApi
    const at = 'prefix' in start ? '/v1' : ''
    before(async () => {
      api = await startApi({ authentication: [userScheme], views }, start)
    })
    after(() => api.stop())

    test('SVC-6: every kind of answer says what varies it and what it allows', async () => {
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
        const response = await api.client.request(method, at + url, options)
        assert.equal(response.status, status, `${method} ${url}`)
        assert.equal(response.headers.allow, allow)
        assert.equal(response.headers.vary, 'Accept, X-User')
      }
      const elsewhere = await api.client.get(`${at}/elsewhere/`)
      assert.equal(elsewhere.headers.vary, 'Accept')
    })

    test('ERR-EXC-r6, SVC-5: nothing is at an unknown URL, whatever the method and the body', async () => {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']) {
        for (const options of [{}, { body: '{"', headers: { 'content-type': 'a/b', 'x-user': 'nobody' } }]) {
          const response = await api.client.request(method, `${at}/elsewhere/`, options)
          assert.deepEqual([response.status, response.json()], [404, notFound], method)
          assert.equal(response.headers['content-type'], 'application/json')
        }
      }
    })

    test('ERR-EXC-r6: URLs that resemble one of the API are nothing as well', async () => {
      const paths =
        '/Echo/ /echo// /echo/x /echo/x/ //echo/ /nested/ /nested /echo%2F /echo%00/ /echo;x/ /__proto__/ /constructor/'
      for (const url of [...paths.split(' '), `/${'a'.repeat(5000)}/`]) {
        const response = await api.client.get(at + url)
        assert.deepEqual([response.status, response.json()], [404, notFound], url)
      }
    })

    test('ERR-EXC-r7, ERR-MSG-r1: a method without a handler is 405, whichever it is', async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'REPORT', 'QUERY', 'LINK']) {
        const response = await api.client.request(method, `${at}/nested/path/`)
        assert.deepEqual([response.status, response.json()], [405, { detail: `Method '${method}' not allowed.` }])
        assert.equal(response.headers.allow, 'GET, HEAD, OPTIONS')
      }
    })

    test('a URL without its trailing slash leads to the one with it, query and all', async () => {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const status = method === 'GET' || method === 'HEAD' ? 301 : 308
        const response = await api.client.request(method, `${at}/echo?a=1&b=%2F&c=//x`, { body: '{}' })
        assert.deepEqual([response.status, response.headers.location], [status, `${at}/echo/?a=1&b=%2F&c=//x`], method)
        assert.equal(response.text, '')
        assert.deepEqual(
          [response.headers.allow, response.headers.vary],
          ['GET, POST, HEAD, OPTIONS', 'Accept, X-User'],
        )
      }
      const nested = await api.client.get(`${at}/nested/path`)
      assert.deepEqual([nested.status, nested.headers.location], [301, `${at}/nested/path/`])
      const encoded = await api.client.get(`${at}/%65cho`)
      assert.deepEqual([encoded.status, encoded.headers.location], [301, `${at}/%65cho/`])
      assert.equal((await api.client.get(`${at}/%65cho/`)).status, 200)
    })

    test('the redirect keeps the body: sent again, it arrives', async () => {
      const options = { ...as('ann'), json: { a: 1 } }
      const { headers } = await api.client.post(`${at}/echo?b=2`, options)
      const response = await api.client.post(headers.location!, options)
      assert.deepEqual(response.json(), { url: `${at}/echo/?b=2`, data: { a: 1 } })
    })

    test('HEAD answers as GET, without the body', async () => {
      for (const url of ['/echo/', '/', '/elsewhere/', '/echo/?format=x']) {
        const [get, head] = await Promise.all([api.client.get(at + url), api.client.request('HEAD', at + url)])
        assert.deepEqual([head.status, head.text], [get.status, ''], url)
        for (const name of ['content-type', 'content-length', 'allow', 'vary'])
          assert.equal(head.headers[name], get.headers[name], `${name} of ${url}`)
      }
    })

    test('OPTIONS describes the view', async () => {
      const response = await api.client.request('OPTIONS', `${at}/echo/`)
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
    test('ERR-EXC-r6: a key that no row can have is 404, never an error of the database', async () => {
      const near = '0 -1 1 01 1.0 1e3 +1 1% %31 1/ x null true ٣ １'.split(' ')
      const large = '2147483648 9007199254740991 9007199254740993 9223372036854775808'.split(' ')
      const others = [' 1', '1 ', '\0', '1'.repeat(30), '1'.repeat(150), '1'.repeat(2000), "1'--", '1;drop table books']
      for (const segment of [...near, ...large, ...others]) {
        const response = await api().client.get(`/books/${encodeURIComponent(segment)}/`)
        assert.deepEqual([response.status, response.json()], [404, notFound], segment)
      }
    })
  },
)
