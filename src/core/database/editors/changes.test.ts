// Each change on both databases: its effect on tables with rows, and the rows that it refuses.

import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { createDatabase, createFile } from '../../../../test/support/service.ts'
import type { Database } from '../database.ts'
import { step } from '../migrations/declared-step.ts'
import { migrate } from '../migrations/migrate.ts'
import { openNew } from '../migrations/testing.ts'
import type { Change } from '../schema/change.ts'
import type { TableState } from '../schema/schema-state.ts'

const create: readonly Change[] = [
  {
    createTable: 'articles',
    columns: { id: 'key', title: 'text', stars: { type: 'integer', nullable: true } },
    indexes: { articles_title: { columns: ['title'] } },
  },
  {
    createTable: 'comments',
    columns: {
      id: 'key',
      article_id: { type: 'integer', references: { table: 'articles', onDelete: 'cascade' } },
      parent_id: { type: 'integer', nullable: true, references: { table: 'comments', onDelete: 'set null' } },
    },
  },
]

const rows: readonly string[] = [
  "insert into articles (title, stars) values ('a', 1), ('b', null), ('b', 3)",
  'insert into comments (article_id, parent_id) values (1, null), (2, 1), (2, 2)',
]

const run = (database: Database, ...texts: readonly string[]) =>
  database.transaction(async ({ kysely }) => {
    for (const text of texts) await sql.raw(text).execute(kysely)
  })

const apply = (database: Database, ...steps: readonly (readonly Change[])[]) =>
  migrate(database, [
    {
      owner: 'blog',
      steps: Object.fromEntries(
        [create, ...steps].map((change, index) => [`000${index + 1}_step`, step({ change })] as const),
      ),
    },
  ])

const readRows = async ({ kysely }: Database, query: string) =>
  (await sql.raw<object>(query).execute(kysely)).rows.map(row => Object.values(row))

const readTable = async ({ kysely, dialect }: Database, table: string): Promise<TableState> =>
  (await dialect.schema.readState(kysely, [table])).tables[table]!

async function readAll(database: Database): Promise<unknown> {
  const { kysely, dialect } = database
  const tables = ['articles', 'comments']
  const values = [
    await readRows(database, 'select * from articles'),
    await readRows(database, 'select * from comments'),
  ]
  return { state: await dialect.schema.readState(kysely, tables), values }
}

const allComments = [
  [1, 1, null],
  [2, 2, 1],
  [3, 2, 2],
]

