import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { type DeclaredStep, step } from '../database/migrations/declared-step.ts'
import type { Migrations } from '../database/migrations/migrations.ts'
import { readOnly } from '../fields/define-field.ts'
import { publicId } from '../fields/keys/public-id.ts'
import { textKey } from '../fields/keys/text-key.ts'
import { uuidKey } from '../fields/keys/uuid-key.ts'
import { boolean } from '../fields/kinds/boolean.ts'
import { choice } from '../fields/kinds/choice.ts'
import { date } from '../fields/kinds/date.ts'
import { dateTime } from '../fields/kinds/date-time.ts'
import { decimal } from '../fields/kinds/decimal.ts'
import { duration } from '../fields/kinds/duration.ts'
import { integer } from '../fields/kinds/integer.ts'
import { json } from '../fields/kinds/json.ts'
import { key } from '../fields/kinds/key.ts'
import { list } from '../fields/kinds/list.ts'
import { number } from '../fields/kinds/number.ts'
import { object } from '../fields/kinds/object.ts'
import { text } from '../fields/kinds/text.ts'
import { time } from '../fields/kinds/time.ts'
import { uuid } from '../fields/kinds/uuid.ts'
import { created, deleted, generated, owner, reference, tenant, updated } from './column.ts'
import { formatName } from './format-name.ts'
import { table } from './table.ts'
import { tables } from './tables.ts'

const users = table('users', { columns: { id: key(), name: text() } })
const name = text({ max: 20 })

const stateOf = (...declared: Parameters<typeof tables>[0]['tables']) =>
  tables({ owner: 'test', tables: declared }).state.tables

