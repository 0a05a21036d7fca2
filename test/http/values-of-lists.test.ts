// A request reads the values of each row filter once, so its cached page belongs to these values.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { integer, key, type Migrations, type Permission, pageNumber, readOnly, related, resource } from 'resource-api'
import { onEachDatabase } from '../support/own-api.ts'

const migrations: Migrations = {
  async '0001_items'(kysely, { key, reference }) {
    await kysely.schema.createTable('groups').addColumn('id', key).addColumn('owner', 'integer').execute()
    await kysely.schema
      .createTable('items')
      .addColumn('id', key)
      .addColumn('owner', 'integer')
      .addColumn('group_id', reference)
      .execute()
    await sql`insert into groups (owner) values (1), (2)`.execute(kysely)
    await sql`insert into items (owner, group_id) values (1, 1), (2, 2)`.execute(kysely)
  },
}

// Each reading finds the next owner, as if the owner changed between two readings.
const owners: number[] = []
const ownRows: Permission = {
  filter: {
    where: ({ column, value }) => sql`${column('owner')} = ${value('owner')}`,
    values: () => ({ owner: owners.shift() ?? 0 }),
  },
}

const groups = resource('groups', { table: 'groups', fields: { id: readOnly(key()) }, permissions: [ownRows] })

onEachDatabase(
  () => ({
    resources: [
      groups,
      resource('items', {
        table: 'items',
        fields: { id: readOnly(key()), owner: integer() },
        permissions: [ownRows],
        filters: { owner: ['gte'] },
      }),
      resource('grouped', {
        table: 'items',
        fields: { id: readOnly(key()), group: related(groups, { nullable: true }) },
        filters: { id: ['gte'] },
      }),
    ],
    pagination: pageNumber({ pageSize: 10 }),
  }),
  api => {
    beforeEach(() => {
      owners.length = 0
    })

    const read = async (path: string) => (await api().client.get(path)).json().results

    test('a filtered page is cached for the values with which it was read', async () => {
      owners.push(1, 2)
      assert.deepEqual(await read('/items/?owner__gte=0'), [{ id: 1, owner: 1 }])
      assert.deepEqual(owners, [2])
      assert.deepEqual(await read('/items/?owner__gte=0'), [{ id: 2, owner: 2 }])
      owners.push(1)
      assert.deepEqual(await read('/items/?owner__gte=0'), [{ id: 1, owner: 1 }])
    })

    test('so are the values of related resources', async () => {
      const shown = (ownGroup: number | null, otherGroup: number | null) => [
        { id: 1, group: ownGroup },
        { id: 2, group: otherGroup },
      ]
      owners.push(1, 2)
      assert.deepEqual(await read('/grouped/?id__gte=0'), shown(1, null))
      assert.deepEqual(owners, [2])
      assert.deepEqual(await read('/grouped/?id__gte=0'), shown(null, 2))
    })
  },
  { migrations },
)
