// A create of many objects stores and shows the same as creates one by one, whatever the types of the columns.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import {
  boolean,
  choice,
  type Database,
  date,
  dateTime,
  decimal,
  duration,
  integer,
  json,
  key,
  list,
  type Migrations,
  number,
  readOnly,
  related,
  resource,
  text,
  textKey,
  time,
  uuid,
  uuidKey,
} from 'resource-api'
import { type LibraryApi, onEachDatabase } from '../support/own-api.ts'

const records = resource('records', {
  table: 'records',
  fields: {
    id: key(),
    title: text({ max: 30, trim: false, blank: true }),
    short: text({ max: 9, trim: false, nullable: true }),
    padded: text({ max: 9, trim: false, default: 'x' }),
    limited: text({ max: 9, default: 'limited' }),
    size: choice(['S', 'M', 'L'], { default: 'M' }),
    level: choice(
      [
        [1, 'Low'],
        [2, 'High'],
      ],
      { default: 1 },
    ),
    count: integer({ nullable: true }),
    large: integer({ min: -(2 ** 53 - 1), max: 2 ** 53 - 1, default: 0 }),
    isDone: boolean({ column: 'is_done', nullable: true }),
    ratio: number({ nullable: true }),
    price: decimal({ maxDigits: 12, decimalPlaces: 3, nullable: true }),
    day: date({ nullable: true }),
    at: time({ nullable: true }),
    seen: dateTime({ nullable: true }),
    rounded: dateTime({ nullable: true }),
    lasts: duration({ nullable: true }),
    serial: uuid({ nullable: true }),
    extras: json({ nullable: true }),
    tags: list({ of: text({ max: 20 }), default: [] }),
    parent: related('records', { nullable: true }),
    made: readOnly(dateTime()),
    doubled: readOnly(integer({ nullable: true })),
  },
  bulk: 'atomic',
})

const plainFields = {
  name: text({ max: 30 }),
  note: text({ max: 30, blank: true, default: '' }),
  amount: integer({ default: 1 }),
  isDone: boolean({ column: 'is_done', default: false }),
}

// Responses contain nothing but the key and what was written.
const plain = resource('plain', { table: 'plain', fields: { id: key(), ...plainFields }, bulk: 'atomic' })
const changed = resource('changed', { table: 'changed', fields: { id: key(), ...plainFields }, bulk: 'atomic' })
const named = resource('named', {
  table: 'named',
  key: textKey({ column: 'code' }),
  fields: { code: key(), name: text({ max: 30 }) },
  bulk: 'atomic',
})
const tokens = resource('tokens', {
  table: 'tokens',
  key: uuidKey(),
  fields: { id: key(), name: text({ max: 30 }) },
  bulk: 'atomic',
})

const migrations: Migrations = {
  async '0001_records'(
    database,
    { key, text, reference, boolean, decimal, date, dateTime, duration, number, ...types },
  ) {
    const isOnPostgres = types.json.compile(database).sql === 'json'
    const onPostgres = (type: string, other = text) => (isOnPostgres ? sql.raw(type) : other)
    if (isOnPostgres) await sql`create domain short_text as varchar(9) check (value <> 'refused')`.execute(database)
    await database.schema
      .createTable('records')
      .addColumn('id', key)
      .addColumn('title', text, column => column.notNull())
      .addColumn('short', onPostgres('varchar(4)'))
      .addColumn('padded', onPostgres('char(4)'))
      .addColumn('limited', onPostgres('short_text'))
      .addColumn('size', text)
      .addColumn('level', 'integer')
      .addColumn('count', 'integer')
      .addColumn('large', 'bigint')
      .addColumn('is_done', boolean)
      .addColumn('ratio', number)
      .addColumn('price', isOnPostgres ? decimal(9, 1) : decimal(12, 3))
      .addColumn('day', date)
      .addColumn('at', types.time)
      .addColumn('seen', dateTime)
      .addColumn('rounded', onPostgres('timestamptz(0)', dateTime))
      .addColumn('lasts', duration)
      .addColumn('serial', types.uuid)
      .addColumn('extras', onPostgres('jsonb', types.json))
      .addColumn('tags', types.json)
      .addColumn('parent_id', reference, column => column.references('records.id'))
      .addColumn('made', dateTime, column => column.notNull().defaultTo(sql`'2026-01-02T03:04:05.000000Z'`))
      .addColumn('doubled', 'integer', column => column.generatedAlwaysAs(sql`count * 2`).stored())
      .execute()
    for (const table of ['plain', 'changed'])
      await database.schema
        .createTable(table)
        .addColumn('id', key)
        .addColumn('name', text, column => column.notNull())
        .addColumn('note', text, column => column.notNull())
        .addColumn('amount', 'integer', column => column.notNull())
        .addColumn('is_done', boolean, column => column.notNull())
        .execute()
    await database.schema
      .createTable('named')
      .addColumn('code', text, column => column.primaryKey().notNull())
      .addColumn('name', text, column => column.notNull())
      .execute()
    await database.schema
      .createTable('tokens')
      .addColumn('id', types.uuid, column => column.primaryKey().notNull())
      .addColumn('name', text, column => column.notNull())
      .execute()
  },
}

const options = (database: Database) => ({
  authentication: [],
  resources: [records, plain, changed, named, tokens],
  database,
})

onEachDatabase(options, define, { migrations })

