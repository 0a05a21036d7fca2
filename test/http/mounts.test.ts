// The paths of the profiles (SVC-p1), and the origin of absolute URLs (END-p1).

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { onEveryDatabase, onEveryService } from '../support/service.ts'

suite('directory only', () => {
  onEveryDatabase({ profiles: ['directory'] }, service => {
    test('SVC-p1, END-p1: a single profile is mounted at /, and lists its resources to every caller', async () => {
      const { client } = service()
      const response = await client.get('/')
      assert.equal(response.status, 200)
      assert.deepEqual(response.json(), {
        users: `${client.origin}/users/`,
        groups: `${client.origin}/groups/`,
      })
      assert.equal((await client.get('/snippets/')).status, 404)
    })
  })
})

suite('snippets only', () => {
  onEveryDatabase({ profiles: ['snippets'] }, service => {
    test('SVC-p1: without another profile, the snippet profile is mounted at /', async () => {
      const { client } = service()
      assert.deepEqual((await client.get('/')).json(), {
        users: `${client.origin}/users/`,
        snippets: `${client.origin}/snippets/`,
      })
      assert.equal((await client.get('/groups/')).status, 404)
    })
  })
})

suite('both profiles', () => {
  onEveryService({}, service => {
    test('SVC-p1, SVC-b1, SVC-b2: each of two profiles is mounted at its own path, and / lists both', async () => {
      const { client, createUser } = service()
      const { origin } = client
      const { id, key: token } = await createUser('ann')
      assert.deepEqual((await client.get('/')).json(), {
        directory: `${origin}/directory/`,
        snippets: `${origin}/snippet/`,
      })
      assert.deepEqual((await client.get('/directory/')).json(), {
        users: `${origin}/directory/users/`,
        groups: `${origin}/directory/groups/`,
      })
      assert.deepEqual((await client.get('/snippet/')).json(), {
        users: `${origin}/snippet/users/`,
        snippets: `${origin}/snippet/snippets/`,
      })
      const user = (await client.get(`/directory/users/${id}/`, { token })).json()
      assert.equal(user.url, `${origin}/directory/users/${id}/`)
      assert.deepEqual((await client.get('/snippet/users/')).json(), [{ id, username: 'ann', snippets: [] }])
      const created = await client.post('/snippet/snippets/', { token, json: { code: 'x' } })
      assert.equal(created.headers.location, `${origin}/snippet/snippets/${created.json().id}/`)
    })

    test('SVC-p1: links refer to resources of the same profile and mount', async () => {
      const { client, createUser } = service()
      const { key: token } = await createUser('bea')
      const { url } = (await client.post('/directory/groups/', { token, json: { name: 'g' } })).json()
      const json = { username: 'carl', groups: [url] }
      assert.deepEqual((await client.post('/directory/users/', { token, json })).json().groups, [url])
      const unmounted = { username: 'dora', groups: [url.replace('/directory', '')] }
      const response = await client.post('/directory/users/', { token, json: unmounted })
      assert.deepEqual(response.json(), { groups: ['Invalid hyperlink - No URL match.'] })
    })

    test('SVC-p1: a URL without its trailing slash redirects to the URL with it: 301, or 308 for methods with a body', async () => {
      const { client } = service()
      for (const url of ['/directory', '/snippet', '/snippet/snippets', '/directory/users/7', '/api-token-auth']) {
        const getResponse = await client.get(`${url}?a=1`)
        assert.deepEqual([getResponse.status, getResponse.headers.location], [301, `${url}/?a=1`])
        const postResponse = await client.post(url, { json: {} })
        assert.deepEqual([postResponse.status, postResponse.headers.location], [308, `${url}/`])
      }
    })

    test('ERR-EXC-r6: an unknown URL is 404 in JSON, at every depth and for every method', async () => {
      const { client } = service()
      for (const url of ['/users/', '/nothing', '/directory/snippets/', '/snippet/snippets/1/nothing/', '//', '/a//b'])
        for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
          const response = await client.request(method, url)
          assert.deepEqual([response.status, response.text], [404, '{"detail":"Not found."}'], `${method} ${url}`)
        }
    })
  })
})

suite('configured mounts', () => {
  onEveryDatabase({ mounts: { directory: 'people/v', snippets: '/code/' }, tokenPath: 'auth/key' }, service => {
    test('SVC-p1, END-TOKEN-r1: a deployer chooses the prefixes and the token path', async () => {
      const { client, createUser } = service()
      const { key: token } = await createUser('ann')
      assert.deepEqual((await client.get('/')).json(), {
        directory: 'http://localhost/people/v/',
        snippets: 'http://localhost/code/',
      })
      const users = (await client.get('/people/v/users/', { token })).json()
      assert.match(users.results[0].url, /^http:\/\/localhost\/people\/v\/users\/\d+\/$/)
      assert.equal((await client.get('/code/snippets/')).status, 200)
      assert.equal((await client.post('/auth/key/', { json: {} })).status, 400)
      assert.equal((await client.post('/api-token-auth/', { json: {} })).status, 404)
    })
  })
})

suite('public URL', () => {
  const options = { profiles: ['directory'], publicUrl: 'https://api.bücher.example/base/' } as const
  onEveryDatabase({ ...options, profiles: [...options.profiles] }, service => {
    test('END-p1: every absolute URL begins with the configured public URL', async () => {
      const { client, createUser } = service()
      const base = 'https://api.xn--bcher-kva.example/base'
      const { key: token } = await createUser('ann')
      assert.equal((await client.get('/')).json().users, `${base}/users/`)
      const created = await client.post('/groups/', { token, json: { name: 'g' } })
      assert.equal(created.headers.location, created.json().url)
      assert.match(created.json().url, new RegExp(`^${base}/groups/\\d+/$`))
      const user = await client.post('/users/', { token, json: { username: 'bob', groups: [created.json().url] } })
      assert.deepEqual(user.json().groups, [created.json().url])
      const headers = { host: 'api.xn--bcher-kva.example' }
      assert.equal((await client.get('/', { headers })).status, 200)
      assert.equal((await client.get('/', { headers: { host: 'evil.example' } })).status, 400)
    })
  })
})
