// The users of the snippet profile (RES-SUSER, END-SNIP-1), and its unpaginated lists.

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { pageNumber } from 'resource-api'
import { snippets } from 'resource-api/snippets'
import { onEveryDatabase, type TestService } from '../support/service.ts'
import { countRows, dumpTables } from '../support/tables.ts'

onEveryDatabase({ profiles: ['snippets'] }, service => {
  let ann: { id: number; key: string }
  let bob: { id: number; key: string }

  before(async () => {
    bob = await service().createUser('bob')
    ann = await service().createUser('ann')
  })

  const create = async (token: string): Promise<number> =>
    (await service().client.post('/snippets/', { token, json: { code: 'x' } })).json().id

  test('END-SNIP-r1, END-SNIP-r2, RES-SUSER-r1, RES-SUSER-r2, RES-SUSER-r3: users have the ids of their snippets', async () => {
    const { client } = service()
    const annsSnippets = [await create(ann.key), await create(ann.key)]
    const bobsSnippet = await create(bob.key)
    annsSnippets.push(await create(ann.key))
    const list = await client.get('/users/')
    assert.equal(list.status, 200)
    assert.deepEqual(list.json(), [
      { id: bob.id, username: 'bob', snippets: [bobsSnippet] },
      { id: ann.id, username: 'ann', snippets: annsSnippets },
    ])
    const detail = await client.get(`/users/${ann.id}/`)
    assert.deepEqual([detail.status, detail.json()], [200, { id: ann.id, username: 'ann', snippets: annsSnippets }])
    assert.deepEqual(
      annsSnippets,
      annsSnippets.toSorted((a, b) => a - b),
    )
  })

  test('END-SNIP-1: no caller can write users', async () => {
    const { client, services } = service()
    const dumpBefore = await dumpTables(services.database)
    for (const [method, url] of [
      ['POST', '/users/'],
      ['PUT', `/users/${ann.id}/`],
      ['PATCH', `/users/${ann.id}/`],
      ['DELETE', `/users/${ann.id}/`],
    ] as const)
      for (const options of [{ token: ann.key }, {}]) {
        const response = await client.request(method, url, { ...options, json: { username: 'x' } })
        assert.deepEqual([response.status, response.json()], [405, { detail: `Method '${method}' not allowed.` }])
        assert.equal(response.headers.allow, 'GET, HEAD, OPTIONS')
      }
    assert.equal(await dumpTables(services.database), dumpBefore)
  })

  test('RES-SUSER-r3: a deleted snippet is removed from the user’s list', async () => {
    const { client } = service()
    const id = await create(bob.key)
    await client.delete(`/snippets/${id}/`, { token: bob.key })
    assert.equal((await client.get(`/users/${bob.id}/`)).json().snippets.includes(id), false)
  })
})

async function addSnippets({ services, createUser }: TestService, count: number) {
  const { id, key } = await createUser('author')
  const created = new Date(Date.UTC(2026, 0, 1)).toISOString().replace('Z', '000Z')
  const row = { owner_id: id, created, linenos: false, language: 'python', style: 'friendly', highlighted: '' }
  const rows = Array.from({ length: count }, (_, index) => ({
    ...row,
    title: `${index}`,
    code: 'x'.repeat(index % 50),
  }))
  await services.database.transaction(async ({ kysely }) => {
    for (let start = 0; start < count; start += 500)
      await kysely
        .insertInto('snippets')
        .values(
          rows
            .slice(start, start + 500)
            .map(item => ({ ...item, linenos: services.database.dialect.name === 'sqlite' ? 0 : false })),
        )
        .execute()
  })
  return key
}

suite('many snippets', () => {
  onEveryDatabase({ profiles: ['snippets'] }, service => {
    test('END-GAP-b2, END-SNIP-r3: an unpaginated list contains every snippet once, and is read in batches', async () => {
      const { client, statements } = service()
      await addSnippets(service(), 2345)
      statements.length = 0
      const titles = (await client.get('/snippets/')).json().map(({ title }: { title: string }) => title)
      assert.deepEqual(
        titles,
        Array.from({ length: 2345 }, (_, index) => `${index}`),
      )
      // A busy machine reads smaller batches.
      const batches = statements.length
      assert.ok(batches > 4 && batches < 100, `${batches} statements`)
      assert.ok(statements.every(statement => / limit /.test(statement)))
    })

    test('SVC-1: after authentication, a short list or an object is one statement', async () => {
      const { client, createUser, statements, services } = service()
      await services.database.transaction(async ({ kysely }) => {
        await kysely.deleteFrom('snippets').execute()
      })
      const { id: userId, key: token } = await createUser('ann')
      const { id } = (await client.post('/snippets/', { token, json: { code: 'x' } })).json()
      for (const url of [
        '/snippets/',
        `/snippets/${id}/`,
        `/snippets/${id}/highlight/`,
        '/users/',
        `/users/${userId}/`,
      ]) {
        statements.length = 0
        assert.equal((await client.get(url, { token })).status, 200)
        assert.equal(statements.length, 2, url)
        statements.length = 0
        assert.equal((await client.get(url)).status, 200)
        // No statement if the rows are still cached (decision 017).
        assert.ok(statements.length <= 1, url)
      }
    })
  })
})

suite('with pagination', () => {
  onEveryDatabase({ profiles: [snippets({ pagination: pageNumber({ pageSize: 2 }) })] }, service => {
    test('END-GAP-b2, LIM-PAG-p1: the setting `pagination` paginates the snippets', async () => {
      const { client, createUser } = service()
      const { key: token } = await createUser('ann')
      for (const code of ['a', 'b', 'c']) await client.post('/snippets/', { token, json: { code } })
      const { count, next, results } = (await client.get('/snippets/')).json()
      assert.deepEqual([count, next, results.length], [3, 'http://localhost/snippets/?page=2', 2])
      assert.equal((await client.get('/snippets/?page=2')).json().results[0].code, 'c')
    })
  })
})

suite('both profiles', () => {
  onEveryDatabase({}, service => {
    test('END-GAP-b3: deleting a user deletes only the snippets and the token of that user', async () => {
      const { client, createUser, services } = service()
      const ann = await createUser('ann')
      const bob = await createUser('bob')
      for (const { key: token } of [ann, bob, bob])
        await client.post('/snippet/snippets/', { token, json: { code: 'x' } })
      assert.equal((await client.delete(`/directory/users/${bob.id}/`, { token: ann.key })).status, 204)
      const owners = (await client.get('/snippet/snippets/')).json().map(({ owner }: { owner: string }) => owner)
      assert.deepEqual(owners, ['ann'])
      assert.equal(await countRows(services.database, 'tokens'), 1)
      assert.equal((await client.get(`/snippet/users/${bob.id}/`)).status, 404)
      const response = await client.post('/snippet/snippets/', { token: bob.key, json: { code: 'x' } })
      assert.deepEqual([response.status, response.json()], [401, { detail: 'Invalid token.' }])
    })

    test('RES-SNIP-r2: snippets show the new name of a renamed owner, who may still write them', async () => {
      const { client, createUser } = service()
      const { id, key: token } = await createUser('old')
      const snippet = (await client.post('/snippet/snippets/', { token, json: { code: 'x' } })).json()
      await client.patch(`/directory/users/${id}/`, { token, json: { username: 'new' } })
      const url = `/snippet/snippets/${snippet.id}/`
      assert.equal((await client.get(url)).json().owner, 'new')
      assert.equal((await client.put(url, { token, json: { code: 'y' } })).status, 200)
    })
  })
})
