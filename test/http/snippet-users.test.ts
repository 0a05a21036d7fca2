// The users of the snippet profile (RES-SUSER, END-SNIP-1), and its lists in full.

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { pageNumber } from '../../src/framework/pagination/page-number.ts'
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

  test('END-SNIP-r1, END-SNIP-r2, RES-SUSER-r1, RES-SUSER-r2, RES-SUSER-r3: users with the ids of their snippets', async () => {
    const { client } = service()
    const mine = [await create(ann.key), await create(ann.key)]
    const theirs = await create(bob.key)
    mine.push(await create(ann.key))
    const list = await client.get('/users/')
    assert.equal(list.status, 200)
    assert.deepEqual(list.json(), [
      { id: bob.id, username: 'bob', snippets: [theirs] },
      { id: ann.id, username: 'ann', snippets: mine },
    ])
    const one = await client.get(`/users/${ann.id}/`)
    assert.deepEqual([one.status, one.json()], [200, { id: ann.id, username: 'ann', snippets: mine }])
    assert.deepEqual(
      mine,
      mine.toSorted((a, b) => a - b),
    )
  })

  test('END-SNIP-1: the users cannot be written, whoever asks', async () => {
    const { client, parts } = service()
    const before = await dumpTables(parts.database)
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
    assert.equal(await dumpTables(parts.database), before)
  })

  test('RES-SUSER-r3: a snippet that is deleted leaves the user’s list', async () => {
    const { client } = service()
    const id = await create(bob.key)
    await client.delete(`/snippets/${id}/`, { token: bob.key })
    assert.equal((await client.get(`/users/${bob.id}/`)).json().snippets.includes(id), false)
  })
})

async function addSnippets({ parts, createUser }: TestService, count: number) {
  const { id, key } = await createUser('author')
  const made = new Date(Date.UTC(2026, 0, 1)).toISOString().replace('Z', '000Z')
  const row = { owner_id: id, created: made, linenos: false, language: 'python', style: 'friendly', highlighted: '' }
  const rows = Array.from({ length: count }, (_, index) => ({
    ...row,
    title: `${index}`,
    code: 'x'.repeat(index % 50),
  }))
  await parts.database.transaction(async ({ kysely }) => {
    for (let start = 0; start < count; start += 500)
      await kysely
        .insertInto('snippets')
        .values(
          rows
            .slice(start, start + 500)
            .map(item => ({ ...item, linenos: parts.database.dialect.name === 'sqlite' ? 0 : false })),
        )
        .execute()
  })
  return key
}

suite('many snippets', () => {
  onEveryDatabase({ profiles: ['snippets'] }, service => {
    test('END-GAP-b2, END-SNIP-r3: a list without pages holds every snippet once, read portion by portion', async () => {
      const { client, statements } = service()
      await addSnippets(service(), 2345)
      statements.length = 0
      const titles = (await client.get('/snippets/')).json().map(({ title }: { title: string }) => title)
      assert.deepEqual(
        titles,
        Array.from({ length: 2345 }, (_, index) => `${index}`),
      )
      const portions = statements.length
      assert.ok(portions > 4 && portions < 10, `${portions} statements`)
      assert.ok(statements.every(statement => / limit /.test(statement)))
    })

    test('SVC-1: after authentication, a short list or an object is one statement', async () => {
      const { client, createUser, statements, parts } = service()
      await parts.database.transaction(async ({ kysely }) => {
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
        // None, where the rows of a moment ago still hold (decision 017).
        assert.ok(statements.length <= 1, url)
      }
    })
  })
})

suite('pages', () => {
  onEveryDatabase({ profiles: ['snippets'], snippetPagination: pageNumber({ pageSize: 2 }) }, service => {
    test('END-GAP-b2, LIM-PAG-p1: a deployer may cut the snippets into pages', async () => {
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
    test('END-GAP-b3: deleting a user deletes the user’s snippets and token, and nobody else’s', async () => {
      const { client, createUser, parts } = service()
      const ann = await createUser('ann')
      const bob = await createUser('bob')
      for (const { key: token } of [ann, bob, bob])
        await client.post('/snippet/snippets/', { token, json: { code: 'x' } })
      assert.equal((await client.delete(`/directory/users/${bob.id}/`, { token: ann.key })).status, 204)
      const owners = (await client.get('/snippet/snippets/')).json().map(({ owner }: { owner: string }) => owner)
      assert.deepEqual(owners, ['ann'])
      assert.equal(await countRows(parts.database, 'tokens'), 1)
      assert.equal((await client.get(`/snippet/users/${bob.id}/`)).status, 404)
      const late = await client.post('/snippet/snippets/', { token: bob.key, json: { code: 'x' } })
      assert.deepEqual([late.status, late.json()], [401, { detail: 'Invalid token.' }])
    })

    test('RES-SNIP-r2: a user who is renamed keeps the snippets, under the new name', async () => {
      const { client, createUser } = service()
      const { id, key: token } = await createUser('old')
      const made = (await client.post('/snippet/snippets/', { token, json: { code: 'x' } })).json()
      await client.patch(`/directory/users/${id}/`, { token, json: { username: 'new' } })
      const url = `/snippet/snippets/${made.id}/`
      assert.equal((await client.get(url)).json().owner, 'new')
      assert.equal((await client.put(url, { token, json: { code: 'y' } })).status, 200)
    })
  })
})
