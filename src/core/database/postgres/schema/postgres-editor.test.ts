// What only PostgreSQL has: statements that block a table are short, and what reads all rows follows the commit.

import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { createDatabase } from '../../../../../test/support/service.ts'
import type { Database, SchemaSession } from '../../database.ts'
import { step } from '../../migrations/declared-step.ts'
import { type MigrateOptions, migrate } from '../../migrations/migrate.ts'
import type { Change } from '../../schema/change.ts'
import { openPostgres } from '../postgres.ts'

interface Opened {
  readonly database: Database
  readonly url: string
  /** The statements that have run since the last call. */
  readStatements(): readonly string[]
}

const create: readonly Change[] = [
  {
    createTable: 'articles',
    columns: { id: 'key', title: 'text', stars: { type: 'integer', nullable: true } },
    indexes: { articles_title: { columns: ['title'] } },
  },
]

async function open(context: TestContext, ...texts: readonly string[]): Promise<Opened> {
  const storage = await createDatabase()
  let statements: string[] = []
  const database = openPostgres({ url: storage.url, observe: text => void statements.push(text) })
  context.after(async () => {
    await database.close()
    await storage.remove()
  })
  await apply(database)
  await run(database, "insert into articles (title, stars) values ('a', 1), ('b', 2)", ...texts)
  const readStatements = () => {
    const found = statements
    statements = []
    return found
  }
  return { database, url: storage.url, readStatements }
}

const run = (database: Database, ...texts: readonly string[]) =>
  database.transaction(async ({ kysely }) => {
    for (const text of texts) await sql.raw(text).execute(kysely)
  })

const apply = (database: Database, changes: readonly Change[] = [], options: MigrateOptions = {}) => {
  const steps = { '0001': step({ change: create }), ...(changes.length > 0 && { '0002': step({ change: changes }) }) }
  return migrate(database, [{ owner: 'blog', steps }], options)
}

const read = async ({ kysely }: Database, query: string) =>
  (await sql.raw<object>(query).execute(kysely)).rows.flatMap(row => Object.values(row))

const readUnfinished = (database: Database) =>
  read(database, `select unfinished from resource_api_migrations where name = 'blog/0002'`)

/** Holds a lock until `end` is called. */
async function hold(database: Database, text: string): Promise<{ end(): Promise<void> }> {
  const held = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const ended = database.transaction(async ({ kysely }) => {
    await sql.raw(text).execute(kysely)
    held.resolve()
    await released.promise
  })
  await held.promise
  return {
    async end() {
      released.resolve()
      await ended
    },
  }
}

/** The database as a process has it that is stopped at the first statement that matches. */
function stopAt(database: Database, pattern: RegExp): Database {
  const wrap = (session: SchemaSession): SchemaSession => ({
    ...session,
    async execute(text) {
      if (pattern.test(text)) throw new Error('stopped')
      await session.execute(text)
    },
  })
  return {
    ...database,
    changeSchema: (work, options) => database.changeSchema(session => work(wrap(session)), options),
  }
}

const addIndex: Change = { table: 'articles', addIndex: 'by_stars', columns: ['stars'], unique: true }

