// Steps whose changes are data, and folders of steps.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import { createDatabase, createFile } from '../../../../test/support/service.ts'
import type { Database } from '../database.ts'
import type { Change } from '../schema/change.ts'
import { type DeclaredStep, step } from './declared-step.ts'
import { inspectMigrations, type MigrateOptions, type Migrations, migrate, type OwnedMigrations } from './migrate.ts'
import { readSteps } from './read-steps.ts'
import { openNew, readNames } from './testing.ts'

const createArticles: Change = { createTable: 'articles', columns: { id: 'key', title: 'text' } }
const addState: Change = { table: 'articles', addColumn: 'state', type: 'text', fill: 'draft' }
const first = step({ change: [createArticles] })

const toOwners = (steps: OwnedMigrations['steps']): readonly OwnedMigrations[] => [{ owner: 'blog', steps }]

async function develop(database: Database, steps: Migrations): Promise<readonly string[]> {
  const sentences: string[] = []
  const options: MigrateOptions = { mode: 'development', report: sentence => void sentences.push(sentence) }
  await migrate(database, toOwners(steps), options)
  return sentences
}

const write = (database: Database, text: string) =>
  database.transaction(async ({ kysely }) => void (await sql.raw(text).execute(kysely)))

const readRows = async ({ kysely }: Database, table: string) =>
  (await sql<object>`select * from ${sql.table(table)} order by id`.execute(kysely)).rows.map(row => ({ ...row }))

for (const [name, createStorage] of Object.entries({ SQLite: createFile, PostgreSQL: createDatabase })) {
  suite(`declared steps, ${name}`, () => {
    const open = (context: TestContext) => openNew(context, createStorage)

    test('the changes of a step run, and then its function', async context => {
      const database = await open(context)
      const insert: DeclaredStep['run'] = async kysely =>
        void (await sql`insert into articles (title, state) values ('a', 'live')`.execute(kysely))
      const steps = { '0001_first': first, '0002_state': step({ change: [addState], run: insert }) }
      assert.deepEqual(await migrate(database, toOwners(steps)), [
        { owner: 'blog', steps: ['0001_first', '0002_state'] },
      ])
      assert.deepEqual(await migrate(database, toOwners(steps)), [])
      assert.deepEqual(await readRows(database, 'articles'), [{ id: 1, title: 'a', state: 'live' }])
    })

    test('a step that was a function is the same step if it names the digest that the database has recorded', async context => {
      const database = await open(context)
      await migrate(
        database,
        toOwners({
          '0001_first': ({ schema }, { key, text }) =>
            schema
              .createTable('articles')
              .addColumn('id', key)
              .addColumn('title', text, column => column.notNull())
              .execute(),
        }),
      )
      const { digest } = await database.kysely
        .selectFrom('resource_api_migrations')
        .select('digest')
        .executeTakeFirstOrThrow()
      await assert.rejects(migrate(database, toOwners({ '0001_first': first })), /"0001_first" .* has changed/)
      const steps = { '0001_first': step({ ...first, formerDigests: ['1-other', digest] }) }
      const owners = toOwners({ ...steps, '0002_state': step({ change: [addState] }) })
      assert.deepEqual((await inspectMigrations(database, owners)).problems, [])
      assert.deepEqual(await migrate(database, owners), [{ owner: 'blog', steps: ['0002_state'] }])
      assert.deepEqual(await migrate(database, owners), [])
      assert.deepEqual(await develop(database, { ...steps, '0002_state': step({ change: [addState] }) }), [])
    })

    test('a step that is only written in another way has not changed; one that asks for something else has', async context => {
      const database = await open(context)
      await migrate(database, toOwners({ '0001_first': first }))
      const rewritten = step({ change: [{ columns: { id: { type: 'key' }, title: 'text' }, createTable: 'articles' }] })
      assert.deepEqual(await migrate(database, toOwners({ '0001_first': rewritten })), [])
      for (const columns of [{ id: 'key', name: 'text' } as const, { title: 'text', id: 'key' } as const])
        await assert.rejects(
          migrate(database, toOwners({ '0001_first': step({ change: [{ createTable: 'articles', columns }] }) })),
          /has changed since then/,
        )
    })

    test('a step that only joins others, or only says what others did, is never recorded, and nothing is said', async context => {
      const database = await open(context)
      const steps: Migrations = {
        '0001_first': first,
        '0002_state': step({ state: [addState] }),
        '0003_join': step({ after: ['0001_first', '0002_state'] }),
        '0004_empty': step({}),
      }
      assert.deepEqual(await develop(database, steps), [
        'Applied blog: 0001_first.',
        'The step "0004_empty" of "blog" runs no statement, so it is not recorded.',
      ])
      assert.deepEqual(await readNames(database), ['blog/0001_first'])
      const { missing, empty } = await inspectMigrations(database, toOwners(steps))
      assert.deepEqual([missing, empty], [[], [{ owner: 'blog', steps: ['0004_empty'] }]])
    })

    test('what is no step is named', async context => {
      const database = await open(context)
      const steps = { '0001_first': 'create table x' as never }
      await assert.rejects(migrate(database, toOwners(steps)), {
        message: 'the step "0001_first" of the migrations of "blog" is no step: write `step({ … })`, or a function',
      })
    })

    test('a renamed step keeps its record', async context => {
      const database = await open(context)
      await migrate(database, toOwners({ '0001_x': first }))
      const renamed = { '0001_first': step({ ...first, formerNames: ['0001_x'] }) }
      assert.deepEqual(await migrate(database, toOwners(renamed)), [])
      assert.deepEqual(await readNames(database), ['blog/0001_first'])
    })

    suite('in development,', () => {
      const changes: readonly Change[] = [
        { table: 'articles', renameColumn: 'title', to: 'name' },
        addState,
        { table: 'articles', addColumn: 'stars', type: 'integer', nullable: true },
        { table: 'articles', addIndex: 'articles_in_order', columns: ['-name', 'id'] },
        { table: 'articles', addCheck: 'articles_named', sql: `"name" <> ''` },
        { createTable: 'tags', columns: { id: 'key', name: 'text' } },
        { createView: 'names', sql: 'select "name" from "articles"' },
      ]

      test('a changed step is taken back and runs again, if no data is lost', async context => {
        const database = await open(context)
        await develop(database, { '0001_first': first })
        await write(database, "insert into articles (title) values ('a'), ('b')")
        await develop(database, { '0001_first': first, '0002_more': step({ change: changes }) })
        const changed = { '0001_first': first, '0002_more': step({ change: changes.slice(1, 3) }) }
        assert.deepEqual(await develop(database, changed), ['Took back blog: 0002_more.', 'Applied blog: 0002_more.'])
        assert.deepEqual(await readRows(database, 'articles'), [
          { id: 1, title: 'a', state: 'draft', stars: null },
          { id: 2, title: 'b', state: 'draft', stars: null },
        ])
        assert.equal((await database.catalogue.names()).includes('tags'), false)
      })

      test('a step is not taken back if rows or values would be lost', async context => {
        const cases = {
          "insert into tags (name) values ('x')": 'the table "tags", which it created, has 1 row',
          "update articles set state = 'live' where id = 2":
            'the column "state" of "articles", which it created, has values in 1 row',
          'update articles set stars = 3': 'the column "stars" of "articles", which it created, has values in 2 rows',
        }
        for (const [text, obstacle] of Object.entries(cases)) {
          const database = await open(context)
          await develop(database, { '0001_first': first })
          await write(database, "insert into articles (title) values ('a'), ('b')")
          await develop(database, { '0001_first': first, '0002_more': step({ change: changes }) })
          await write(database, text)
          const before = await readRows(database, 'articles')
          await assert.rejects(develop(database, { '0001_first': first }), ({ message }: Error) =>
            message.includes(`cannot be taken back, because ${obstacle}: `),
          )
          assert.deepEqual(await readRows(database, 'articles'), before)
        }
      })

      test('a step that dropped or altered something, or that ran statements, is not taken back', async context => {
        for (const change of [
          step({ change: [{ table: 'articles', dropColumn: 'title' }] }),
          step({ change: [{ table: 'articles', alterColumn: 'title', type: 'text', nullable: true }] }),
          step({ run: async kysely => void (await sql`create table other (id integer)`.execute(kysely)) }),
        ]) {
          const database = await open(context)
          await develop(database, { '0001_first': first, '0002_more': change })
          await assert.rejects(
            develop(database, { '0001_first': first }),
            /cannot be taken back, because it did more than create/,
          )
        }
      })
    })
  })
}

