import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { createDatabase, createFile } from '../../../../test/support/service.ts'
import { step } from './declared-step.ts'
import { goBack } from './go-back.ts'
import { type Migrations, migrate, type OwnedMigrations } from './migrate.ts'
import { createTable, openNew, readNames } from './testing.ts'

const first = step({ change: [{ createTable: 'articles', columns: { id: 'key', body: 'text' } }] })
const second = step({
  after: ['0001_first'],
  change: [
    { table: 'articles', renameColumn: 'body', to: 'text' },
    { table: 'articles', addColumn: 'state', type: 'text', fill: 'draft' },
    { table: 'articles', addIndex: 'articles_state', columns: ['state'] },
    {
      createTable: 'tags',
      columns: { id: 'key', article_id: { type: 'integer', references: { table: 'articles' } } },
    },
  ],
})
const steps: Migrations = { '0001_first': first, '0002_tags': second }
const blog: OwnedMigrations = { owner: 'blog', steps }

for (const [name, createStorage] of Object.entries({ SQLite: createFile, PostgreSQL: createDatabase })) {
  suite(`going back on ${name}`, () => {
    const open = async (context: TestContext, owner = blog) => {
      const database = await openNew(context, createStorage)
      await migrate(database, [owner])
      const run = async (text: string) => {
        const { rows } = await database.transaction(({ kysely }) => sql<object>`${sql.raw(text)}`.execute(kysely))
        return rows.map(row => ({ ...row }))
      }
      return { database, run }
    }

    test('undoes what the steps did, keeps the rows, and forth leads to the same again', async context => {
      const { database, run } = await open(context)
      await run(`insert into articles (text, state) values ('one', 'draft')`)
      const sentences: string[] = []
      const report = (sentence: string) => void sentences.push(sentence)
      assert.deepEqual(await goBack(database, blog, '0001_first', { report }), ['0002_tags'])
      assert.deepEqual(sentences, ['Took back blog: 0002_tags.'])
      assert.deepEqual(await run('select * from articles'), [{ id: 1, body: 'one' }])
      assert.deepEqual(await readNames(database), ['blog/0001_first'])
      await migrate(database, [blog])
      assert.deepEqual(await run('select text, state from articles'), [{ text: 'one', state: 'draft' }])
    })

    test('names the data that would be lost, and changes nothing unless it may be lost', async context => {
      const { database, run } = await open(context)
      await run(`insert into articles (text, state) values ('one', 'live'), ('two', 'draft')`)
      await run('insert into tags (article_id) values (1)')
      await assert.rejects(goBack(database, blog, '0001_first'), {
        name: 'NoWayBack',
        message:
          'taking back the step "0002_tags" of "blog" loses data: the column "state" of "articles", which it created, has values in 1 row; the table "tags", which it created, has 1 row. Copy it, or lose it with --lose-data',
      })
      assert.deepEqual(await readNames(database), ['blog/0001_first', 'blog/0002_tags'])
      await goBack(database, blog, undefined, { losesData: true })
      assert.deepEqual(await database.catalogue.names(), ['resource_api_migrations'])
      assert.deepEqual(await readNames(database), [])
    })

    test('a column comes back with the value that it gets', async context => {
      const drop = step({ change: [{ table: 'articles', dropColumn: 'text' }] })
      const owner: OwnedMigrations = { owner: 'blog', steps: { ...steps, '0003_drop': drop } }
      const { database, run } = await open(context, owner)
      await run(`insert into articles (state) values ('live')`)
      await assert.rejects(goBack(database, owner, '0002_tags'), { name: 'FailedMigration', message: /text/ })
      await goBack(database, owner, '0002_tags', { fills: new Map([['articles.text', 'lost']]) })
      assert.deepEqual(await run('select text, state from articles'), [{ text: 'lost', state: 'live' }])
    })

    test('a step that was edited or removed after it ran is taken back as it ran', async context => {
      const { database } = await open(context)
      const edited: OwnedMigrations = {
        owner: 'blog',
        steps: { '0001_first': first, '0002_tags': step({ change: [] }) },
      }
      assert.deepEqual(await goBack(database, edited, '0001_first'), ['0002_tags'])
      await migrate(database, [blog])
      assert.deepEqual(await goBack(database, { owner: 'blog', steps: { '0001_first': first } }, '0001_first'), [
        '0002_tags',
      ])
      assert.deepEqual(await readNames(database), ['blog/0001_first'])
      const other: OwnedMigrations = { owner: 'blog', steps: { ...steps, '0001_first': step({ change: [] }) } }
      await migrate(database, [blog])
      await assert.rejects(goBack(database, other, '0001_first'), {
        name: 'UnusableDatabase',
        message: /has changed since then/,
      })
    })

    test('goes back to a step that runs nothing, such as one that joins two branches', async context => {
      const merged = { ...steps, '0003_merge': step({ after: ['0002_tags'] }) }
      const drop = step({ change: [{ table: 'articles', dropIndex: 'articles_state' }] })
      const owner: OwnedMigrations = { owner: 'blog', steps: { ...merged, '0004_drop': drop } }
      const { database } = await open(context, owner)
      assert.deepEqual(await goBack(database, owner, '0003_merge'), ['0004_drop'])
      await assert.rejects(goBack(database, owner, '0004_drop'), { message: /^the database has not applied the step/ })
    })

    test('a function that only created tables is taken back', async context => {
      const create = createTable('things')
      const owner: OwnedMigrations = { owner: 'things', steps: { '0001_things': create } }
      const { database } = await open(context, owner)
      assert.deepEqual(await goBack(database, owner, undefined), ['0001_things'])
      assert.deepEqual(await database.catalogue.names(), ['resource_api_migrations'])
    })

    test('a step that runs code needs its own way back; without one, no step is taken back', async context => {
      const run = async () => {}
      const calls: string[] = []
      const back = async () => void calls.push('back')
      const data = step({ change: [{ dropTable: 'tags' }], run, back })
      const owner: OwnedMigrations = { owner: 'blog', steps: { ...steps, '0003_data': data } }
      const { database } = await open(context, owner)
      const noWay = {
        owner: 'other',
        steps: { '0001_x': step({ change: [{ createTable: 'x', columns: { id: 'key' } }], run }) },
      }
      await migrate(database, [noWay])
      await assert.rejects(goBack(database, noWay, undefined), {
        name: 'NoWayBack',
        message:
          'the step "0001_x" of "other" runs code, and has no way back: give it "back", or write a step that undoes it',
      })
      assert.deepEqual(calls, [])
      await goBack(database, owner, '0002_tags')
      assert.deepEqual(calls, ['back'])
      await assert.rejects(goBack(database, owner, '0009_x'), {
        message: 'the database has not applied the step "0009_x" of "blog"',
      })
    })
  })

  suite(`squashed steps on ${name}`, () => {
    const change = [...first.change!, ...second.change!]
    const both = step({ replaces: ['0001_first', '0002_tags'], change })
    const squashed: OwnedMigrations = { owner: 'blog', steps: { '0001_to_0002': both } }

    test('count as applied where all of them were; a new database runs the one instead', async context => {
      const database = await openNew(context, createStorage)
      await migrate(database, [blog])
      assert.deepEqual(await migrate(database, [squashed]), [])
      assert.deepEqual(await readNames(database), ['blog/0001_to_0002'])
      assert.deepEqual(await migrate(database, [squashed]), [])
      const other = await openNew(context, createStorage)
      assert.deepEqual(await migrate(other, [squashed]), [{ owner: 'blog', steps: ['0001_to_0002'] }])
    })

    test('are refused where only some of them were applied', async context => {
      const database = await openNew(context, createStorage)
      await migrate(database, [{ owner: 'blog', steps: { '0001_first': first } }])
      await assert.rejects(migrate(database, [squashed]), {
        name: 'UnusableDatabase',
        message:
          'the database has applied only some of the steps that "0001_to_0002" of "blog" replaces, and not 0002_tags: migrate it with the program from before they were squashed',
      })
    })
  })
}
