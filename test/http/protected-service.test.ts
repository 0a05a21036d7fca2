// What the service does for conditional, repeated and compressed requests, and which of its responses caches may store.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import { onEveryDatabase, password } from '../support/service.ts'

onEveryDatabase({ compression: true }, service => {
  const createToken = async (username: string) => (await service().createUser(username)).key

  test('a repeated create of a snippet takes effect once', async () => {
    const { client } = service()
    const token = await createToken('ann')
    const send = () =>
      client.post('/snippet/snippets/', {
        token,
        json: { code: 'print(1)' },
        headers: { 'idempotency-key': '7a3c' },
      })
    const [first, second] = [await send(), await send()]
    assert.deepEqual([first.status, second.status, second.text], [201, 201, first.text])
    assert.equal((await client.get('/snippet/snippets/')).json().length, 1)
  })

  test('long lists are compressed for tokens, and never for sessions', async () => {
    const { app, client } = service()
    const token = await createToken('bob')
    await client.post('/snippet/snippets/', { token, json: { code: `"""${'x'.repeat(3000)}"""` } })
    const read = (headers: Record<string, string>) =>
      app.inject({ url: '/snippet/snippets/', headers: { host: 'localhost', 'accept-encoding': 'br', ...headers } })
    const [plain, coded] = [
      await read({ authorization: `Token ${token}`, 'accept-encoding': 'identity' }),
      await read({ authorization: `Token ${token}` }),
    ]
    assert.equal(coded.headers['content-encoding'], 'br')
    assert.deepEqual(brotliDecompressSync(coded.rawPayload), plain.rawPayload)
    assert.equal((await read({ cookie: 'sessionid=x' })).headers['content-encoding'], undefined)
  })
})

suite('which responses caches may store', () => {
  onEveryDatabase({ tokens: 'named' }, service => {
    /** The only responses that the browser of a caller may store, and revalidates. */
    const stored = [
      '/admin/groups/',
      '/admin/groups/:key/',
      '/admin/snippets/',
      '/admin/snippets/:key/',
      '/directory/groups/',
      '/directory/groups/:key/',
      '/directory/users/',
      '/directory/users/:key/',
      '/snippet/snippets/',
      '/snippet/snippets/:key/',
      '/snippet/users/',
      '/snippet/users/:key/',
    ]

    test('every other GET of the service is no-store for an authenticated caller', async () => {
      const { app, client, createUser } = service()
      const { key: token, id } = await createUser('root', { staff: true, superuser: true })
      await client.post('/admin/groups/', { token, json: { name: 'editors' } })
      await client.post('/snippet/snippets/', { token, json: { code: 'print(1)' } })
      const isDocument = (path: string) => /\/openapi\.(?:json|yaml)\/?$/.test(path)
      const paths = listPaths(app.printRoutes({ commonPrefix: false })).filter(path => !isDocument(path))
      assert.ok(paths.length > stored.length, paths.join())
      const found: string[] = []
      for (const path of paths) {
        const { status, headers } = await client.get(path.replace(/:\w+/, path.includes('users') ? `${id}` : '1'), {
          token,
        })
        const { 'cache-control': cacheControl, etag } = headers
        assert.ok([200, 400, 404, 405].includes(status), `${path}: ${status}`)
        assert.equal(cacheControl, etag === undefined ? 'no-store' : 'private, no-cache', path)
        if (etag !== undefined) found.push(path)
      }
      assert.deepEqual(found.toSorted(), stored)
    })

    test('the OpenAPI document is the same for every caller, and is revalidated', async () => {
      const { client, createUser } = service()
      const { key: token } = await createUser('max', { staff: true })
      for (const path of ['/openapi.json', '/openapi.yaml', '/admin/openapi.json']) {
        const [own, other] = [await client.get(path, { token }), await client.get(path)]
        assert.deepEqual([own.status, own.text, own.headers.etag], [200, other.text, other.headers.etag])
        assert.ok(own.headers.etag)
        assert.match(String(own.headers['cache-control']), /no-cache/)
      }
    })

    test('what shows or takes a secret is no-store for everyone', async () => {
      const { client, createUser } = service()
      await createUser('zoe')
      for (const path of ['/api-auth/login/', '/api-auth/logout/']) {
        const { headers } = await client.get(path, { headers: { accept: 'text/html' } })
        assert.deepEqual([path, headers['cache-control'], headers.etag], [path, 'no-store', undefined])
      }
      const login = await client.post('/api-token-auth/', { json: { username: 'zoe', password } })
      assert.deepEqual([login.status, login.headers['cache-control'], login.headers.etag], [200, 'no-store', undefined])
    })
  })
})

/** The paths of all views, from Fastify's tree of routes, whose levels are indented by four characters. */
function listPaths(tree: string): readonly string[] {
  const parents: string[] = []
  return tree.split('\n').flatMap(line => {
    const [, indent, segment, methods] = /^(.*)[├└]── (\S+) \((.*?)\)/.exec(line) ?? []
    if (indent === undefined) return []
    const depth = indent.length / 4
    parents[depth] = segment!
    return methods === viewMethods
      ? [
          parents
            .slice(0, depth + 1)
            .join('')
            .replace('//', '/'),
        ]
      : []
  })
}

const viewMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'