suite('a folder of steps', () => {
  const createFolder = async (context: TestContext, files: Readonly<Record<string, string>>) => {
    const folder = await mkdtemp(join(tmpdir(), 'resource-api-steps-'))
    context.after(() => rm(folder, { recursive: true }))
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
    return folder
  }
  const table = (name: string) =>
    `export default { change: [{ createTable: '${name}', columns: { id: 'key' } }] } satisfies object`

  test('is read in the order of the names, without tests, declarations and an index', async context => {
    const folder = await createFolder(context, {
      '0002_tags.ts': table('tags'),
      '0001_first.mts': table('articles'),
      '0003_more.js': 'export default async kysely => {}',
      ...{ '0001_first.test.ts': 'wrong', 'index.ts': 'wrong', '0001_first.d.ts': 'wrong', '.hidden': 'wrong' },
    })
    for (const steps of [folder, pathToFileURL(folder), pathToFileURL(folder).href])
      assert.deepEqual(Object.keys(await readSteps(steps)), ['0001_first', '0002_tags', '0003_more'])
    const database = await openNew(context, createFile)
    assert.deepEqual(await migrate(database, toOwners(folder)), [{ owner: 'blog', steps: ['0001_first', '0002_tags'] }])
  })

  for (const [message, files] of Object.entries({
    'the file has no default export: write `export default step({ … })`': { '0001_first.ts': 'export const step = {}' },
    'the default export is not a step: write `export default step({ … })`, or a function': {
      '0001_first.ts': 'export default { changes: [] }',
    },
    'this is not the name of a step: write four digits, an underscore and a name, as in 0002_article_state.ts; or move the file to another folder':
      { 'first.ts': table('articles') },
    'another file has the step "0001_first" too: remove one': {
      '0001_first.js': 'export default {}',
      '0001_first.ts': 'export default {}',
    },
  }))
    test(message, async context => {
      const folder = await createFolder(context, files)
      await assert.rejects(readSteps(folder), { message: `${join(folder, Object.keys(files).at(-1)!)}: ${message}` })
    })

  test('that does not exist is an error', async context => {
    const folder = await createFolder(context, {})
    await assert.rejects(readSteps(join(folder, 'nothing')), {
      message: new RegExp(`^the folder ${join(folder, 'nothing')} with migration steps cannot be read: ENOENT`),
    })
  })
})
