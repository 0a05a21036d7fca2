// Timestamps that a column default or another program wrote are shown and filtered like those of the API.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import { computed, cursor, dateTime, key, type Migrations, readOnly, resource, text } from 'resource-api'
import { onEachDatabase } from '../support/own-api.ts'

const migrations: Migrations = {
  async '0001_events'(kysely, { key, text, dateTime, now }) {
    await kysely.schema
      .createTable('events')
      .addColumn('id', key)
      .addColumn('name', text)
      .addColumn('created', dateTime, column => column.notNull().defaultTo(sql`current_timestamp`))
      .addColumn('stamped', dateTime, column => column.notNull().defaultTo(now))
      .addColumn('starts', dateTime)
      .execute()
  },
}

const fields = {
  id: key(),
  name: text(),
  created: readOnly(dateTime()),
  stamped: readOnly(dateTime()),
  starts: dateTime({ nullable: true }),
  year: computed({ columns: ['created'], value: ({ created }) => new Date(created as string).getUTCFullYear() }),
}

const options = {
  table: 'events',
  fields,
  filters: { created: true, starts: true },
  orderingFields: ['stamped', 'starts'],
} as const
const events = resource('events', options)
const paginated = resource('walked', { ...options, pagination: cursor({ pageSize: 1, ordering: 'created' }) })

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

onEachDatabase(
  () => ({ resources: [events, paginated], secret: 'x'.repeat(40) }),
  api => {
    before(async () => {
      const values = [
        ['early', '2026-01-31 12:00:00'],
        ['late', '2026-01-31 12:00:01'],
      ] as const
      // Another program writes to the table in the database's own format; in UTC, like SQLite's functions.
      await api().database.transaction(async ({ kysely }) => {
        for (const [name, starts] of values)
          await sql`insert into events (name, created, starts) values (${name}, ${`${starts}+00`}, ${`${starts}+00`})`.execute(
            kysely,
          )
        if (api().database.dialect.name === 'sqlite')
          await sql`update events set created = replace(created, '+00', ''), starts = replace(starts, '+00', '')`.execute(
            kysely,
          )
      })
    })

    const list = async (path: string) => {
      const response = await api().client.get(path)
      assert.equal(response.status, 200, response.text)
      return response.json()
    }

    test('every response shows the column defaults of a created object in RFC 3339', async () => {
      const { client } = api()
      const created = (await client.post('/events/', { json: { name: 'new' } })).json()
      assert.match(created.created, rfc3339)
      assert.match(created.stamped, rfc3339)
      assert.equal(created.year, new Date(created.created).getUTCFullYear())
      const url = `/events/${created.id}/`
      assert.deepEqual(await list(url), created)
      assert.deepEqual((await client.patch(url, { json: { name: 'new' } })).json(), created)
      assert.equal((await client.delete(url)).status, 204)
    })

    test('timestamps that another program wrote are shown in RFC 3339, and a filter by the shown text matches them', async () => {
      const [early, late] = await list('/events/')
      assert.equal(early.created, '2026-01-31T12:00:00.000000Z')
      assert.equal(early.year, 2026)
      for (const moment of [late.created, '2026-01-31T14:00:01%2B02:00', '2026-01-31T12:00:01Z'])
        assert.deepEqual(await list(`/events/?created=${moment}`), [late], moment)
      assert.deepEqual(await list('/events/?created=2026-01-31T12:00:02Z'), [])
      assert.deepEqual(await list(`/events/?starts=${early.starts}`), [early])
    })

    test('a filter matches a timestamp that the API wrote, and null stays null', async () => {
      const { client } = api()
      const body = { name: 'exact', starts: '2026-02-01T00:00:00.000001Z' }
      const exact = (await client.post('/events/', { json: body })).json()
      assert.equal(exact.starts, body.starts)
      assert.deepEqual(await list(`/events/?starts=${body.starts}`), [exact])
      const none = (await client.patch(`/events/${exact.id}/`, { json: { starts: null } })).json()
      assert.equal(none.starts, null)
      assert.equal((await client.delete(`/events/${exact.id}/`)).status, 204)
    })

    test('values of the default `now` sort together with timestamps that the API writes', async () => {
      const { database, client } = api()
      const [first] = await list('/events/?ordering=stamped')
      const later = `${new Date(Date.parse(first.stamped) + 3_600_000).toISOString().slice(0, -1)}000Z`
      await database.transaction(({ kysely }) =>
        kysely.updateTable('events').set({ stamped: later }).where('id', '=', first.id).execute(),
      )
      assert.equal((await client.get('/events/?ordering=-stamped')).json()[0].id, first.id)
    })

    test('a cursor continues after a timestamp that the database wrote', async () => {
      const names: string[] = []
      for (let next: string | null = '/walked/'; next !== null; ) {
        const page: { results: { name: string }[]; next: string | null } = await list(next)
        names.push(...page.results.map(({ name }) => name))
        next = page.next
      }
      assert.deepEqual(names, ['early', 'late'])
    })
  },
  { migrations },
)
