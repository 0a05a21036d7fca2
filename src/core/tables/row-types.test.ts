// The rows that Kysely reads: of the declared types, and the same on both databases.

import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { type Kysely, type Selectable, sql } from 'kysely'
import { createDatabase, createFile } from '../../../test/support/service.ts'
import { migrate } from '../database/migrations/migrate.ts'
import { openNew } from '../database/migrations/testing.ts'
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
import { text } from '../fields/kinds/text.ts'
import { time } from '../fields/kinds/time.ts'
import { uuid } from '../fields/kinds/uuid.ts'
import { created, deleted, generated, reference } from './column.ts'
import type { TablesOf } from './row-types.ts'
import { table } from './table.ts'
import { tables } from './tables.ts'

const places = table('places', { key: uuidKey(), columns: { id: key() } })
const things = table('things', {
  columns: {
    id: key(),
    place: reference('places'),
    name: text(),
    size: choice([1, 2]),
    pages: integer({ nullable: true }),
    weight: number(),
    price: decimal({ maxDigits: 14, decimalPlaces: 2 }),
    whole: decimal({ maxDigits: 5, decimalPlaces: 0, nullable: true }),
    isNew: boolean(),
    day: date(),
    opens: time(),
    closes: time(),
    starts: dateTime(),
    ends: dateTime({ nullable: true }),
    takes: duration(),
    rests: duration({ nullable: true }),
    waits: duration({ nullable: true, column: 'delay', default: '00:00:01' }),
    code: uuid(),
    data: json(),
    tags: list({ of: text() }),
    double: generated(decimal({ maxDigits: 15, decimalPlaces: 3 }), ({ row }) => sql`${row.price} * 2`),
    created: created(),
    deleted: deleted(),
  },
})
const schema = tables({ owner: 'test', tables: [places, things] })
type Tables = TablesOf<typeof schema>

const id = '6f0b1b1e-7d0c-4e0e-9a58-0d4d2d6d1a11'
const values = {
  place_id: id,
  name: '2027-05-01',
  size: 2,
  pages: null,
  weight: 0.5,
  price: '123456789012.50',
  whole: '7',
  day: '2027-05-01',
  opens: '09:30:00',
  closes: '17:30:00.250000',
  starts: '2027-05-01T10:00:00.000000Z',
  ends: '9999-12-31T23:59:59.123450Z',
  takes: 93_784_000_005,
  rests: null,
  delay: -1_000_000,
  code: id,
  created: '0001-01-01T00:00:00.000000Z',
  deleted: null,
} as const
type Row = Omit<Selectable<Tables['things']>, 'isNew' | 'data' | 'tags'>
const expected: Row = { ...values, id: 1, double: '246913578025.000' }

const stores = [
  ['SQLite', createFile],
  ['PostgreSQL', createDatabase],
] as const

for (const [name, createStorage] of stores)
  suite(name, () => {
    const open = async (context: TestContext) => {
      const database = await openNew(context, createStorage)
      await migrate(database, [schema])
      return database
    }

    test('Kysely reads each kind of column with its type, in every time zone', async context => {
      const database = await open(context)
      await database.transaction(async connection => {
        const kysely = connection.kysely as unknown as Kysely<Tables>
        const row = { ...values, isNew: true, data: '{"a":[1]}', tags: '["x"]' }
        await kysely.insertInto('places').values({ id }).execute()
        const returned = await kysely.insertInto('things').values(row).returningAll().executeTakeFirstOrThrow()
        for (const zone of ['UTC', 'Asia/Kolkata', 'America/St_Johns', 'Europe/Amsterdam']) {
          if (database.dialect.name === 'postgres') await sql`set local time zone ${sql.lit(zone)}`.execute(kysely)
          const selected = await kysely.selectFrom('things').selectAll().executeTakeFirstOrThrow()
          for (const { isNew, data, tags, ...others } of [returned, selected]) {
            assert.deepEqual({ ...others }, expected)
            assert.deepEqual([isNew === true || isNew === 1, ...[data, tags].map(parse)], [true, { a: [1] }, ['x']])
          }
        }
      })
    })

    test('what Kysely reads can be written again', async context => {
      const database = await open(context)
      await database.transaction(async connection => {
        const kysely = connection.kysely as unknown as Kysely<Tables>
        await kysely.insertInto('places').values({ id }).execute()
        const json = { data: '1', tags: '[]' }
        await kysely
          .insertInto('things')
          .values({ ...values, isNew: false, ...json })
          .execute()
        const { id: _, double, ...first } = await kysely.selectFrom('things').selectAll().executeTakeFirstOrThrow()
        await kysely
          .insertInto('things')
          .values({ ...first, ...json })
          .execute()
        const rows = await kysely.selectFrom('things').selectAll().orderBy('id').execute()
        assert.deepEqual({ ...rows[1]! }, { ...rows[0]!, id: 2 })
        const same = kysely.selectFrom('things').where('starts', '=', first.starts).where('price', '=', first.price)
        assert.equal((await same.selectAll().execute()).length, 2)
      })
    })
  })

const parse = (value: unknown): unknown => (typeof value === 'string' ? JSON.parse(value) : value)

test('PostgreSQL: dates outside the years 1 to 9999 stay as it writes them, and another DateStyle is refused', async context => {
  const { kysely } = await openNew(context, createDatabase)
  const read = async (type: string, ...texts: readonly string[]) => {
    const columns = texts.map((value, index) => sql`cast(${value} as ${sql.raw(type)}) as ${sql.id(`c${index}`)}`)
    return Object.values((await sql<object>`select ${sql.join(columns)}`.execute(kysely)).rows[0]!)
  }
  const days = ['infinity', '-infinity', '0044-03-15 BC', '12000-01-01', '0001-01-01']
  assert.deepEqual(await read('date', ...days), days)
  assert.deepEqual(await read('timestamptz', 'infinity', '-infinity'), ['infinity', '-infinity'])
  const moment = '2027-05-01 10:00:00.5'
  assert.deepEqual(await read('timestamp', moment, 'infinity'), ['2027-05-01T10:00:00.500000Z', 'infinity'])
  assert.deepEqual(await read('timestamptz', '0044-03-15 10:00:00+00 BC'), ['0044-03-15 10:00:00+00 BC'])
  await kysely.connection().execute(async connection => {
    await sql`set datestyle = 'German'`.execute(connection)
    for (const type of ['date', 'timestamp', 'timestamptz'])
      await assert.rejects(sql`select cast('2027-05-01' as ${sql.raw(type)})`.execute(connection), {
        message: /^PostgreSQL wrote the date 01\.05\.2027.*, which is not ISO 8601: set DateStyle, as in ALTER ROLE/,
      })
    await sql`reset datestyle`.execute(connection)
  })
})
