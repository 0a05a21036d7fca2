// Requests with many objects on PostgreSQL: the order of locks, deadlocks with other transactions, and values that columns refuse.

import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { sql } from 'kysely'
import { integer, key, type Migrations, resource } from 'resource-api'
import { type TestApi, testApi } from 'resource-api/testing'
import { type Client, injectClient } from '../support/client.ts'
import { eventually } from '../support/patience.ts'

const migrations: Migrations = {
  async '0001_counters'({ schema }, { key }) {
    await schema
      .createTable('counters')
      .addColumn('id', key)
      .addColumn('value', 'smallint', column => column.notNull())
      .execute()
  },
}

const declare = (name: string, bulk: 'atomic' | 'each') =>
  resource(name, { table: 'counters', fields: { id: key(), value: integer({ min: 0 }) }, bulk })

let api: TestApi
let client: Client
let [first, second] = [0, 0]

suite('many objects on PostgreSQL', () => {
  before(async () => {
    api = await testApi(
      {
        authentication: [],
        resources: [declare('atomic', 'atomic'), declare('each', 'each')],
        migrations: [{ owner: 'counters', steps: migrations }],
      },
      { database: 'postgres' },
    )
    client = injectClient(api.app)
  })
  after(() => api?.close())

  beforeEach(async () => {
    await api.database.transaction(async ({ kysely }) => {
      await kysely.deleteFrom('counters').execute()
      const rows = await kysely
        .insertInto('counters')
        .values([{ value: 0 }, { value: 0 }])
        .returning('id')
        .execute()
      ;[first = 0, second = 0] = rows.map(({ id }) => id as number)
      // A changed row is stored behind the other one, so the order of the table is not that of the keys.
      await kysely.updateTable('counters').set({ value: 1 }).where('id', '=', first).execute()
    })
  })

  const isWaiting = () =>
    eventually(async () => {
      const { rows } = await sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(api.database.kysely)
      return rows.length > 0
    }, 'a transaction that waits')

  const values = async () => {
    const rows = await api.database.kysely.selectFrom('counters').select('value').orderBy('id').execute()
    return rows.map(({ value }) => value as number)
  }

  for (const { name, wrong, status } of [
    { name: 'atomic', wrong: [], status: 200 },
    { name: 'each', wrong: [{ id: 0, value: -1 }], status: 207 },
  ])
    test(`${name}: objects are locked in the order of their keys`, async () => {
      const [lockedFirst, response] = await api.database.transaction(async ({ kysely }) => {
        await kysely.updateTable('counters').set({ value: 5 }).where('id', '=', second).execute()
        const body = [...wrong, { id: second, value: 7 }, { id: first, value: 8 }]
        const sending = client.request('PATCH', `/${name}/`, { json: body })
        await isWaiting()
        const free = await sql`select id from counters where id = ${first} for update skip locked`.execute(kysely)
        return [free.rows.length === 0, { sending }] as const
      })
      assert.equal((await response.sending).status, status)
      assert.ok(lockedFirst)
      assert.deepEqual(await values(), [8, 7])
    })

  test('a request that the database ends because of a deadlock runs again', async () => {
    const response = await api.database.transaction(async ({ kysely }) => {
      // Only the transaction of the request looks for deadlocks.
      await sql`set local deadlock_timeout = '1h'`.execute(kysely)
      await kysely.updateTable('counters').set({ value: 5 }).where('id', '=', second).execute()
      const body = [first, second].map(id => ({ id, value: 7 }))
      const sending = client.request('PATCH', '/atomic/', { json: body })
      await isWaiting()
      await kysely.updateTable('counters').set({ value: 6 }).where('id', '=', first).execute()
      return { sending }
    })
    const { status, text } = await response.sending
    assert.equal(status, 200, text)
    assert.deepEqual(await values(), [7, 7])
  })

  test('a value that a column cannot hold is an error in the place of its item', async () => {
    const large = 40_000
    const outOfRange = { non_field_errors: ['A value is out of range.'] }
    const body = [{ value: 1 }, { value: large }]
    const created = await client.request('POST', '/atomic/', { json: body })
    assert.deepEqual([created.status, created.json()], [400, [{}, outOfRange]])
    const changes = [
      { id: first, value: large },
      { id: second, value: 1 },
    ]
    const changed = await client.request('PATCH', '/atomic/', { json: changes })
    assert.deepEqual([changed.status, changed.json()], [400, [outOfRange, {}]])
    assert.deepEqual(await values(), [1, 0])
  })
})
