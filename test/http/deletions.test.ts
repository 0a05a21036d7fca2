// What the administration says before a deletion: what else is deleted, changed, or prevents it.

import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { integerKey, type Migrations } from 'resource-api'
import { countDeletion } from '#core'
import { maxCountedRows } from '../../src/core/resource/sql/count-rows.ts'
import { createPeople, type People } from '../support/administration.ts'
import { onEachDatabase } from '../support/own-api.ts'
import { onEveryDatabase } from '../support/service.ts'

const migrations: Migrations = {
  async '0001_tables'({ schema }, { key, reference }) {
    await schema.createTable('roots').addColumn('id', key).execute()
    await schema
      .createTable('branches')
      .addColumn('id', key)
      .addColumn('root_id', reference, column => column.notNull().references('roots.id').onDelete('cascade'))
      .addColumn('branch_id', reference, column => column.references('branches.id').onDelete('cascade'))
      .execute()
    await schema
      .createTable('leaves')
      .addColumn('id', key)
      .addColumn('branch_id', reference, column => column.references('branches.id').onDelete('cascade'))
      .addColumn('root_id', reference, column => column.references('roots.id').onDelete('set null'))
      .execute()
    await schema
      .createTable('nests')
      .addColumn('id', key)
      .addColumn('branch_id', reference, column => column.references('branches.id'))
      .execute()
  },
}

suite('foreign keys', () => {
  onEachDatabase(
    () => ({ permissions: [] }),
    api => {
      const roots = { table: 'roots', key: integerKey() }
      const count = () => countDeletion(api().database, roots, [1])

      beforeEach(async () => {
        await api().database.transaction(async ({ kysely }) => {
          for (const table of ['nests', 'leaves', 'branches', 'roots']) await kysely.deleteFrom(table).execute()
        })
        await api().insert('roots', [{ id: 1 }, { id: 2 }])
      })

      test('an object to which nothing refers', async () => {
        assert.deepEqual(await count(), { deletes: [], changes: [], prevents: [] })
      })

      test('cascades are followed, references that become null are changes, and others prevent the deletion', async () => {
        await api().insert('branches', [
          { id: 1, root_id: 1, branch_id: null },
          { id: 2, root_id: 1, branch_id: 1 },
          { id: 3, root_id: 2, branch_id: 1 },
          { id: 4, root_id: 2, branch_id: null },
        ])
        await api().insert('leaves', [
          { branch_id: 1, root_id: 1 },
          { branch_id: 3, root_id: 2 },
          { branch_id: 4, root_id: 1 },
          { branch_id: 4, root_id: 2 },
        ])
        await api().insert('nests', [{ branch_id: 2 }, { branch_id: 4 }])
        assert.deepEqual(await count(), {
          deletes: [
            { table: 'branches', count: 3, hasMore: false },
            { table: 'leaves', count: 2, hasMore: false },
          ],
          changes: [{ table: 'leaves', count: 1, hasMore: false }],
          prevents: [{ table: 'nests', count: 1, hasMore: false }],
        })
      })

      test('several objects are counted together, and none of them counts', async () => {
        await api().insert('branches', [
          { id: 1, root_id: 1, branch_id: null },
          { id: 2, root_id: 1, branch_id: 1 },
          { id: 3, root_id: 2, branch_id: 2 },
        ])
        await api().insert('nests', [{ branch_id: 1 }, { branch_id: 2 }, { branch_id: 3 }])
        const branches = { table: 'branches', key: integerKey() }
        assert.deepEqual(await countDeletion(api().database, branches, [1, 2]), {
          deletes: [{ table: 'branches', count: 1, hasMore: false }],
          changes: [],
          prevents: [{ table: 'nests', count: 3, hasMore: false }],
        })
        assert.deepEqual((await countDeletion(api().database, roots, [1, 2])).deletes, [
          { table: 'branches', count: 3, hasMore: false },
        ])
        assert.deepEqual(await countDeletion(api().database, roots, []), { deletes: [], changes: [], prevents: [] })
      })

      test('counts end at ten thousand', async () => {
        const rows = Array.from({ length: maxCountedRows + 1 }, () => ({ branch_id: null, root_id: 1 }))
        for (let start = 0; start < rows.length; start += 1000)
          await api().insert('leaves', rows.slice(start, start + 1000))
        assert.deepEqual((await count()).changes, [{ table: 'leaves', count: maxCountedRows, hasMore: true }])
      })
    },
    { migrations },
  )
})

suite('the administration', () => {
  onEveryDatabase({}, service => {
    let people: People
    beforeEach(async () => {
      people = await createPeople(service())
    })

    test('the deletion of a user names what goes with it', async () => {
      const { client, services } = service()
      const { id, key } = people.ann
      await services.accounts.sessions.start(id)
      for (const code of ['a', 'b']) await client.post('/snippet/snippets/', { token: key, json: { code } })
      const response = await client.get(`/admin/users/${id}/deletion/`, { token: people.root.key })
      assert.deepEqual(response.json(), {
        deletes: [
          { name: 'sessions', resource: 'sessions', count: 1, has_more: false },
          { name: 'snippets', resource: 'snippets', count: 2, has_more: false },
          { name: 'tokens', resource: 'tokens', count: 1, has_more: false },
          { name: 'user_groups', resource: null, count: 1, has_more: false },
        ],
        changes: [],
        prevents: [],
        files: 0,
      })
    })

    test('SVC-3: only staff who may delete the object may ask', async () => {
      const { client } = service()
      const json = { code: 'x' }
      const { id } = (await client.post('/snippet/snippets/', { token: people.ann.key, json })).json()
      const url = `/admin/snippets/${id}/deletion/`
      for (const [token, status] of [
        [people.ann.key, 403],
        [people.stan.key, 200],
        [undefined, 401],
      ] as const)
        assert.equal((await client.get(url, token === undefined ? {} : { token })).status, status)
    })
  })
})
