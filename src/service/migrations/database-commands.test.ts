// The commands that read or change a database, on SQLite and on PostgreSQL.

import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { anyPostgres, type Database, inspectMigrations, migrate, openDatabase, type SchemaState } from '#core'
import { createDatabase, createFile } from '../../../test/support/service.ts'
import { takeBack } from './back.ts'
import { recordSteps } from './baseline.ts'
import { omitHalfWritten, stopAfter } from './choose-steps.ts'
import { makeSteps } from './make.ts'
import { mergeBranches } from './merge.ts'
import type { DeclaredOwner } from './owners.ts'
import { describeSteps, findRollingProblems, listStepsAfter } from './plan.ts'
import { repairSteps } from './repair.ts'
import { describeStatus } from './status.ts'
import { createOwner, createState } from './testing.ts'

const text = { type: 'text' } as const
const first = createState({ articles: { body: text } })
const second: SchemaState = {
  views: {},
  tables: {
    articles: {
      ...createState({ articles: { body: text, state: { type: 'text', default: 'draft' } } }).tables.articles!,
      indexes: { articles_state: { columns: ['state', '-id'], where: `"state" = 'live'` } },
      checks: { articles_body: `"body" <> ''` },
    },
    comments: createState({
      comments: {
        article_id: { type: 'integer', references: { table: 'articles', onDelete: 'cascade' } },
        made_at: { type: 'dateTime', default: { now: true } },
        price: { type: 'decimal(12,2)', nullable: true },
      },
    }).tables.comments!,
  },
}

const describePlan = async (database: Database, owners: readonly DeclaredOwner[], url?: string) =>
  describeSteps(owners, (await inspectMigrations(database, owners)).missing, url === undefined ? {} : { '': url })

