// The state, the types and the mistakes of tables that extend another one.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Kysely, Selectable } from 'kysely'
import { createDatabase, createFile } from '../../../test/support/service.ts'
import { recordBaseline } from '../database/migrations/baseline.ts'
import { migrate } from '../database/migrations/migrate.ts'
import { openNew } from '../database/migrations/testing.ts'
import { findChanges } from '../database/schema/find-changes.ts'
import { textKey } from '../fields/keys/text-key.ts'
import { integer } from '../fields/kinds/integer.ts'
import { key } from '../fields/kinds/key.ts'
import { text } from '../fields/kinds/text.ts'
import { deleted, reference, tenant } from './column.ts'
import type { TablesOf } from './row-types.ts'
import { table } from './table.ts'
import { tables } from './tables.ts'

const places = table('places', {
  key: textKey({ column: 'code' }),
  columns: { code: key(), name: text({ max: 20, unique: 'taken' }) },
})
const restaurants = table('restaurants', {
  extends: { place: places },
  columns: { seats: integer({ nullable: true }) },
  indexes: [['seats']],
})
const cafes = table('cafes', { extends: { restaurant: restaurants }, columns: { cakes: integer() } })
const bookings = table('bookings', { columns: { id: key(), cafe: reference('cafes') } })
const schema = tables({ owner: 'town', tables: [bookings, cafes, restaurants, places] })

test('a table has its own columns, and its key refers to the table that it extends', () => {
  const { restaurants: state, cafes: next, bookings: last } = schema.state.tables
  assert.deepEqual(state, {
    columns: {
      place_id: { type: 'text', references: { table: 'places', column: 'code', onDelete: 'cascade' } },
      seats: { type: 'integer', nullable: true },
    },
    key: ['place_id'],
    indexes: { restaurants_seats: { columns: ['seats'] } },
    checks: {},
  })
  assert.deepEqual(next!.columns.restaurant_id?.references, {
    table: 'restaurants',
    column: 'place_id',
    onDelete: 'cascade',
  })
  assert.deepEqual(last!.columns.cafe_id?.references, { table: 'cafes', column: 'restaurant_id' })
  assert.deepEqual(Object.keys(cafes.columns), ['code', 'name', 'place', 'seats', 'restaurant', 'cakes'])
  assert.deepEqual(Object.keys(cafes.pick('code', 'name', 'seats', 'cakes')), ['code', 'name', 'seats', 'cakes'])
  const again = tables({ owner: 'town', tables: [places, restaurants, cafes, bookings] })
  assert.deepEqual(findChanges(schema.state, again.state).changes, [])
})

suite('databases', () => {
  for (const [name, create] of [
    ['SQLite', createFile],
    ['PostgreSQL', createDatabase],
  ] as const)
    test(`${name}: the migrated tables are the declared ones, and Kysely reads each`, async context => {
      const database = await openNew(context, create)
      await migrate(database, [schema])
      assert.deepEqual((await recordBaseline(database, schema, '0001_first')).differences, [])
      const kysely = database.kysely as Kysely<TablesOf<typeof schema>>
      const rows: readonly Selectable<TablesOf<typeof schema>['cafes']>[] = await kysely
        .selectFrom('cafes')
        .innerJoin('restaurants', 'place_id', 'restaurant_id')
        .select(['restaurant_id', 'cakes'])
        .execute()
      assert.deepEqual(rows, [])
      // @ts-expect-error The column is in another table.
      await assert.rejects(kysely.selectFrom('cafes').select('name').execute())
    })
})

suite('mistakes', () => {
  const named = table('named', { columns: { id: key(), name: text() } })
  const owned = table('owned', { columns: { id: key(), organization: tenant(integer()), gone: deleted() } })
  const joined = table('joined', { key: ['a', 'b'], columns: { a: integer(), b: integer() } })
  const extend =
    (extended: object, options: object = {}) =>
    () =>
      tables({
        owner: 'test',
        tables: [
          named,
          owned,
          table('notes', { columns: {}, extends: extended as { named: typeof named }, ...options }),
        ],
      })
  for (const [message, declare] of [
    ['table "notes": extends: name the reference and one table: write { place: places }', extend(named)],
    ['table "notes": extends: name the reference and one table: write { place: places }', extend({ named, owned })],
    ['table "notes": extends: the key is that of "named": remove "key"', extend({ named }, { key: textKey() })],
    [
      'table "notes": extends: the key is that of "named": remove the column "number"',
      extend({ named }, { columns: { number: key() } }),
    ],
    [
      'table "notes": extends: the rows have the column "name" twice, since "named" has it too: rename it',
      extend({ named }, { columns: { name: text() } }),
    ],
    [
      'table "notes": the table "named", which it extends, has the column "name" too',
      extend({ named }, { columns: { title: text({ column: 'name' }) } }),
    ],
    [
      'table "notes": extends: the table "joined" has a key of several columns, which no reference contains',
      extend({ joined }),
    ],
    [
      'table "notes": extends: "other" is no table of the schema: add it to "tables" or to "uses"',
      extend({ other: table('other', { columns: { id: key() } }) }),
    ],
    ['table "notes": there is no column "name"', extend({ named }, { indexes: [['name']] })],
    [
      'table "notes": "code" is unique, and the column of tenant() is in "owned": declare "code" there, where unique values are unique for each tenant',
      extend({ owned }, { columns: { code: text({ unique: 'taken' }) } }),
    ],
  ] as const)
    test(message, () => {
      assert.throws(declare, { message })
    })
})