function define(api: () => LibraryApi): void {
  const create = async (path: string, body: unknown) => {
    const response = await api().client.post(path, { json: body as object })
    assert.equal(response.status, 201, response.text)
    return response
  }
  const withoutKey = ({ id: _, ...shown }: { readonly id: unknown }) => shown
  // The responses to one request with all items, to a request for each, and to a GET are the same.
  const checkItems = async (path: string, items: readonly object[]) => {
    const together = await create(path, items)
    const shown = together.json() as readonly { readonly id: number }[]
    for (const [index, item] of items.entries()) {
      const alone = await create(path, item)
      assert.deepEqual(withoutKey(shown[index]!), withoutKey(alone.json()))
    }
    const found = await Promise.all(shown.map(({ id }) => api().client.get(`${path}${id}/`)))
    assert.equal(together.text, `[${found.map(({ text }) => text).join()}]`)
    return shown
  }

  test('each type of column has the value that a single create gives it', async () => {
    const shown = await checkItems('/records/', [
      { title: 'least' },
      {
        title: 'most',
        short: 'abcd',
        padded: 'ab',
        limited: 'domain',
        size: 'L',
        level: 2,
        count: -7,
        large: 2 ** 53 - 1,
        isDone: true,
        ratio: 0.1,
        price: '123456.7',
        day: '2026-02-28',
        at: '23:59:59.000001',
        seen: '2026-01-02T03:04:05.123456+01:00',
        rounded: '2026-01-02T03:04:05.9Z',
        lasts: '1 02:03:04.000005',
        serial: '{0F0E0D0C-0B0A-4908-8706-050403020100}',
        extras: { 'a "key"': [1.5, null, 'two', { deep: true }] },
        tags: ['one', 'two, "three"', '{}', '\\'],
      },
      { title: 'false', isDone: false, count: 0, ratio: -1e300, price: '-0.0', extras: 'text', lasts: '-00:00:01' },
      { title: 'an array', extras: [], ratio: 1e21, price: '0.5', seen: '0001-01-01T00:00:00Z' },
    ])
    const parent = shown[0]!.id
    await checkItems('/records/', [
      { title: 'child', parent },
      { title: 'other child', parent, large: -1 },
    ])
  })

  test('texts of all characters are stored and shown unchanged', async () => {
    const texts = [
      '"quoted"',
      'back\\slash',
      '{a,b}',
      'null',
      'NULL',
      '\u0001\u001f\u007f\u0080\u2028',
      '\ud83d\ude00',
      '\t\n',
      "'",
      '',
    ]
    await checkItems(
      '/records/',
      texts.map(title => ({ title })),
    )
    await checkItems(
      '/plain/',
      texts.map(text => ({ name: `(${text})`, note: text })),
    )
  })

  test('a value that its column cannot hold is refused, and nothing is written; SQLite has no lengths', async () => {
    const isOnPostgres = api().database.dialect.name === 'postgres'
    for (const wrong of [{ short: 'too long' }, { price: '123456789.5' }, { limited: 'refused' }]) {
      const before = (await api().rows('records')).length
      const items = [{ title: 'right' }, { title: 'wrong', ...wrong }]
      const { status } = await api().client.post('/records/', { json: items })
      assert.equal(status, isOnPostgres ? 400 : 201, JSON.stringify(wrong))
      assert.equal((await api().rows('records')).length, isOnPostgres ? before : before + 2)
    }
  })

  test('several hundred objects have their keys, which need not follow each other', async () => {
    const items = Array.from({ length: 450 }, (_, index) => ({ name: `item ${index}`, amount: index }))
    const check = async () => {
      const shown = (await create('/plain/', items)).json() as readonly { readonly id: number; readonly name: string }[]
      const stored = new Map((await api().rows('plain')).map(({ id, name }) => [Number(id), name]))
      assert.deepEqual(
        shown.map(({ id }) => stored.get(id)),
        items.map(({ name }) => name),
      )
    }
    await check()
    if (api().database.dialect.name === 'postgres')
      await api().database.transaction(({ kysely }) =>
        sql`alter table plain alter column id set increment by 3`.execute(kysely),
      )
    else await api().database.transaction(({ kysely }) => sql`delete from plain where id % 3 = 0`.execute(kysely))
    await check()
  })

  test('keys that the service or the body gives', async () => {
    const codes = ['z', 'a"b', 'm']
    const { json } = await create(
      '/named/',
      codes.map(code => ({ code, name: `name of ${code}` })),
    )
    assert.deepEqual(
      json(),
      codes.map(code => ({ code, name: `name of ${code}` })),
    )
    const made = (await create('/tokens/', [{ name: 'one' }, { name: 'two' }])).json()
    for (const { id, name } of made) assert.equal((await api().client.get(`/tokens/${id}/`)).json().name, name)
  })

  test('what triggers change and add, also if they are created later', async () => {
    const items = [{ name: 'one' }, { name: 'two' }, { name: 'three' }]
    await checkItems('/changed/', items)
    const isOnPostgres = api().database.dialect.name === 'postgres'
    const add = "insert into changed (name, note, amount, is_done) values ('added', '', 2, new.is_done)"
    await api().database.transaction(async ({ kysely }) => {
      if (isOnPostgres) {
        const body = sql.lit(`begin if new.amount = 1 then new.note = upper(new.name); ${add}; end if; return new; end`)
        await sql`create function change() returns trigger language plpgsql as ${body}`.execute(kysely)
        await sql`create trigger change before insert on changed for each row execute function change()`.execute(kysely)
      } else
        await sql
          .raw(`create trigger change after insert on changed when new.amount = 1 begin ${add}; end`)
          .execute(kysely)
    })
    const shown = (await create('/changed/', items)).json() as readonly { readonly id: number; readonly note: string }[]
    const stored = new Map((await api().rows('changed')).map(({ id, name }) => [Number(id), name]))
    assert.deepEqual(
      shown.map(({ id }) => stored.get(id)),
      ['one', 'two', 'three'],
    )
    assert.deepEqual(
      shown.map(({ note }) => note),
      isOnPostgres ? ['ONE', 'TWO', 'THREE'] : ['', '', ''],
    )
  })
}
