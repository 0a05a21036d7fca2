// Concurrent requests: one succeeds, and the others get an error response (RES-GAP-b1, END-GAP-b3).

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { onEveryService } from '../support/service.ts'
import { countRows } from '../support/tables.ts'

const runConcurrently = <Result>(count: number, task: (index: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => task(index)))

onEveryService({}, service => {
  let token: string

  before(async () => {
    token = (await service().createUser('ann')).key
  })

  test('RES-GAP-b1: one of twenty concurrent creates of the same name succeeds', async () => {
    const { client, services } = service()
    for (const [table, url, json, message] of [
      ['users', '/directory/users/', { username: 'bob' }, { username: ['A user with that username already exists.'] }],
      ['groups', '/directory/groups/', { name: 'all' }, { name: ['group with this name already exists.'] }],
    ] as const) {
      const rows = await countRows(services.database, table)
      const responses = await runConcurrently(20, () => client.post(url, { token, json }))
      const refused = responses.filter(({ status }) => status !== 201)
      assert.equal(refused.length, 19)
      for (const response of refused) assert.deepEqual([response.status, response.json()], [400, message])
      assert.equal(await countRows(services.database, table), rows + 1)
    }
  })

  test('RES-GAP-b1: one of two concurrent renames to the same name succeeds', async () => {
    const { client } = service()
    const urls = await runConcurrently(
      2,
      async index => (await client.post('/directory/groups/', { token, json: { name: `g${index}` } })).json().url,
    )
    const responses = await runConcurrently(2, index =>
      client.put(new URL(urls[index]!).pathname, { token, json: { name: 'wanted' } }),
    )
    assert.deepEqual(responses.map(({ status }) => status).toSorted(), [200, 400])
  })

  test('END-GAP-b3: one of ten concurrent deletes of the same object succeeds', async () => {
    const { client } = service()
    const { url } = (await client.post('/directory/groups/', { token, json: { name: 'gone' } })).json()
    const responses = await runConcurrently(10, () => client.delete(new URL(url).pathname, { token }))
    assert.deepEqual(responses.map(({ status }) => status).toSorted(), [204, ...Array(9).fill(404)])
  })

  test('RES-DUSER-r4: a group that is deleted while users join it has no members', async () => {
    const { client, services } = service()
    const { url } = (await client.post('/directory/groups/', { token, json: { name: 'short-lived' } })).json()
    const [deleted, ...joined] = await Promise.all([
      client.delete(new URL(url).pathname, { token }),
      ...Array.from({ length: 8 }, (_, index) =>
        client.post('/directory/users/', { token, json: { username: `joiner${index}`, groups: [url] } }),
      ),
    ])
    assert.equal(deleted.status, 204)
    for (const response of joined) {
      if (response.status === 201) continue
      const message = 'Invalid hyperlink - Object does not exist.'
      assert.deepEqual([response.status, response.json()], [400, { groups: [message] }])
    }
    assert.equal(await countRows(services.database, 'user_groups'), 0)
  })

  test('RES-SNIP-r8: after concurrent changes, the highlighted page matches the stored snippet', async () => {
    const { client } = service()
    const created = await client.post('/snippet/snippets/', { token, json: { code: 'start' } })
    const path = new URL(created.headers.location!).pathname
    const responses = await runConcurrently(12, index => {
      const json = [{ title: `title ${index}` }, { code: `code_${index}` }, { linenos: index % 2 === 0 }][index % 3]!
      return client.patch(path, { token, json })
    })
    assert.ok(responses.every(({ status }) => status === 200))
    const snippet = (await client.get(path)).json()
    const page = (await client.get(`${path}highlight/`)).text
    assert.ok(page.includes(`<title>${snippet.title || 'Snippet'}</title>`))
    assert.ok(page.includes(snippet.code))
    assert.equal(page.includes('<table>'), snippet.linenos)
  })
})
