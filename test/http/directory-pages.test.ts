// Pagination of the directory's lists in pages of ten (LIM-PAG-r1, END-LIST), and the number of SQL statements.

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { directory } from 'resource-api/directory'
import { onEveryDatabase, type TestService } from '../support/service.ts'

async function addGroups({ services }: TestService, count: number) {
  const names = Array.from({ length: count }, (_, index) => `group ${String(index + 1).padStart(2, '0')}`)
  await services.database.transaction(async ({ kysely }) => {
    await kysely
      .insertInto('groups')
      .values(names.map(name => ({ name })))
      .execute()
  })
}

onEveryDatabase({ profiles: ['directory'] }, service => {
  let token: string

  before(async () => {
    token = (await service().createUser('ann')).key
    await addGroups(service(), 25)
  })

  const groups = async (query: string) => (await service().client.get(`/groups/${query}`, { token })).json()

  test('LIM-PAG-r1, END-LIST-r1, END-LIST-r4: a page has ten items and the total count', async () => {
    const { count, results } = await groups('')
    assert.deepEqual([count, results.length, results[0].name, results[9].name], [25, 10, 'group 01', 'group 10'])
    assert.deepEqual(Object.keys(results[0]), ['url', 'name'])
    const last = await groups('?page=3')
    assert.deepEqual([last.count, last.results.length, last.results[4].name], [25, 5, 'group 25'])
  })

  test('LIM-PAG-r1, END-LIST-r2, END-LIST-r3: absolute links lead to the next and the previous page', async () => {
    const { origin } = service().client
    const links = async (query: string) => {
      const { next, previous } = await groups(query)
      return [previous, next]
    }
    assert.deepEqual(await links(''), [null, `${origin}/groups/?page=2`])
    assert.deepEqual(await links('?page=1'), [null, `${origin}/groups/?page=2`])
    assert.deepEqual(await links('?page=2'), [`${origin}/groups/`, `${origin}/groups/?page=3`])
    assert.deepEqual(await links('?page=3'), [`${origin}/groups/?page=2`, null])
    assert.deepEqual(await links('?a=%C3%A9&page=3&b='), [`${origin}/groups/?a=%C3%A9&page=2&b=`, null])
    assert.deepEqual(await groups('?page=last'), await groups('?page=3'))
  })

  test('LIM-PAG-r1: following the links returns every item once', async () => {
    const names: string[] = []
    const { origin } = service().client
    for (let url: string | null = `${origin}/groups/`; url !== null; ) {
      const page = await groups(url.slice(`${origin}/groups/`.length))
      names.push(...page.results.map(({ name }: { name: string }) => name))
      url = page.next
    }
    assert.deepEqual([names.length, new Set(names).size], [25, 25])
    assert.deepEqual(names, names.toSorted())
  })
})

suite('SQL statements', () => {
  onEveryDatabase({ profiles: ['directory'] }, service => {
    test('SVC-1: after authentication, a page or an object needs one statement', async () => {
      const { client, statements, createUser } = service()
      const { id, key: token } = await createUser('ann')
      for (let index = 0; index < 14; index++) await createUser(`user${index}`)
      const group = (await client.post('/groups/', { token, json: { name: 'all' } })).json().url
      await client.patch(`/users/${id}/`, { token, json: { groups: [group] } })

      for (const url of ['/users/', '/users/?page=2', '/groups/', `/users/${id}/`, new URL(group).pathname]) {
        statements.length = 0
        assert.equal((await client.get(url, { token })).status, 200)
        assert.deepEqual([statements.length, /from "?tokens/.test(statements[0]!)], [2, true], url)
      }
      statements.length = 0
      assert.equal((await client.get('/', { token })).status, 200)
      assert.equal(statements.length, 1)
    })

    test('LIM-PAG-r1: an empty list is one empty page', async () => {
      const { client, createUser, services } = service()
      const { key: token } = await createUser('zoe')
      await services.database.transaction(async ({ kysely }) => {
        await kysely.deleteFrom('groups').execute()
      })
      const empty = { count: 0, next: null, previous: null, results: [] }
      assert.deepEqual((await client.get('/groups/', { token })).json(), empty)
      assert.deepEqual((await client.get('/groups/?page=last', { token })).json(), empty)
    })
  })
})

suite('page size', () => {
  onEveryDatabase({ profiles: [directory({ pageSize: 7 })] }, service => {
    test('LIM-PAG-r1: the page size is a setting that query parameters cannot change', async () => {
      const { client, createUser } = service()
      const { key: token } = await createUser('ann')
      await addGroups(service(), 8)
      for (const query of ['', '?page_size=100', '?limit=100']) {
        const { count, results } = (await client.get(`/groups/${query}`, { token })).json()
        assert.deepEqual([count, results.length], [8, 7])
      }
    })
  })
})