for (const [name, createStorage] of Object.entries({ SQLite: createFile, PostgreSQL: createDatabase })) {
  suite(`the commands of migrations on ${name}`, () => {
    async function start(context: TestContext) {
      const storage = await createStorage()
      const database = openDatabase(storage.url)
      context.after(async () => {
        await database.close()
        await storage.remove()
      })
      const blog = createOwner(context)
      await makeSteps([await blog.read(first)], {}, undefined)
      await makeSteps([await blog.read(second)], {}, undefined)
      const run = (statement: string) =>
        database.transaction(async ({ kysely }) => void (await sql.raw(statement).execute(kysely)))
      return { database, blog, run, owner: await blog.read(second), url: storage.url }
    }
    const withoutTimes = (lines: readonly string[]) =>
      lines.map(line => line.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/, 'TIME'))

    test('plan says what migrate would do, and status what it has done', async context => {
      const { database, blog, owner, url } = await start(context)
      blog.write(
        '0003_data',
        `step({ after: ['0002_article_state'], run: async kysely => { await kysely.deleteFrom('articles').execute() } })`,
      )
      const present = await blog.read(second)
      await migrate(database, await stopAfter(database, [owner], 'blog/0001_first'))
      assert.deepEqual(withoutTimes(await describeStatus(database, [present])), [
        'blog',
        '  0001_first          applied TIME',
        '  0002_article_state  not applied',
        '  0003_data           not applied',
      ])
      const [step, ...others] = await describePlan(database, [present])
      assert.deepEqual(step!.split('\n  '), [
        'blog/0002_article_state',
        'expand    comments: create table with id, article_id, made_at, price',
        "expand    articles: add column state text not null default 'draft'",
        `expand    articles: add index articles_state: on state, -id where "state" = 'live'`,
        `contract  articles: add check articles_body: "body" <> ''`,
        'SQLite rebuilds "articles" (3 columns, referred to by 1 table). PostgreSQL: no rewrite, no long lock.',
        'A program from before this step fails beside it: it may write what the check articles_body of articles refuses.',
      ])
      assert.deepEqual(others, ['blog/0003_data\n  runs its code'])
      const [withSql] = await describePlan(database, [present], url)
      assert.match(withSql!, /^ {4}(?:-- after the commit: )?create index .*"articles_state" on "articles"/m)
      await migrate(database, [present])
      assert.deepEqual(await describePlan(database, [present]), [])
    })

    test('status lists a step that only joins branches', async context => {
      const { database, blog } = await start(context)
      for (const [name, table] of Object.entries({ article: 'articles', comment: 'comments' }))
        blog.write(
          `0003_${name}`,
          `step({
            after: ['0002_article_state'],
            change: [{ table: '${table}', addColumn: 'note', type: 'text', nullable: true }],
          })`,
        )
      mergeBranches([await blog.read()])
      const owner = await blog.read()
      const end = '  0004_merge          runs no statement, so it is not recorded'
      assert.equal((await describeStatus(database, [owner])).at(-1), end)
      await migrate(database, [owner])
      const after = withoutTimes(await describeStatus(database, [owner]))
      assert.deepEqual(after.slice(-2), ['  0003_comment        applied TIME', end])
    })

    test('migrate stops after a step, and names one that there is not', async context => {
      const { database, owner } = await start(context)
      await migrate(database, await stopAfter(database, [owner], 'blog/0001_first'))
      assert.deepEqual(await migrate(database, await stopAfter(database, [owner], 'blog/0001_first')), [])
      for (const [target, message] of [
        ['blog/0009_x', '"blog" has no step "0009_x"'],
        ['shop/0001_first', 'there is no owner "shop"; the owners are blog'],
      ] as const)
        await assert.rejects(stopAfter(database, [owner], target), { message })
    })

    test('back takes back the steps after another one, or all', async context => {
      const { database, owner } = await start(context)
      const sentences: string[] = []
      const options = { report: (sentence: string) => void sentences.push(sentence) }
      await migrate(database, [owner])
      await takeBack(database, [owner], 'blog/0001_first', options)
      await takeBack(database, [owner], 'blog/0001_first', options)
      await takeBack(database, [owner], 'blog', options)
      assert.deepEqual(sentences, [
        'Took back blog: 0002_article_state.',
        'Nothing to take back: no step of blog was applied after 0001_first.',
        'Took back blog: 0001_first.',
      ])
    })

    test('repair goes on with a step that was interrupted, and runs no other one', async context => {
      const { database, owner, run } = await start(context)
      await migrate(database, await stopAfter(database, [owner], 'blog/0001_first'))
      assert.deepEqual(await repairSteps(database, [owner]), [])
      const work = { kind: 'index', table: 'articles', name: 'i', index: { columns: ['body'] } }
      await run(`update resource_api_migrations set unfinished = '${JSON.stringify([work])}'`)
      const half = '  0001_first          applied TIME, half done: "resource-api migrate" goes on with it'
      assert.equal(withoutTimes(await describeStatus(database, [owner]))[1], half)
      assert.deepEqual(await repairSteps(database, [owner]), ['Finished blog: 0001_first.'])
      assert.deepEqual(withoutTimes(await describeStatus(database, [owner])), [
        'blog',
        '  0001_first          applied TIME',
        '  0002_article_state  not applied',
      ])
    })

    test('baseline records the steps of tables that exist, and names what differs', async context => {
      const { database, owner, run } = await start(context)
      await assert.rejects(recordSteps(database, [owner], 'blog/0002_article_state'), {
        message: `the tables are not those that the steps make, so nothing was recorded:
  articles: the database does not have this table
  comments: the database does not have this table`,
      })
      await migrate(database, [owner])
      await run('drop table resource_api_migrations')
      await run('drop index articles_state')
      await run('alter table comments add column note text')
      await assert.rejects(recordSteps(database, [owner], 'blog/0002_article_state'), {
        message: `the tables are not those that the steps make, so nothing was recorded:
  articles: the database does not have the index articles_state
  comments: the database has the column note, which the steps do not make`,
      })
      await run('alter table comments drop column note')
      await run(`create index articles_state on articles (state, id desc) where state = 'live'`)
      assert.deepEqual(await recordSteps(database, [owner], 'blog/0002_article_state'), [
        'Recorded blog: 0001_first.',
        'Recorded blog: 0002_article_state.',
      ])
      assert.deepEqual(await migrate(database, [owner]), [])
      assert.deepEqual(await recordSteps(database, [owner], 'blog/0002_article_state'), [
        'The database has applied these steps already.',
      ])
    })

    suite('baseline and SQL', () => {
      const state: SchemaState = {
        views: {},
        tables: {
          users: createState({ users: {} }).tables.users!,
          notes: {
            columns: {
              id: { type: 'key' },
              author_id: { type: 'integer', references: { table: 'users' } },
              state: { type: 'text' },
              code: { type: 'text', default: { sql: "upper('a' || 'B')" } },
              size: { type: 'integer', generated: 'length("state")' },
            },
            key: ['id'],
            indexes: { live: { columns: ['state'], where: `"state" in ('live', 'LIVE') and "code" <> 'x'` } },
            checks: { notes_state: `"state" <> '' and ("code" <> '' or "id" > 0)` },
          },
        },
      }
      const [integer, textType] = name === 'SQLite' ? ['integer', 'text'] : ['bigint', 'text collate "C"']
      const create = (check: string, where: string, initial: string, size: string) => [
        name === 'SQLite'
          ? 'create table users (id integer primary key)'
          : 'create table users (id bigint primary key generated by default as identity)',
        `create table notes (
          id ${name === 'SQLite' ? 'integer primary key' : 'bigint primary key generated by default as identity'},
          author_id ${integer} not null references users (id), state ${textType} not null, code ${textType} not null default (${initial}),
          size ${integer} not null generated always as (${size}) stored, constraint notes_state check (${check}))`,
        `create index live on notes (state) where ${where}`,
      ]
      const record = async (context: TestContext, ...texts: Parameters<typeof create>) => {
        const { database, run } = await start(context)
        const notes = createOwner(context, 'notes')
        await makeSteps([await notes.read(state)], {}, undefined)
        for (const text of create(...texts)) await run(text)
        return recordSteps(database, [await notes.read(state)], 'notes/0001_first')
      }

      test('in another spelling is the same', async context => {
        const check = `( State <>''   AND ("CODE" <> '' OR id>0) )`.replace('"CODE"', '"code"')
        const where = `STATE IN ('live','LIVE') /* shown */ and (code) <> 'x'`
        const usual = name === 'SQLite' ? where.replace('(code)', '"code"') : where
        assert.deepEqual(await record(context, check, usual, `UPPER('a'||'B')`, 'LENGTH( state )'), [
          'Recorded notes: 0001_first.',
        ])
      })

      if (name === 'PostgreSQL')
        test('of a type is exact', async context => {
          const { database, run } = await start(context)
          const notes = createOwner(context, 'notes')
          const labels = createState({ labels: { name: text } })
          await makeSteps([await notes.read(labels)], {}, undefined)
          await run('create table labels (id bigint primary key generated by default as identity, name text not null)')
          await assert.rejects(
            recordSteps(database, [await notes.read(labels)], 'notes/0001_first'),
            /the column name is text not null in the database, and text collate "C" not null in the steps$/,
          )
        })

      test('that means something else is a difference', async context => {
        const where = `state in ('live', 'Live') and code <> 'x'`
        const recorded = record(context, `state <> '' and code <> '' or id > 0`, where, `'AB'||''`, 'length(code)')
        const { message } = await recorded.then(
          () => assert.fail('recorded'),
          (error: Error) => error,
        )
        const found = message
          .split('\n')
          .slice(1)
          .map(line => / {2}notes: the (\w+ \w+) is .* in the database, and /.exec(line)?.[1])
        assert.deepEqual(found, ['column code', 'column size', 'index live', 'check notes_state'], message)
      })
    })

    if (name === 'PostgreSQL')
      test('baseline by a user who may not create schemas compares what it can', async context => {
        const { database, owner, run, url } = await start(context)
        await migrate(database, [owner])
        await run('drop table resource_api_migrations')
        const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(database.kysely)
        const role = `limited_${rows[0]!.name}`
        await run(`create role "${role}" login password 'x'`)
        context.after(
          async () => void (await run(`drop owned by "${role}"; drop role "${role}"`).catch(() => undefined)),
        )
        await run(
          `grant create, usage on schema public to "${role}"; grant select on all tables in schema public to "${role}"`,
        )
        const limited = new URL(url)
        limited.username = role
        limited.password = 'x'
        const other = openDatabase(limited.href)
        context.after(() => other.close())
        assert.equal((await recordSteps(other, [owner], 'blog/0002_article_state')).length, 2)
      })

    test('while the tables are not those of the steps, the newest step waits, and an applied one stays', async context => {
      const { database, blog, owner } = await start(context)
      const half = await blog.read(createState({ articles: { body: text } }))
      const { owners, sentences } = await omitHalfWritten(database, [half])
      assert.deepEqual(Object.keys(owners[0]!.steps), ['0001_first'])
      assert.match(
        sentences[0]!,
        /^blog: the declared tables are not those of the steps: run "resource-api migrations make"\n/,
      )
      assert.match(
        sentences[1]!,
        /^blog\/0002_article_state waits until the steps make the declared tables; or run "resource-api migrate"\n/,
      )
      await migrate(database, [owner])
      assert.deepEqual((await omitHalfWritten(database, [half])).owners, [])
      const shown: string[] = []
      const other = openDatabase('sqlite::memory:')
      context.after(() => other.close())
      const confirmed = await omitHalfWritten(other, [half], async text => shown.push(text) > 0)
      assert.deepEqual(Object.keys(confirmed.owners[0]!.steps), ['0001_first', '0002_article_state'])
      assert.match(shown[0]!, /migrations make"\n[\s\S]*\nblog\/0002_article_state\n {2}comments: create table/)
      const { owners: whole, sentences: none } = await omitHalfWritten(database, [owner])
      assert.deepEqual([whole.length, none], [1, []])
    })
  })
}

