// Lists of tables whose key is no integer: SQLite finds a row faster by its rowid, which not every table has.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { key, limitOffset, type Migrations, resource, text, textKey } from 'resource-api'
import { testApi } from 'resource-api/testing'

const names = ['plain', 'without', 'named', 'shown'] as const

const migrations: Migrations = {
  async '0001_tables'({ schema }) {
    for (const name of ['plain', 'without', 'named'])
      await schema
        .createTable(name)
        .addColumn('id', 'text', column => column.primaryKey().notNull())
        .addColumn(name === 'named' ? 'rowid' : 'title', 'text', column => column.notNull())
        .modifyEnd(name === 'without' ? sql`without rowid` : sql``)
        .execute()
    await schema
      .createView('shown')
      .as(sql`select id, title from plain` as never)
      .execute()
  },
}

const resources = names.map(name =>
  resource(name, {
    table: name,
    key: textKey(),
    fields: { id: key(), title: text({ column: name === 'named' ? 'rowid' : 'title' }) },
    actions: name === 'shown' ? ['list'] : ['list', 'create'],
    ordering: ['title'],
    pagination: limitOffset({ defaultLimit: 2 }),
  }),
)

interface Page {
  readonly results: readonly { readonly id: string }[]
}

test('lists contain the rows of every kind of table in their order', async () => {
  await using api = await testApi({ resources, migrations }, { database: 'sqlite' })
  for (const name of ['plain', 'without', 'named'])
    for (const id of ['a', 'b', 'c']) await api.post(`/${name}/`, { id, title: `${4 - 'abc'.indexOf(id)}` }).expect(201)
  for (const name of names) {
    const found: string[] = []
    const statements = await api.statements(async () => {
      for (const offset of [0, 2]) {
        const page = (await api.get(`/${name}/?offset=${offset}`).expect(200).json()) as Page
        found.push(...page.results.map(({ id }) => id))
      }
    })
    assert.deepEqual(found, ['c', 'b', 'a'], name)
    assert.equal(
      statements.some(statement => statement.includes('."rowid" as "page row"')),
      name === 'plain',
      name,
    )
  }
})
