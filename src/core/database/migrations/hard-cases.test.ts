// What goes wrong elsewhere: steps that the disk, the size of a table, a type of the database or a long name make hard.

import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { repetitions } from '../../../../test/support/repetitions.ts'
import { createDatabase, createFile } from '../../../../test/support/service.ts'
import type { Database } from '../database.ts'
import type { Change } from '../schema/change.ts'
import { recordBaseline } from './baseline.ts'
import { step } from './declared-step.ts'
import { type MigrateOptions, type Migrations, migrate } from './migrate.ts'
import { openNew, readNames } from './testing.ts'

const create: Change = {
  createTable: 'notes',
  columns: {
    id: 'key',
    parent_id: { type: 'integer', nullable: true, references: { table: 'notes', onDelete: 'cascade' } },
    body: { type: 'text', nullable: true },
  },
}
const first = step({ change: [create] })
const fillBody: Change = { table: 'notes', alterColumn: 'body', type: 'text', fill: 'empty' }

const apply = (database: Database, steps: Migrations, options?: MigrateOptions) =>
  migrate(database, [{ owner: 'notes', steps }], options)

const run = (database: Database, ...texts: readonly string[]) =>
  database.transaction(async ({ kysely }) => {
    for (const text of texts) await sql.raw(text).execute(kysely)
  })

const read = async ({ kysely }: Database, query: string) =>
  (await sql.raw<object>(query).execute(kysely)).rows.map(row => Object.values(row))

const readTable = async ({ kysely, dialect }: Database, table: string) =>
  (await dialect.schema.readState(kysely, [table])).tables[table]!

for (const [name, createStorage] of Object.entries({ SQLite: createFile, PostgreSQL: createDatabase })) {
  suite(`hard cases, ${name}`, () => {
    const open = async (context: TestContext) => {
      const database = await openNew(context, createStorage)
      await apply(database, { '0001': first })
      return database
    }

    test('a table that refers to itself keeps its rows when it changes', async context => {
      const database = await open(context)
      await run(database, "insert into notes (parent_id, body) values (null, 'a'), (1, null), (2, 'c')")
      await apply(database, { '0001': first, '0002': step({ change: [fillBody] }) })
      assert.deepEqual(await read(database, 'select * from notes order by id'), [
        [1, null, 'a'],
        [2, 1, 'empty'],
        [3, 2, 'c'],
      ])
      await run(database, 'delete from notes where id = 1')
      assert.deepEqual(await read(database, 'select * from notes'), [])
    })

    test('a column gets another name and another type in one step', async context => {
      const database = await open(context)
      await run(database, "insert into notes (body) values ('7')")
      const change: readonly Change[] = [
        { table: 'notes', renameColumn: 'body', to: 'size' },
        { table: 'notes', alterColumn: 'size', type: 'integer', nullable: true },
      ]
      await apply(database, { '0001': first, '0002': step({ change }) })
      assert.deepEqual(await read(database, 'select size from notes'), [[7]])
    })

    test('an index with an expression stays', async context => {
      const database = await open(context)
      await run(database, 'create unique index lower_bodies on notes (lower(body))')
      await apply(database, { '0001': first, '0002': step({ change: [fillBody] }) })
      await run(database, "insert into notes (body) values ('a')")
      await assert.rejects(run(database, "insert into notes (body) values ('A')"), /unique/i)
    })

    test('names of 63 bytes, reserved words, quotation marks and emoji work together', async context => {
      const database = await open(context)
      const names = [`${'t'.repeat(62)}é`.slice(1), 'select', `it's "x"`, '💡'.repeat(15)]
      for (const [index, table] of names.entries()) {
        const column = names[(index + 1) % names.length]!
        const steps: readonly (readonly Change[])[] = [
          [
            { createTable: table, columns: { id: 'key', [column]: { type: 'integer', nullable: true } } },
            { table, addIndex: `${table.slice(0, 4)} ${index}`, columns: [column] },
          ],
          [
            { table, addCheck: `${table.slice(0, 4)} check`, sql: `"${column.replaceAll('"', '""')}" > 0` },
            {
              table,
              alterColumn: column,
              type: 'integer',
              references: { table: 'notes', onDelete: 'cascade' },
              fill: 1,
            },
          ],
        ]
        const changes = Object.fromEntries(steps.map((change, number) => [`${number}`, step({ change })]))
        await migrate(database, [{ owner: `names-${index}`, steps: changes }])
        const { columns, indexes, checks } = await readTable(database, table)
        assert.deepEqual(columns[column], { type: 'integer', references: { table: 'notes', onDelete: 'cascade' } })
        assert.deepEqual([Object.keys(indexes).length, Object.keys(checks).length], [1, 1])
      }
    })

    test('on a full disk, a step changes nothing, and runs once there is space', async context => {
      const database = await open(context)
      await run(
        database,
        `insert into notes (body) values ${Array(200)
          .fill(`('${'x'.repeat(500)}')`)
          .join()}`,
      )
      const fillDisk = database.dialect.name === 'sqlite' ? fullDisk.sqlite : fullDisk.postgres
      let text: string = fillDisk.full
      const second = step({ change: [fillBody], run: async kysely => void (await sql.raw(text).execute(kysely)) })
      const third = step({ change: [{ table: 'notes', addColumn: 'copy', type: 'text', fill: { sql: '"body"' } }] })
      const steps = { '0001': first, '0002': second, '0003': third }
      await fillDisk.prepare(database)
      await assert.rejects(apply(database, steps), { name: 'InsufficientStorage' })
      assert.equal((await readTable(database, 'notes')).columns.copy, undefined)
      await fillDisk.free(database)
      text = 'select 1'
      await apply(database, steps)
      assert.deepEqual(await read(database, 'select count(*) from notes where copy = body'), [[200]])
      assert.equal((await readNames(database)).length, 3)
    })

    test('many rows need no memory of the process, and a line says that they take long', async context => {
      const database = await open(context)
      const count = repetitions({ usual: 100_000, thorough: 1_000_000 })
      await run(
        database,
        `insert into notes (body) with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count})
          select case when i % 2 = 0 then 'text ' || i end from n`,
      )
      const sentences: string[] = []
      const before = process.memoryUsage().rss
      const change: readonly Change[] = [
        fillBody,
        { table: 'notes', addColumn: 'state', type: 'text', fill: 'draft' },
        { table: 'notes', addIndex: 'states', columns: ['state', 'body'] },
      ]
      await apply(
        database,
        { '0001': first, '0002': step({ change }) },
        { progress: sentence => void sentences.push(sentence) },
      )
      const grown = (process.memoryUsage().rss - before) / 2 ** 20
      assert.ok(grown < 250, `${grown} MB`)
      assert.deepEqual(await read(database, "select count(*) from notes where state = 'draft' and body is not null"), [
        [count],
      ])
      assert.deepEqual(sentences, [
        'The table "notes" has 100,000 rows or more, so the step "0002" of "notes" may take long.',
      ])
    })
  })
}