suite('plan without a database', () => {
  test('names the statements of both databases, of all steps or of those after one', async context => {
    const blog = createOwner(context)
    await makeSteps([await blog.read(first)], {}, undefined)
    await makeSteps([await blog.read(second)], {}, undefined)
    const owners = [await blog.read(second)]
    const urls = { SQLite: 'sqlite::memory:', PostgreSQL: anyPostgres }
    const all = await describeSteps(owners, listStepsAfter(owners), urls)
    assert.deepEqual(all[0]!.split('\n'), [
      'blog/0001_first',
      '  expand    articles: create table with id, body',
      '  SQLite:',
      '    create table "articles" ("id" integer primary key autoincrement not null, "body" text not null);',
      '  PostgreSQL:',
      '    create table "articles" ("id" bigint generated by default as identity primary key, "body" text collate "C" not null);',
    ])
    assert.match(all[1]!, /^ {4}-- after the commit: create index concurrently "articles_state" /m)
    assert.deepEqual(await describeSteps(owners, listStepsAfter(owners, ['blog/0001_first']), urls), all.slice(1))
    assert.throws(() => listStepsAfter(owners, ['blog/0009_x']), {
      name: 'CommandError',
      message: '--after blog/0009_x: there is no such step',
    })
  })

  test('refuses changes of one release with which programs from before and after it cannot run', async context => {
    const blog = createOwner(context)
    const add = (change: string, number: number) => blog.write(`000${number}_x`, `step({ change: [${change}] })`)
    const nullable = "type: 'text', nullable: true"
    add(`{ createTable: 'articles', columns: { id: 'key', body: 'text', old: 'text', x: { ${nullable} } } }`, 1)
    add(`{ table: 'articles', renameColumn: 'body', to: 'text' }`, 2)
    add(`{ table: 'articles', addColumn: 'a', type: 'text', fill: 'x' }`, 3)
    add(`{ table: 'articles', addColumn: 'b', ${nullable} }`, 4)
    add(`{ table: 'articles', dropColumn: 'old' }`, 5)
    add(`{ table: 'articles', alterColumn: 'x', type: 'text' }`, 6)
    const owners = [await blog.read()]
    const find = (after: string) =>
      findRollingProblems(owners, listStepsAfter(owners, [after])).map(problem => problem.split(': ').slice(0, 3))
    assert.deepEqual(findRollingProblems(owners, listStepsAfter(owners, ['blog/0003_x'])), [
      'blog/0005_x: articles: drop column old, with its values: the same release adds to "articles": leave this for a later release, when no program from before it runs',
      'blog/0006_x: articles: change column x to text not null: the same release adds to "articles": leave this for a later release, when no program from before it runs',
    ])
    assert.deepEqual(find('blog/0001_x').slice(0, 2), [
      ['blog/0002_x', 'articles', 'rename column body -> text'],
      ['blog/0003_x', 'articles', "add column a text not null, existing rows get 'x'"],
    ])
    for (const alone of ['blog/0004_x', 'blog/0005_x', 'blog/0006_x']) assert.deepEqual(find(alone), [], alone)
  })
})