for (const [name, createStorage] of Object.entries({ SQLite: createFile, PostgreSQL: createDatabase })) {
  suite(`changes, ${name}`, () => {
    const open = async (context: TestContext) => {
      const database = await openNew(context, createStorage)
      await apply(database)
      await run(database, ...rows)
      return database
    }

    /** The change is refused with this sentence, and nothing has changed. */
    const refuses = async (database: Database, reason: string, ...changes: readonly Change[]) => {
      const before = await readAll(database)
      await assert.rejects(apply(database, changes), {
        name: 'FailedMigration',
        message: `the step "0002_step" of the migrations of "blog" failed: ${reason}`,
      })
      assert.deepEqual(await readAll(database), before)
    }

    const columns: Readonly<Record<string, readonly [change: Change, values: readonly unknown[]]>> = {
      'that may be null is null in the rows that exist': [
        { table: 'articles', addColumn: 'x', type: 'text', nullable: true },
        [null, null, null],
      ],
      'with a default has it in the rows that exist': [
        { table: 'articles', addColumn: 'x', type: 'text', default: "it's" },
        ["it's", "it's", "it's"],
      ],
      'with a value to fill has that': [
        { table: 'articles', addColumn: 'x', type: 'text', default: 'new', fill: 'old' },
        ['old', 'old', 'old'],
      ],
      'without a default has the value to fill': [
        { table: 'articles', addColumn: 'x', type: 'integer', fill: 7 },
        [7, 7, 7],
      ],
      'can be filled from other columns': [
        { table: 'articles', addColumn: 'x', type: 'text', fill: { sql: `"title" || '!'` } },
        ['a!', 'b!', 'b!'],
      ],
      'can be generated': [
        { table: 'articles', addColumn: 'x', type: 'integer', nullable: true, generated: 'length("title") + 1' },
        [2, 2, 2],
      ],
      'may have quotes, emoji and new lines in its default': [
        { table: 'articles', addColumn: 'x', type: 'text', default: `'"\`\n💡` },
        Array(3).fill(`'"\`\n💡`),
      ],
    }
    for (const [what, [change, values]] of Object.entries(columns))
      test(`a new column ${what}`, async context => {
        const database = await open(context)
        await apply(database, [change])
        assert.deepEqual((await readRows(database, 'select x from articles order by id')).flat(), values)
        assert.deepEqual(await readRows(database, 'select * from comments order by id'), allComments)
        const { addColumn: _, table: __, fill, ...column } = change as Extract<Change, { addColumn: string }>
        const { type, ...found } = (await readTable(database, 'articles')).columns.x!
        assert.deepEqual([type, Object.keys(found)], [column.type, Object.keys(column).filter(key => key !== 'type')])
      })

    test('a new column can have the time of the write as its default, also in the rows that exist', async context => {
      const database = await open(context)
      await apply(database, [{ table: 'articles', addColumn: 'created', type: 'dateTime', default: { now: true } }])
      await run(database, "insert into articles (title) values ('c')")
      const times = (await readRows(database, 'select created from articles')).flat()
      assert.ok(
        times.length === 4 && times.every(time => Math.abs(Date.now() - Number(new Date(time as string))) < 60_000),
      )
      assert.deepEqual((await readTable(database, 'articles')).columns.created!.default, { now: true })
    })

    test('a new column without a value for the rows that exist is refused, unless there are none', async context => {
      const database = await open(context)
      const change: Change = { table: 'articles', addColumn: 'state', type: 'text' }
      await refuses(
        database,
        'table "articles": the new column "state" cannot be null, and 3 rows (id 1, 2, 3) would have no value: give the change a "fill", or the column a default',
        change,
      )
      await run(database, 'delete from articles')
      await apply(database, [change])
      assert.deepEqual((await readTable(database, 'articles')).columns.state, { type: 'text' })
    })

    test('a new column may be unique, if not all rows get the same value', async context => {
      const database = await open(context)
      const index: Change = { table: 'articles', addIndex: 'slugs', columns: ['slug'], unique: true }
      const slug = { table: 'articles', addColumn: 'slug', type: 'text' } as const
      await refuses(
        database,
        'table "articles": the unique index "slugs" needs different values of "slug", and 3 rows (id 1, 2, 3) have the same as others: change or delete them first',
        { ...slug, fill: 'slug' },
        index,
      )
      await apply(database, [{ ...slug, nullable: true }, index])
      assert.deepEqual((await readRows(database, 'select slug from articles')).flat(), [null, null, null])
    })

    test('a column that may no longer be null takes a value for null, or names the rows', async context => {
      const database = await open(context)
      const change = { table: 'articles', alterColumn: 'stars', type: 'integer' } as const
      await refuses(
        database,
        'table "articles": the column "stars" may no longer be null, and is null in 1 row (id 2): give the change a "fill"',
        change,
      )
      await apply(database, [{ ...change, fill: 0 }])
      assert.deepEqual((await readRows(database, 'select stars from articles order by id')).flat(), [1, 0, 3])
      assert.deepEqual((await readTable(database, 'articles')).columns.stars, { type: 'integer' })
      assert.deepEqual(await readRows(database, 'select * from comments order by id'), allComments)
      await apply(database, [{ ...change, fill: 0 }], [{ ...change, nullable: true }])
      await run(database, 'update articles set stars = null')
    })

    test('a unique index names the rows with the same value; null and rows outside of it do not count', async context => {
      const database = await open(context)
      await refuses(
        database,
        'table "articles": the unique index "articles_title_unique" needs different values of "title", and 2 rows (id 2, 3) have the same as others: change or delete them first',
        { table: 'articles', addIndex: 'articles_title_unique', columns: ['title'], unique: true },
      )
      await apply(database, [
        { table: 'articles', addIndex: 'partial', columns: ['title'], unique: true, where: '"stars" > 2' },
        { table: 'articles', addIndex: 'stars_unique', columns: ['stars'], unique: true },
        { table: 'articles', addIndex: 'both_unique', columns: ['title', '-id'], unique: true },
      ])
      const { indexes } = await readTable(database, 'articles')
      assert.deepEqual(Object.keys(indexes), ['articles_title', 'both_unique', 'partial', 'stars_unique'])
      assert.deepEqual(indexes.both_unique, { columns: ['title', '-id'], unique: true })
      await assert.rejects(run(database, "insert into articles (title, stars) values ('x', 3)"), /unique/i)
    })

    test('a check names the rows that violate it, and can be changed and dropped', async context => {
      const database = await open(context)
      await refuses(database, 'table "articles": the check "few" does not hold for 1 row (id 3): change them first', {
        table: 'articles',
        addCheck: 'few',
        sql: '"stars" < 3',
      })
      const steps: readonly (readonly Change[])[] = [
        [{ table: 'articles', addCheck: 'few', sql: '"stars" < 4' }],
        [
          { table: 'articles', dropCheck: 'few' },
          { table: 'articles', addCheck: 'few', sql: '"stars" < 5' },
        ],
        [{ table: 'articles', dropCheck: 'few' }],
      ]
      await apply(database, ...steps.slice(0, 1))
      await assert.rejects(run(database, 'update articles set stars = 4'), /few/)
      await apply(database, ...steps.slice(0, 2))
      await run(database, 'update articles set stars = 4')
      await assert.rejects(run(database, 'update articles set stars = 5'), /few/)
      await apply(database, ...steps)
      assert.deepEqual((await readTable(database, 'articles')).checks, {})
      assert.deepEqual(await readRows(database, 'select * from comments order by id'), allComments)
    })

    test('a reference names the rows that refer to nothing, and can be changed and dropped', async context => {
      const database = await open(context)
      const refer = (onDelete?: 'cascade' | 'set null'): Change => ({
        ...{ table: 'articles', alterColumn: 'stars', type: 'integer', nullable: true },
        references: { table: 'comments', ...(onDelete && { onDelete }) },
      })
      await run(database, 'update articles set stars = 9 where id = 3')
      await refuses(
        database,
        'table "articles": the column "stars" of 1 row (id 3) refers to rows of "comments" that do not exist: change or delete them first',
        refer(),
      )
      await run(database, 'update articles set stars = 3 where id = 3')
      await apply(database, [refer()], [refer('set null')])
      assert.deepEqual((await readTable(database, 'articles')).columns.stars!.references, {
        table: 'comments',
        onDelete: 'set null',
      })
      await run(database, 'delete from comments where id = 3')
      assert.deepEqual((await readRows(database, 'select stars from articles order by id')).flat(), [1, null, null])
      const dropped: Change = { table: 'articles', alterColumn: 'stars', type: 'integer', nullable: true }
      await apply(database, [refer()], [refer('set null')], [dropped])
      await run(database, 'update articles set stars = 99')
    })

    test('values that a new type does not take are refused, and the others are converted', async context => {
      const database = await open(context)
      await run(
        database,
        "update articles set title = '7' where id = 1",
        "update articles set title = 'abc' where id = 3",
      )
      const change = { table: 'articles', alterColumn: 'title', type: 'integer' } as const
      await refuses(
        database,
        'table "articles": the column "title" has values that cannot become integer without a loss, in 2 rows (id 2, 3): change them first, or give the change a "using"',
        change,
      )
      const using = {
        sqlite: `case when "title" = '7' then 7 else 0 end`,
        postgres: `case when "title" = '7' then 7 else 0 end`,
      }
      await apply(database, [{ ...change, using }])
      assert.deepEqual((await readRows(database, 'select title from articles order by id')).flat(), [7, 0, 0])
      assert.deepEqual((await readTable(database, 'articles')).indexes.articles_title, { columns: ['title'] })
    })

    test('a decimal can become wider; a narrower one is refused if digits would be lost', async context => {
      const database = await open(context)
      const type = (text: 'decimal(6,2)' | 'decimal(8,3)' | 'decimal(5,1)') => ({ type: text })
      const added: Change = { table: 'articles', addColumn: 'price', ...type('decimal(6,2)'), fill: 10.5 }
      const alter = (text: 'decimal(8,3)' | 'decimal(5,1)'): Change => ({
        table: 'articles',
        alterColumn: 'price',
        ...type(text),
      })
      await apply(database, [added], [alter('decimal(8,3)')], [alter('decimal(5,1)')])
      await run(database, 'update articles set price = 10.2')
      assert.deepEqual((await readTable(database, 'articles')).columns.price, { type: 'decimal(5,1)' })
      const wider = [[added], [alter('decimal(8,3)')], [alter('decimal(5,1)')], [alter('decimal(8,3)')]] as const
      await apply(database, ...wider)
      await run(database, 'update articles set price = 10.25 where id = 2')
      await assert.rejects(
        apply(database, ...wider, [alter('decimal(5,1)')]),
        /"price" has values that cannot become decimal\(5,1\) without a loss, in 1 row \(id 2\)/,
      )
    })

    test('a text can become JSON if it is', async context => {
      const database = await open(context)
      const change: Change = { table: 'articles', alterColumn: 'title', type: 'json' }
      const withoutIndex: Change = { table: 'articles', dropIndex: 'articles_title' }
      await assert.rejects(
        apply(database, [withoutIndex, change]),
        /"title" has values that cannot become json without a loss, in 3 rows \(id 1, 2, 3\)/,
      )
      await run(database, `update articles set title = '{"a": 1}'`)
      await apply(database, [withoutIndex, change])
      const [title] = (await readRows(database, 'select title from articles')).flat()
      assert.deepEqual(typeof title === 'string' ? JSON.parse(title) : title, { a: 1 })
    })

    test('a default is added, changed and dropped without a change of the rows', async context => {
      const database = await open(context)
      const change = { table: 'articles', alterColumn: 'stars', type: 'integer', nullable: true } as const
      const steps = [[{ ...change, default: 5 }], [{ ...change, default: -6 }], [change]] as const
      for (const [index, expected] of [5, -6, undefined].entries()) {
        await apply(database, ...steps.slice(0, index + 1))
        assert.equal((await readTable(database, 'articles')).columns.stars!.default, expected)
        assert.deepEqual((await readRows(database, 'select stars from articles order by id')).flat(), [1, null, 3])
      }
    })

    test('a column is dropped; one that an index, a check or another table needs is not', async context => {
      const database = await open(context)
      const first: readonly Change[] = [
        { table: 'articles', addCheck: 'few', sql: '"stars" < 9' },
        { table: 'articles', addColumn: 'x', type: 'text', nullable: true },
      ]
      await apply(database, first)
      const before = await readAll(database)
      for (const column of ['stars', 'id'])
        await assert.rejects(apply(database, first, [{ table: 'articles', dropColumn: column }]), /failed: /)
      assert.deepEqual(await readAll(database), before)
      await apply(database, first, [
        { table: 'articles', dropColumn: 'x' },
        { table: 'articles', dropIndex: 'articles_title' },
        { table: 'articles', dropColumn: 'title' },
        { table: 'comments', dropColumn: 'parent_id' },
      ])
      assert.deepEqual(Object.keys((await readTable(database, 'articles')).columns), ['id', 'stars'])
      assert.deepEqual(await readRows(database, 'select * from comments order by id'), [
        [1, 1],
        [2, 2],
        [3, 2],
      ])
    })

    test('names are swapped, and a table and its columns are renamed in one step', async context => {
      const database = await open(context)
      await apply(database, [
        { table: 'articles', renameColumn: 'title', to: 'other' },
        { table: 'articles', renameColumn: 'stars', to: 'title' },
        { table: 'articles', renameColumn: 'other', to: 'stars' },
        { renameTable: 'articles', to: 'order' },
        { table: 'order', renameColumn: 'id', to: 'the "key"' },
        { table: 'order', renameIndex: 'articles_title', to: 'in order' },
      ])
      const table = await readTable(database, 'order')
      assert.deepEqual(Object.keys(table.columns), ['the "key"', 'stars', 'title'])
      assert.deepEqual([table.key, table.indexes], [['the "key"'], { 'in order': { columns: ['stars'] } }])
      const { references } = (await readTable(database, 'comments')).columns.article_id!
      assert.deepEqual(references, { table: 'order', column: 'the "key"', onDelete: 'cascade' })
      assert.deepEqual(await readRows(database, 'select stars, title from "order" order by "the ""key"""'), [
        ['a', 1],
        ['b', null],
        ['b', 3],
      ])
      assert.deepEqual(await readRows(database, 'select * from comments order by id'), allComments)
    })

    test('two new tables refer to each other, and a table to itself', async context => {
      const database = await open(context)
      await apply(database, [
        { createTable: 'hens', columns: { id: 'key', egg_id: { type: 'integer', nullable: true } } },
        { createTable: 'eggs', columns: { id: 'key', hen_id: { type: 'integer', references: { table: 'hens' } } } },
        { table: 'hens', alterColumn: 'egg_id', type: 'integer', nullable: true, references: { table: 'eggs' } },
        { table: 'hens', addColumn: 'mother_id', type: 'integer', nullable: true, references: { table: 'hens' } },
      ])
      const { egg_id: egg, mother_id: mother } = (await readTable(database, 'hens')).columns
      assert.deepEqual([egg!.references, mother!.references], [{ table: 'eggs' }, { table: 'hens' }])
      await run(database, 'insert into hens (mother_id) values (null)', 'insert into eggs (hen_id) values (1)')
      await assert.rejects(run(database, 'update hens set mother_id = 9'), /foreign key/i)
    })

    test('a key of 32 bits to which others refer becomes one of 64 bits', async context => {
      const database = await openNew(context, createStorage)
      const type = { sqlite: 'int', postgres: 'integer' }
      const steps: readonly (readonly Change[])[] = [
        [
          { createTable: 'a', columns: { id: type } },
          { createTable: 'b', columns: { id: 'key', a_id: { type, references: { table: 'a' } } } },
        ],
        [
          { table: 'a', alterColumn: 'id', type: 'integer' },
          { table: 'b', alterColumn: 'a_id', type: 'integer', references: { table: 'a' } },
        ],
      ]
      const both = (count: number) => ({
        owner: 'keys',
        steps: Object.fromEntries(steps.slice(0, count).map((change, index) => [`000${index + 1}`, step({ change })])),
      })
      await migrate(database, [both(1)])
      await run(database, 'insert into a values (5)', 'insert into b (a_id) values (5)')
      await migrate(database, [both(2)])
      await run(database, 'insert into a values (9000000000)', 'update b set a_id = 9000000000')
      assert.deepEqual(await readRows(database, 'select a_id from b'), [[9_000_000_000]])
      await assert.rejects(run(database, 'delete from a'), /foreign key/i)
    })

    test('a generated column stays when its table changes, and can be indexed', async context => {
      const database = await open(context)
      const generated: Change = {
        table: 'articles',
        addColumn: 'size',
        type: 'integer',
        nullable: true,
        generated: 'length("title")',
      }
      const index: Change = { table: 'articles', addIndex: 'by_size', columns: ['-size'] }
      await apply(database, [generated, index], [{ table: 'articles', alterColumn: 'stars', type: 'integer', fill: 0 }])
      await run(database, "update articles set title = 'long' where id = 1")
      assert.deepEqual((await readRows(database, 'select size from articles order by id')).flat(), [4, 1, 1])
      assert.deepEqual((await readTable(database, 'articles')).indexes.by_size, { columns: ['-size'] })
    })

    test('a view of the table stays, and follows a rename', async context => {
      const database = await open(context)
      await apply(
        database,
        [{ createView: 'titles', sql: 'select "title" from "articles"' }],
        [
          { table: 'articles', alterColumn: 'stars', type: 'integer', fill: 0 },
          { table: 'articles', renameColumn: 'title', to: 'name' },
        ],
      )
      assert.deepEqual((await readRows(database, 'select * from titles')).flat(), ['a', 'b', 'b'])
    })

    test('a step that throws after its changes leaves nothing', async context => {
      const database = await open(context)
      const before = await readAll(database)
      const failing = step({
        change: [
          { table: 'articles', alterColumn: 'stars', type: 'integer', fill: 0 },
          { table: 'articles', addIndex: 'i', columns: ['stars'] },
        ],
        run: () => Promise.reject(new Error('no')),
      })
      const steps = { '0001_step': step({ change: create }), '0002_step': failing }
      await assert.rejects(migrate(database, [{ owner: 'blog', steps }]), /failed: no$/)
      assert.deepEqual(await readAll(database), before)
    })
  })
}