suite('changes of existing tables, PostgreSQL', () => {
  test('build indexes, and validate checks, references and NOT NULL, after the commit', async context => {
    const { database, readStatements } = await open(context)
    await apply(database, [
      addIndex,
      { table: 'articles', addCheck: 'few', sql: '"stars" < 9' },
      { table: 'articles', alterColumn: 'stars', type: 'integer', references: { table: 'articles' } },
    ])
    const texts = readStatements()
    const find = (part: string) => texts.findIndex(text => text.includes(part))
    for (const part of [
      '"few" check ("stars" < 9) not valid',
      'articles_stars_fkey" foreign key ("stars") references "articles" ("id") not valid',
    ])
      assert.notEqual(find(part), -1, part)
    assert.ok(find('validate constraint "few"') > find('insert into "resource_api_migrations"'))
    assert.ok(find('set not null') > find('validate constraint "articles_stars_filled"'))
    const { tables } = await database.dialect.schema.readState(database.kysely, ['articles'])
    assert.deepEqual(tables.articles!.columns.stars, { type: 'integer', references: { table: 'articles' } })
    assert.deepEqual(tables.articles!.indexes.by_stars, { columns: ['stars'], unique: true })
    assert.deepEqual(Object.keys(tables.articles!.checks), ['few'])
    assert.deepEqual(await readUnfinished(database), [null])
  })

  test('write no row if a new column has a constant value', async context => {
    const { database } = await open(context)
    const readFile = () => read(database, "select pg_relation_filenode('articles')")
    const before = await readFile()
    await apply(database, [{ table: 'articles', addColumn: 'state', type: 'text', fill: 'draft' }])
    assert.deepEqual(await readFile(), before)
    assert.deepEqual(await read(database, 'select state from articles'), ['draft', 'draft'])
  })

  test('need none of that for tables of the same step', async context => {
    const { database, readStatements } = await open(context)
    await apply(database, [
      { createTable: 'tags', columns: { id: 'key', name: 'text' } },
      { table: 'tags', addIndex: 'by_name', columns: ['name'], unique: true },
      { table: 'tags', addCheck: 'named', sql: `"name" <> ''` },
    ])
    const texts = readStatements()
    assert.deepEqual(
      texts.filter(text => /validate|not valid/.test(text)),
      [],
    )
    assert.ok(texts.includes('create unique index "by_name" on "tags" ("name")'))
  })

  test('go on after the process was stopped, also with an index that is not valid', async context => {
    const { database } = await open(context)
    await assert.rejects(apply(stopAt(database, /create unique index concurrently/), [addIndex]), /stopped/)
    assert.equal((JSON.parse((await readUnfinished(database))[0] as string) as readonly unknown[]).length, 1)
    // As a build that was killed leaves it.
    await run(database, 'create unique index by_stars on articles (stars)')
    await run(database, `update pg_index set indisvalid = false where indexrelid = 'by_stars'::regclass`)
    assert.deepEqual(await apply(database, [addIndex]), [])
    assert.deepEqual(await read(database, `select indisvalid from pg_index where indexrelid = 'by_stars'::regclass`), [
      true,
    ])
    assert.deepEqual(await readUnfinished(database), [null])
  })

  test('leave no index that is not valid if equal values came in between, and say so until they are gone', async context => {
    const { database } = await open(context)
    await assert.rejects(apply(stopAt(database, /create unique index concurrently/), [addIndex]), /stopped/)
    await run(database, 'update articles set stars = 7')
    for (let times = 0; times < 2; times++)
      await assert.rejects(apply(database, [addIndex]), {
        name: 'FailedMigration',
        message:
          'the step "0002" of the migrations of "blog" failed: table "articles": the unique index "by_stars" needs different values of "stars", and 2 rows (id 1, 2) have the same as others: change or delete them first',
      })
    assert.deepEqual(await read(database, `select to_regclass('by_stars')`), [null])
    await run(database, 'update articles set stars = id')
    await apply(database, [addIndex])
    assert.deepEqual(await readUnfinished(database), [null])
  })

  test('wait for a lock only briefly, let others in between, and name who holds it', async context => {
    const { database } = await open(context)
    const { end } = await hold(database, 'select * from articles')
    const sentences: string[] = []
    const progress = (sentence: string) => void sentences.push(sentence)
    const reported: string[] = []
    const report = (sentence: string) => void reported.push(sentence)
    const change: Change = { table: 'articles', addColumn: 'x', type: 'text', nullable: true }
    const migrated = apply(database, [change], { lockTimeout: 200, progress, report })
    while (sentences.length < 2) await delay(10)
    await run(database, "insert into articles (title) values ('c')")
    await end()
    await migrated
    assert.match(
      sentences[0]!,
      /^Waited 0\.2 s for a lock that the session \d+ of "resource-api" holds \(idle in transaction, "select \* from articles"\), and will try again\.$/,
    )
    assert.deepEqual(reported, ['Applied blog: 0002.'])
    assert.deepEqual((await read(database, 'select x from articles')).length, 3)
  })

  test('give up in the end, and change nothing', async context => {
    const { database } = await open(context)
    const { end } = await hold(database, 'select * from articles')
    await assert.rejects(apply(database, [{ table: 'articles', dropColumn: 'stars' }], { lockTimeout: 20 }), {
      name: 'FailedMigration',
      message:
        /^the step "0002" of the migrations of "blog" failed: it waited 10 times 0\.02 s for a lock that .* holds.*: end that session, or migrate when the table is used less$/,
    })
    await end()
    assert.deepEqual(await read(database, 'select stars from articles'), [1, 2])
  })

  test('run once if four processes start, and the others say that they wait', async context => {
    const { database, url } = await open(context)
    const others = [1, 2, 3].map(() => openPostgres({ url, poolSize: 1 }))
    context.after(() => Promise.all(others.map(other => other.close())))
    const results = await Promise.all([database, ...others].map(each => apply(each, [addIndex])))
    assert.deepEqual(results.flat(), [{ owner: 'blog', steps: ['0002'] }])
  })

  test('run with a pooler, whose sessions change', async context => {
    const { url } = await open(context)
    const pooled = openPostgres({ url, pooler: 'transaction' })
    context.after(() => pooled.close())
    assert.deepEqual(await apply(pooled, [addIndex]), [{ owner: 'blog', steps: ['0002'] }])
    assert.deepEqual(await readUnfinished(pooled), [null])
  })

  test('note what a state cannot say', async context => {
    const { database } = await open(
      context,
      "create type mood as enum ('good', 'bad')",
      'create domain score as integer check (value > 0)',
      'create sequence numbers',
      `create table odd (a integer, b integer, mood mood, score score, name varchar(20), number integer default nextval('numbers'),
        primary key (a, b), foreign key (a, b) references odd (a, b))`,
      'create index odd_names on odd (lower(name))',
      'create function noted() returns trigger language plpgsql as $$ begin return new; end $$',
      'create trigger odd_noted before insert on odd for each row execute function noted()',
    )
    const { tables, notes } = await database.dialect.schema.readState(database.kysely, ['odd'])
    assert.deepEqual(tables.odd!.columns.name, {
      type: { sqlite: 'text', postgres: 'character varying(20)' },
      nullable: true,
    })
    assert.deepEqual(notes.odd, [
      'the column "mood" has the enum type mood',
      'the column "score" has the domain score',
      'the column "number" takes its default from a sequence that does not belong to it',
      'the index "odd_names" contains an expression',
      'the reference "odd_a_b_fkey" has several columns: a, b',
      'the trigger "odd_noted"',
    ])
  })
})
