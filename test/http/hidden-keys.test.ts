// Keys that callers cannot find out: those of related objects that a row filter hides, and the integers of public ids.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import { cursor, key, type Migrations, publicId, related, resource, text, textKey } from 'resource-api'
import { type LibraryApi, onEachDatabase } from '../support/own-api.ts'

const migrations: Migrations = {
  async '0001_orders'({ schema }, { text, key, reference }) {
    await schema
      .createTable('countries')
      .addColumn('code', text, column => column.primaryKey().notNull())
      .addColumn('name', text, column => column.notNull())
      .execute()
    await schema
      .createTable('orders')
      .addColumn('id', key)
      .addColumn('public_id', text, column => column.notNull().unique())
      .addColumn('note', text, column => column.notNull())
      .addColumn('country_id', text, column => column.references('countries.code'))
      .execute()
    await schema
      .createTable('payments')
      .addColumn('id', key)
      .addColumn('order_id', reference, column => column.notNull().references('orders.id'))
      .execute()
  },
}

/** Countries whose name begins with `(` are hidden from everyone. */
const countries = resource('countries', {
  table: 'countries',
  key: textKey({ column: 'code', max: 2 }),
  fields: { code: key(), name: text() },
  permissions: [{ filter: { where: ({ column }) => sql`${column('name')} not like '(%'`, values: () => ({}) } }],
})

const orders = resource('orders', {
  table: 'orders',
  key: publicId('ord'),
  fields: {
    id: key(),
    note: text(),
    country: related(countries, { nullable: true, fixed: true }),
    country_code: text({ source: 'country' }),
  },
})

const payments = resource('payments', {
  table: 'payments',
  fields: { order: related(orders), country_code: text({ source: 'order.country' }) },
  searchFields: ['order'],
})

onEachDatabase(
  () => ({ resources: [countries, orders, payments] }),
  api => {
    const send = async (method: string, url: string, json?: unknown) => {
      const { status, text } = await api().client.request(method, url, json === undefined ? {} : { json })
      return { status, body: JSON.parse(text) }
    }
    const order = `ord_${'0'.repeat(16)}`

    before(() =>
      api().database.transaction(async ({ kysely }) => {
        await kysely.insertInto('countries').values({ code: 'XX', name: '(hidden)' }).execute()
        await kysely.insertInto('orders').values({ id: 77, public_id: order, note: 'a', country_id: 'XX' }).execute()
        await kysely.insertInto('payments').values({ order_id: 77 }).execute()
      }),
    )

    test('a source that ends at a relation does not show the key of a hidden object', async () => {
      assert.equal((await send('GET', `/orders/${order}/`)).body.country_code, null)
      assert.deepEqual((await send('GET', '/payments/')).body, [{ order, country_code: null }])
    })

    test('a fixed relation to a hidden object is shown as null, and a body may repeat that', async () => {
      const { body } = await send('GET', `/orders/${order}/`)
      assert.equal(body.country, null)
      assert.equal((await send('PUT', `/orders/${order}/`, { ...body, note: 'b' })).body.note, 'b')
      const [row] = await api().rows('orders')
      assert.equal(row!.country_id, 'XX')
    })

    test('a search for a related object compares its public id, and not the integer', async () => {
      assert.equal((await send('GET', '/payments/?search=77')).body.length, 0)
      assert.equal((await send('GET', `/payments/?search=${order}`)).body.length, 1)
    })
  },
  { migrations },
)

const notes = resource('orders', {
  table: 'orders',
  key: publicId('ord'),
  ordering: ['-id'],
  fields: { id: key(), note: text() },
  orderingFields: ['id'],
})
const insertNotes = ({ database }: Pick<LibraryApi, 'database'>) =>
  database.transaction(({ kysely }) =>
    kysely
      .insertInto('orders')
      .values([1, 2, 3, 4, 5].map(id => ({ id, public_id: `ord_${'0'.repeat(15)}${(id * 7) % 5}`, note: 'same' })))
      .execute(),
  )

onEachDatabase(
  () => ({ resources: [notes] }),
  api => {
    test('objects with public ids are ordered by their creation', async () => {
      await insertNotes(api())
      const list = async (query: string): Promise<string> =>
        (await api().client.get(`/orders/${query}`))
          .json()
          .map(({ id }: { id: string }) => id.at(-1))
          .join('')
      assert.deepEqual([await list(''), await list('?ordering=id')], ['03142', '24130'])
    })
  },
  { migrations },
)

onEachDatabase(
  () => ({ resources: [notes], pagination: cursor({ ordering: 'note', pageSize: 2 }), secret: 's'.repeat(32) }),
  api => {
    test('a cursor contains the public id, and not the integer', async () => {
      await insertNotes(api())
      const ids: string[] = []
      const positions: unknown[] = []
      let next: string | null = 'http://localhost/orders/'
      while (next !== null) {
        const page: { next: string | null; results: { id: string }[] } = (
          await api().client.get(next.slice('http://localhost'.length))
        ).json()
        ids.push(...page.results.map(({ id }) => id))
        next = page.next
        const [payload] = next === null ? [] : new URL(next).searchParams.get('cursor')!.split('.')
        if (payload !== undefined) positions.push(JSON.parse(Buffer.from(payload, 'base64url').toString()))
      }
      assert.deepEqual(
        ids,
        [0, 1, 2, 3, 4].map(last => `ord_${'0'.repeat(15)}${last}`),
      )
      assert.deepEqual(positions, [
        [1, ['same', ids[1]]],
        [1, ['same', ids[3]]],
      ])
    })
  },
  { migrations },
)
