// Tables as a database administrator makes them: a key that no statement may write, a join table with further columns, and
// columns that contain null although no field accepts it.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { cursor, integer, key, type Migrations, related, resource, text } from 'resource-api'
import { onEachDatabase } from '../support/own-api.ts'

const migrations: Migrations = {
  async '0001_tables'({ schema }, { key: generated, reference, text }, { name }) {
    const identity = name === 'postgres' ? sql`bigint generated always as identity primary key` : generated
    await schema
      .createTable('products')
      .addColumn('id', identity)
      .addColumn('name', text, column => column.notNull())
      .addColumn('rank', sql`integer`)
      .execute()
    await schema
      .createTable('carts')
      .addColumn('id', identity)
      .addColumn('note', text, column => column.notNull())
      .execute()
    await schema
      .createTable('cart_lines')
      .addColumn('cart_id', reference, column => column.notNull())
      .addColumn('product_id', reference, column => column.notNull())
      .addColumn('quantity', sql`integer`, column => column.notNull().defaultTo(1))
      .addUniqueConstraint('cart_line', ['cart_id', 'product_id'])
      .execute()
  },
}

const products = resource('products', {
  table: 'products',
  fields: { id: key(), name: text(), rank: integer() },
  orderingFields: ['rank'],
  actions: ['list'],
})
const ranked = (name: string, order: 'rank' | '-rank') =>
  resource(name, {
    table: 'products',
    fields: { id: key(), rank: integer() },
    actions: ['list'],
    pagination: cursor({ pageSize: 2, ordering: order, secret: 's'.repeat(32) }),
  })
const carts = resource('carts', {
  table: 'carts',
  fields: {
    id: key(),
    note: text(),
    products: related(products, { many: { table: 'cart_lines', own: 'cart_id', other: 'product_id' } }),
  },
  afterSave: () => undefined,
})

onEachDatabase(
  () => ({ resources: [products, ranked('up', 'rank'), ranked('down', '-rank'), carts] }),
  api => {
    beforeEach(() =>
      api().database.transaction(async ({ kysely }) => {
        for (const table of ['cart_lines', 'carts', 'products']) await kysely.deleteFrom(table).execute()
      }),
    )

    test('an object whose key no statement may write can be changed by a write with hooks and relations', async () => {
      const [first, second] = await api().insert('products', [{ name: 'a' }, { name: 'b' }])
      const created = await api().client.post('/carts/', { json: { note: 'x', products: [first] } })
      assert.equal(created.status, 201)
      const { id } = created.json()
      const patched = await api().client.patch(`/carts/${id}/`, { json: { note: 'y', products: [first, second] } })
      assert.deepEqual([patched.status, patched.json()], [200, { id, note: 'y', products: [first, second] }])
    })

    test('the rows of a relation that stay keep their other columns', async () => {
      const keys = await api().insert('products', [{ name: 'a' }, { name: 'b' }, { name: 'c' }])
      const [first, second, third] = keys
      const { id } = (await api().client.post('/carts/', { json: { note: 'x', products: [first, second] } })).json()
      await api().database.transaction(({ kysely }) => kysely.updateTable('cart_lines').set({ quantity: 5 }).execute())
      for (const [given, quantities] of [
        [
          [first, second],
          [5, 5],
        ],
        [
          [second, third],
          [5, 1],
        ],
        [[], []],
      ] as const) {
        const { status } = await api().client.patch(`/carts/${id}/`, { json: { products: given } })
        assert.equal(status, 200)
        const lines = await api().database.kysely.selectFrom('cart_lines').selectAll().orderBy('product_id').execute()
        assert.deepEqual(
          lines.map(({ quantity }) => quantity),
          quantities,
        )
      }
    })

    test('a cursor finds every row, also those with null in a column whose field does not accept null', async () => {
      await api().insert(
        'products',
        [1, 2, null, null, 3].map(rank => ({ name: 'a', rank })),
      )
      for (const [path, expected] of [
        ['/up/', [1, 2, 3, null, null]],
        ['/down/', [null, null, 3, 2, 1]],
      ] as const) {
        const ranks: unknown[] = []
        for (let url: string | null = path; url !== null; ) {
          const page: { next: string | null; results: { rank: number | null }[] } = (await api().client.get(url)).json()
          ranks.push(...page.results.map(({ rank }) => rank))
          url = page.next
        }
        assert.deepEqual(ranks, expected, path)
      }
    })
  },
  // Rows that the resources do not allow are not in their documents.
  { migrations, checkDocument: false },
)
