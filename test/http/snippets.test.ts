// Snippets: anyone reads, authenticated callers create, owners change and delete (END-SNIP, AUTH-PERM).

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { onEveryService } from '../support/service.ts'
import { dumpTables } from '../support/tables.ts'

onEveryService({ profiles: ['snippets'] }, service => {
  let ann: string
  let bob: string

  before(async () => {
    ann = (await service().createUser('ann')).key
    bob = (await service().createUser('bob')).key
  })

  const create = async (json: object, token = ann) => {
    const response = await service().client.post('/snippets/', { token, json })
    assert.equal(response.status, 201, response.text)
    return { ...response.json(), path: new URL(response.headers.location!).pathname }
  }

  test('END-SNIP-r4, RES-SNIP-r1, RES-SNIP-r2, RES-SNIP-r4, RES-GAP-b4, END-GAP-b3: only code is required', async () => {
    const { client } = service()
    const response = await client.post('/snippets/', { token: ann, json: { code: 'print(1)' } })
    assert.equal(response.status, 201)
    assert.equal(response.headers['content-type'], 'application/json')
    const { id, ...snippet } = response.json()
    assert.ok(Number.isInteger(id))
    assert.equal(response.headers.location, `${client.origin}/snippets/${id}/`)
    assert.deepEqual(snippet, {
      owner: 'ann',
      title: '',
      code: 'print(1)',
      linenos: false,
      language: 'python',
      style: 'friendly',
    })
  })

  test('RES-SNIP-r3, RES-SNIP-r5, RES-SNIP-r6, RES-SNIP-r7, END-SNIP-r5, END-GAP-b2: all fields are stored and shown', async () => {
    const fields = { title: 'Hello', code: 'x = 1\n', linenos: true, language: 'ruby', style: 'monokai' }
    const { path, ...created } = await create(fields)
    assert.deepEqual(created, { id: created.id, owner: 'ann', ...fields })
    assert.equal(path, `/snippets/${created.id}/`)
    const read = await service().client.get(path)
    assert.deepEqual([read.status, read.json()], [200, created])
  })

  test('END-SNIP-r3, END-GAP-b2, END-SNIP-2: the list is an array, oldest first, for every caller', async () => {
    const { client } = service()
    const createdIds = []
    for (const code of ['one', 'two', 'three']) createdIds.push((await create({ code })).id)
    for (const token of [undefined, ann, bob]) {
      const response = await client.get('/snippets/?page=2', token === undefined ? {} : { token })
      const ids = response.json().map(({ id }: { id: number }) => id)
      assert.deepEqual([response.status, ids.slice(-3)], [200, createdIds])
      assert.deepEqual(
        ids,
        ids.toSorted((a: number, b: number) => a - b),
      )
    }
  })

  test('END-SNIP-r5, END-GAP-b3: the owner replaces, updates and deletes a snippet', async () => {
    const { client } = service()
    const { path, ...snippet } = await create({ code: 'a', title: 'T', linenos: true, style: 'nord' })
    const put = await client.put(path, { token: ann, json: { code: 'b' } })
    assert.deepEqual([put.status, put.json()], [200, { ...snippet, code: 'b' }])
    const patch = await client.patch(path, { token: ann, json: { language: 'go' } })
    assert.deepEqual([patch.status, patch.json()], [200, { ...snippet, code: 'b', language: 'go' }])
    assert.deepEqual((await client.get(path)).json(), patch.json())
    const deleted = await client.delete(path, { token: ann })
    assert.deepEqual([deleted.status, deleted.text], [204, ''])
    assert.equal((await client.get(path)).status, 404)
  })

  test('AUTH-PERM-r2, AUTH-PERM-p1, END-SNIP-3, END-SNIP-4, ERR-EXC-r4, ERR-MSG-r2: without credentials every write is 401', async () => {
    const { client, services } = service()
    const { path } = await create({ code: 'a' })
    const dumpBefore = await dumpTables(services.database)
    for (const [method, url] of [
      ['POST', '/snippets/'],
      ['PUT', path],
      ['PATCH', path],
      ['DELETE', path],
      ['PUT', '/snippets/999999/'],
    ] as const) {
      const response = await client.request(method, url, { json: { code: 'b' } })
      assert.equal(response.status, 401, `${method} ${url}`)
      assert.equal(response.text, '{"detail":"Authentication credentials were not provided."}')
      assert.equal(response.headers['www-authenticate'], 'Token')
    }
    assert.equal(await dumpTables(services.database), dumpBefore)
  })

  test('AUTH-PERM-r3, END-SNIP-4, AUTH-GEN-5, AUTH-GEN-6, ERR-EXC-r5: another user is refused with 403, without a challenge', async () => {
    const { client, services } = service()
    const { path } = await create({ code: 'a' })
    const dumpBefore = await dumpTables(services.database)
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const response = await client.request(method, path, { token: bob, json: { code: 'b' } })
      assert.equal(response.status, 403, method)
      assert.deepEqual(response.json(), { detail: 'You do not have permission to perform this action.' })
      assert.equal(response.headers['www-authenticate'], undefined)
    }
    const invalid = await client.put(path, { token: bob, json: {} })
    assert.equal(invalid.status, 403)
    assert.equal(await dumpTables(services.database), dumpBefore)
  })

  test('END-SNIP-5, AUTH-PERM-r3, END-SNIP-2: the owner check permits GET, HEAD and OPTIONS for every caller', async () => {
    const { client } = service()
    const { path } = await create({ code: 'a' })
    for (const options of [{}, { token: bob }])
      for (const url of [path, '/snippets/', `${path}highlight/`])
        for (const method of ['GET', 'HEAD', 'OPTIONS']) {
          const response = await client.request(method, url, options)
          assert.equal(response.status, 200, `${method} ${url}`)
          assert.equal(response.text === '', method === 'HEAD', `${method} ${url}`)
        }
  })

  test('RES-SNIP-r2, END-SNIP-3, RES-SNIP-r1: owner and id in a body are ignored', async () => {
    const { client } = service()
    const readOnlyFields = { owner: 'bob', owner_id: 2, id: 4711, created: '2000-01-01T00:00:00Z', highlighted: 'mine' }
    const { path, ...snippet } = await create({ code: 'a', ...readOnlyFields })
    assert.deepEqual([snippet.owner, snippet.id === 4711], ['ann', false])
    for (const method of ['PUT', 'PATCH']) {
      const response = await client.request(method, path, { token: ann, json: { code: 'a', ...readOnlyFields } })
      assert.deepEqual([response.status, response.json()], [200, snippet])
    }
    assert.doesNotMatch((await client.get(`${path}highlight/`)).text, /mine/)
  })

  test('END-SNIP-3: the caller becomes the owner of a created snippet', async () => {
    assert.equal((await create({ code: 'a' }, bob)).owner, 'bob')
    const basic = { basic: 'ann:correct horse battery staple' }
    const response = await service().client.post('/snippets/', { ...basic, json: { code: 'b' } })
    assert.deepEqual([response.status, response.json().owner], [201, 'ann'])
  })
})