suite('tables', () => {
  test('each field asks for the column type of its values', () => {
    const { things } = stateOf(
      table('things', {
        columns: {
          id: key(),
          text: text(),
          choice: choice(['a']),
          size: choice([1, 2]),
          integer: integer({ nullable: true }),
          number: number(),
          decimal: decimal({ maxDigits: 8, decimalPlaces: 2 }),
          boolean: boolean(),
          date: date(),
          time: time(),
          dateTime: dateTime(),
          duration: duration(),
          uuid: uuid(),
          json: json(),
          list: list({ of: text() }),
          price: object({ columns: true, fields: { amount: integer(), currency: text() } }),
          renamed: text({ column: 'other' }),
          shown: readOnly(text()),
        },
      }),
    )
    assert.deepEqual(
      Object.entries(things!.columns).map(([column, { type, nullable }]) => [column, type, nullable ?? false]),
      [
        ['id', 'key', false],
        ['text', 'text', false],
        ['choice', 'text', false],
        ['size', 'integer', false],
        ['integer', 'integer', true],
        ['number', 'number', false],
        ['decimal', 'decimal(8,2)', false],
        ['boolean', 'boolean', false],
        ['date', 'date', false],
        ['time', 'time', false],
        ['dateTime', 'dateTime', false],
        ['duration', 'duration', false],
        ['uuid', 'uuid', false],
        ['json', 'json', false],
        ['list', 'json', false],
        ['amount', 'integer', false],
        ['currency', 'text', false],
        ['other', 'text', false],
        ['shown', 'text', false],
      ],
    )
  })

  test('keys have the type of their kind, and a public id has a unique column', () => {
    const state = stateOf(
      table('a', { key: uuidKey(), columns: { id: key(), name } }),
      table('b', { key: textKey({ column: 'code' }), columns: { code: key(), name } }),
      table('c', { key: publicId('c'), columns: { id: key(), name } }),
      table('d', { columns: { number: key(), name } }),
      table('e', { key: ['user', 'name'], columns: { user: reference('users'), name } }),
      users,
    )
    const keys = Object.entries(state).map(([each, { key: names, columns }]) => [
      each,
      ...names,
      columns[names[0]!]!.type,
    ])
    assert.deepEqual(keys, [
      ['a', 'id', 'uuid'],
      ['b', 'code', 'text'],
      ['c', 'id', 'key'],
      ['d', 'number', 'key'],
      ['e', 'user_id', 'name', 'integer'],
      ['users', 'id', 'key'],
    ])
    assert.deepEqual(state.c!.columns.public_id, { type: 'text' })
    assert.deepEqual(state.c!.indexes, { c_public_id_unique: { columns: ['public_id'], unique: true } })
  })

  test('references have the type of the key to which they refer, also in a circle', () => {
    const { notes, folders } = stateOf(
      table('notes', { columns: { id: key(), folder: reference('folders', { onDelete: 'cascade' }) } }),
      table('folders', {
        key: uuidKey({ column: 'number' }),
        columns: { number: key(), newest: reference('notes', { nullable: true, column: 'newest_note', unique: true }) },
      }),
    )
    assert.deepEqual(notes!.columns.folder_id, {
      type: 'uuid',
      references: { table: 'folders', column: 'number', onDelete: 'cascade' },
    })
    assert.deepEqual(folders!.columns.newest_note, { type: 'integer', nullable: true, references: { table: 'notes' } })
    assert.deepEqual(Object.keys(folders!.indexes), ['folders_newest_note_unique'])
  })

  test('a table may give a column another type', () => {
    const caseless = { sqlite: 'text collate nocase', postgres: 'citext' }
    const { people } = stateOf(
      table('people', { columns: { id: key(), email: text({ nullable: true }) }, types: { email: caseless } }),
    )
    assert.deepEqual(people!.columns.email, { type: caseless, nullable: true })
  })

  test('indexes, checks, defaults and generated columns are in the state', () => {
    const { articles } = stateOf(
      users,
      table('articles', {
        columns: {
          id: key(),
          slug: text({ unique: 'taken' }),
          state: choice(['draft', 'live']),
          author: owner('users'),
          words: generated(integer(), ({ row }) => sql`length(${row.slug})`),
          created_at: created(),
          updated_at: updated(),
        },
        unique: [['author', 'state']],
        indexes: [
          ['-created_at', 'id'],
          { name: 'live', columns: ['author'], where: { state: 'live' } },
          { columns: ['state'], unique: true, where: ({ row }) => sql`${row.author} > 0` },
        ],
        checks: { slugged: ({ row }) => sql`length(${row.slug}) > 0` },
        defaults: { state: 'draft' },
      }),
    )
    assert.deepEqual(articles!.indexes, {
      articles_slug_unique: { columns: ['slug'], unique: true },
      articles_author_id_state_unique: { columns: ['author_id', 'state'], unique: true },
      articles_created_at_desc_id: { columns: ['-created_at', 'id'] },
      live: { columns: ['author_id'], where: `"state" = 'live'` },
      articles_state_unique: { columns: ['state'], unique: true, where: '"author_id" > 0' },
    })
    assert.deepEqual(articles!.checks, { articles_slugged: 'length("slug") > 0' })
    const { state, words, created_at, updated_at, author_id } = articles!.columns
    assert.deepEqual(
      { state, words, created_at, updated_at, author_id },
      {
        state: { type: 'text', default: 'draft' },
        words: { type: 'integer', generated: 'length("slug")' },
        created_at: { type: 'dateTime', default: { now: true } },
        updated_at: { type: 'dateTime', default: { now: true } },
        author_id: { type: 'integer', references: { table: 'users' } },
      },
    )
  })

  test('a declared index names that of a unique field, and the database may have no default for a time', () => {
    const { users } = stateOf(
      table('users', {
        columns: { id: key(), name: text({ unique: 'taken' }), city: text(), joined: created(), seen: updated() },
        unique: [['name', 'city']],
        indexes: [
          { name: 'by_name', columns: ['name'], unique: true },
          { name: 'by_name_of_some', columns: ['name'], unique: true, where: { city: 'Graz' } },
          { name: 'by_city', columns: ['name', 'city'], unique: true },
        ],
        defaults: { joined: null },
      }),
    )
    assert.deepEqual(Object.keys(users!.indexes), ['by_name', 'by_name_of_some', 'by_city'])
    assert.deepEqual(
      [users!.columns.joined, users!.columns.seen],
      [{ type: 'dateTime' }, { type: 'dateTime', default: { now: true } }],
    )
  })

  test('a check may be that of the choices of a column', () => {
    const columns = { id: key(), state: choice(["it's", 'live']), size: choice([1, 2], { nullable: true }), name }
    const { articles } = stateOf(table('articles', { columns, checks: { state: true, size: true } }))
    assert.deepEqual(articles!.checks, {
      articles_state: `"state" in ('it''s', 'live')`,
      articles_size: '"size" in (1, 2)',
    })
    for (const wrong of ['name', 'none', 'id'])
      assert.throws(() => stateOf(table('articles', { columns, checks: { [wrong]: true } })), {
        message: `table "articles": check "${wrong}": true is for a column with choices, such as choice(["draft", "live"]): write a function`,
      })
  })

  test('unique values of deleted rows are free, also in an index of some rows', () => {
    const { notes } = stateOf(
      table('notes', {
        columns: { id: key(), slug: text({ unique: 'taken' }), state: text(), deleted_at: deleted() },
        indexes: [
          { name: 'a', columns: ['state'], unique: true, where: { slug: 'a' } },
          {
            name: 'b',
            columns: ['state'],
            unique: true,
            where: ({ row }) => sql`${row.slug} = 'b' or ${row.slug} = 'c'`,
          },
          { name: 'c', columns: ['state'], where: { slug: 'a' } },
        ],
      }),
    )
    assert.deepEqual(
      Object.values(notes!.indexes).map(({ where }) => where),
      [
        '"deleted_at" is null',
        `"slug" = 'a' and "deleted_at" is null`,
        `("slug" = 'b' or "slug" = 'c') and "deleted_at" is null`,
        `"slug" = 'a'`,
      ],
    )
  })

  test('unique values are unique for each tenant, and a reference to one row is not', () => {
    const { notes } = stateOf(
      users,
      table('notes', {
        columns: {
          id: key(),
          team: tenant('users', { column: 'team', onDelete: 'cascade' }),
          slug: text({ unique: 'taken' }),
          state: text(),
          twin: reference('notes', { nullable: true, unique: true }),
        },
        unique: [
          ['state', 'slug'],
          ['slug', 'team'],
        ],
      }),
    )
    assert.deepEqual(
      Object.values(notes!.indexes).map(({ columns }) => columns),
      [['team', 'slug'], ['twin_id'], ['team', 'state', 'slug'], ['slug', 'team']],
    )
    assert.deepEqual(notes!.columns.team, { type: 'integer', references: { table: 'users', onDelete: 'cascade' } })
  })

  test('a table of another owner is referred to and not made, and neither is one that another program owns', () => {
    const accounts = tables({ owner: 'accounts', tables: [users] })
    const legacy = table('legacy', { managed: false, columns: { id: key() } })
    const notes = table('notes', { columns: { id: key(), author: owner('users'), old: reference('legacy') } })
    const schema = tables({ owner: 'notes', uses: [accounts], tables: [notes, legacy] })
    assert.deepEqual(Object.keys(schema.state.tables), ['notes'])
    assert.deepEqual(
      schema.tables.map(each => each.name),
      ['notes', 'legacy', 'users'],
    )
  })

  test('the one step runs after those that make the tables of other owners to which it refers', () => {
    const first = step({ change: [{ createTable: 'people', columns: { id: 'key', name: 'text' } }] })
    const second = step({ change: [{ renameTable: 'people', to: 'users' }] })
    const third = step({ change: [{ table: 'users', alterColumn: 'name', type: 'text' }] })
    const accounts = tables({ owner: 'accounts', tables: [users], migrations: { '1': first, '2': second, '3': third } })
    const notes = table('notes', { columns: { id: key(), author: owner('users'), parent: reference('notes') } })
    const { steps } = tables({ owner: 'notes', uses: [accounts], tables: [notes] })
    assert.deepEqual(((steps as Migrations)['0001_first'] as DeclaredStep).uses, ['accounts/2'])
  })

  test('without steps, one creates all tables, with the name of the first step that is written to a folder', () => {
    const { steps } = tables({ owner: 'test', tables: [users] })
    assert.deepEqual(steps, {
      '0001_first': { change: [{ createTable: 'users', columns: { id: 'key', name: 'text' } }] },
    })
  })

  test('a resource picks the fields that it names', () => {
    const notes = table('notes', { columns: { id: key(), name, author: owner('users'), created: created() } })
    const fields = notes.pick('name', 'created')
    assert.deepEqual(Object.keys(fields), ['name', 'created'])
    assert.equal(fields.name, name)
    assert.equal(fields.created.readOnly, true)
  })

  const notes = (options: object) => () => stateOf(users, table('notes', { columns: { id: key(), name }, ...options }))
  for (const [message, declare] of [
    [
      'table "notes": no column is the primary key: add id: key(), or name the columns, as in key: ["article", "tag"]',
      notes({ columns: { name } }),
    ],
    ['table "notes": there is no column "nam"', notes({ unique: [['nam']] })],
    ['table "notes": there is no column "nam"', notes({ indexes: [['-nam']] })],
    [
      'table "notes": column "user": there is no table "usres": add it to "tables" or to "uses"',
      notes({ columns: { id: key(), user: reference('usres') } }),
    ],
    [
      'table "notes": check "named": the SQL contains a value, which a table cannot store as a parameter: write sql.lit(value)',
      notes({ checks: { named: () => sql`${1} = 1` } }),
    ],
    [
      'tables of "test": two tables have the name "users"',
      () => stateOf(users, users, table('users', { columns: { id: key() } })),
    ],
    [
      'table "notes": there is no column "nme": write "name"',
      () => table('notes', { columns: { id: key(), name } }).pick('nme' as 'name'),
    ],
    [
      'table "notes": pick: "author" is a reference: declare how the resource shows it, as in author: related(…)',
      () => table('notes', { columns: { id: key(), author: owner('users') } }).pick('author' as 'id'),
    ],
  ] as const)
    test(message, () => {
      assert.throws(declare, { message })
    })

  test('a long name of an index has 63 bytes and a digest', () => {
    const long = formatName('ä'.repeat(40), 'b', 'unique')
    assert.equal(Buffer.byteLength(long), 63)
    assert.match(long, /^ä{27}_[0-9a-f]{8}$/)
    assert.notEqual(long, formatName('ä'.repeat(40), 'c', 'unique'))
  })
})