/** How each database fills its disk, and gets space again. */
const fullDisk = {
  sqlite: {
    prepare: async () => undefined,
    full: 'pragma max_page_count = 1',
    free: (database: Database) => run(database, 'pragma max_page_count = 1000000'),
  },
  // The server reports what a full disk makes it report.
  postgres: {
    prepare: (database: Database) =>
      run(
        database,
        `create function fill_disk() returns trigger language plpgsql as $$ begin
          raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`,
      ),
    full: 'create trigger full_disk before insert on resource_api_migrations for each row execute function fill_disk()',
    free: async () => undefined,
  },
} as const

suite('types of PostgreSQL', () => {
  test('an extension and an enum type are made by a step, and a column has them', async context => {
    const database = await openNew(context, createDatabase)
    const types = step({
      run: async (kysely, _, { name }) => {
        if (name !== 'postgres') return
        await sql`create extension if not exists citext`.execute(kysely)
        await sql`create type mood as enum ('good', 'bad')`.execute(kysely)
      },
      back: async (kysely, _, { name }) => {
        if (name === 'postgres') await sql`drop type mood`.execute(kysely)
      },
    })
    const citext = { sqlite: 'text collate nocase', postgres: 'citext' }
    const mood = { sqlite: 'text', postgres: 'mood' }
    const columns = { id: 'key', name: citext, mood: { type: mood, default: 'good' } } as const
    const steps = {
      '0001_types': types,
      '0002_users': step({ change: [{ createTable: 'users', columns }] }),
      '0003_label': step({
        run: async (kysely, _, { name: kind }) => {
          if (kind === 'postgres') await sql`alter type mood add value 'fair'`.execute(kysely)
        },
        back: async () => undefined,
      }),
      '0004_name': step({
        change: [{ table: 'users', alterColumn: 'mood', type: mood, nullable: true, default: 'good' }],
      }),
    }
    await apply(database, steps)
    await run(database, "insert into users (name, mood) values ('Ann', 'fair'), ('bob', default)")
    assert.deepEqual(await read(database, "select mood from users where name in ('ANN', 'BOB') order by id"), [
      ['fair'],
      ['good'],
    ])
    await run(database, 'drop table resource_api_migrations')
    assert.deepEqual((await recordBaseline(database, { owner: 'notes', steps }, '0004_name')).differences, [])
  })
})
