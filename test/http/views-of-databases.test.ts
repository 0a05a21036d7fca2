// A declared table that is a view of the database: its resources read it, with filters, relations and conditions.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import Fastify from 'fastify'
import { sql } from 'kysely'
import {
  allowAny,
  createApi,
  integer,
  key,
  migrate,
  type OwnedMigrations,
  openDatabase,
  related,
  resource,
  text,
} from 'resource-api'
import { count, reference, table, tables } from 'resource-api/tables'
import { onEachDatabase } from '../support/own-api.ts'

const regions = table('regions', { columns: { id: key(), name: text() } })
const orders = table('orders', { columns: { id: key(), region: reference('regions'), amount: integer() } })
const sales = table('sales', {
  managed: false,
  columns: { id: key(), region: reference('regions'), orders: integer(), total: integer() },
})
const schema = tables({ owner: 'shop', tables: [regions, orders, sales] })
const createSales = sql`create view sales as select region_id as id, region_id, count(*) as orders, sum(amount) as total from orders group by region_id`
const withView: OwnedMigrations = {
  owner: 'views',
  steps: { '0001_sales': async kysely => void (await createSales.execute(kysely)) },
}

const regionResource = resource('regions', {
  table: regions,
  pagination: null,
  fields: { ...regions.pick('id', 'name'), sales: count('sales', { total__gte: 5 }) },
})
const salesResource = resource('sales', {
  table: sales,
  pagination: null,
  actions: ['list', 'retrieve'],
  fields: { ...sales.pick('id', 'orders', 'total'), region: related('regions') },
  filters: { total: ['gte'], 'region.name': true },
  ordering: ['-total'],
})

onEachDatabase(
  () => ({ resources: [regionResource, salesResource], permissions: [allowAny] }),
  api => {
    test('a resource of a view reads it', async () => {
      const [north, south] = await api().insert('regions', [{ name: 'north' }, { name: 'south' }])
      await api().insert('orders', [
        { region_id: north, amount: 3 },
        { region_id: south, amount: 2 },
        { region_id: north, amount: 4 },
      ])
      const get = async (url: string) => (await api().client.get(url)).json()
      const ofNorth = { id: north, orders: 2, total: 7, region: north }
      assert.deepEqual(await get('/sales/'), [ofNorth, { id: south, orders: 1, total: 2, region: south }])
      assert.deepEqual(await get('/sales/?total__gte=5'), [ofNorth])
      assert.deepEqual(await get('/sales/?region__name=north'), [ofNorth])
      assert.deepEqual(await get(`/sales/${north}/`), ofNorth)
      assert.deepEqual(
        (await get('/regions/')).map(({ sales }: { sales: number }) => sales),
        [1, 0],
      )
      assert.equal((await api().client.request('POST', '/sales/', { json: {} })).status, 405)
    })
  },
  { migrations: {}, owners: [schema, withView] },
)

suite('mistakes', () => {
  test('a write of a view', async () => {
    const database = openDatabase('sqlite::memory:')
    await migrate(database, [schema, withView])
    const all = resource('sales', { table: sales, fields: sales.pick('id', 'total') })
    const app = Fastify()
    await assert.rejects(
      async () => {
        await app.register(createApi({ database, resources: [all] }))
        await app.ready()
      },
      {
        message:
          'resource "sales": actions: "sales" is a view, which can only be read: write actions: ["list", "retrieve"]',
      },
    )
  })
})
