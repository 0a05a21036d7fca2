// Every link that a list with cursors contains works, however long the texts are by which it is ordered.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { cursor, key, type Migrations, readOnly, resource, text } from 'resource-api'
import { onEachDatabase } from '../support/own-api.ts'

const migrations: Migrations = {
  async '0001_notes'(kysely, { key, text }) {
    for (const table of ['notes', 'long-notes'])
      await kysely.schema.createTable(table).addColumn('id', key).addColumn('note', text).execute()
  },
}

const list = (name: string) =>
  resource(name, {
    table: name,
    fields: { id: readOnly(key()), note: text() },
    orderingFields: ['note', 'id'],
    pagination: cursor({ secret: '-'.repeat(32), pageSize: 1, ordering: 'id' }),
  })

const longest = 4500
const notes = ['a'.repeat(longest), 'b', `b${'\u0001'.repeat(750)}`, 'c€'.repeat(1100)]

onEachDatabase(
  () => ({ resources: [list('notes'), list('long-notes')] }),
  api => {
    before(async () => {
      await api().insert(
        'notes',
        notes.map(note => ({ note })),
      )
      await api().insert('long-notes', [{ note: 'a' }, { note: 'b'.repeat(4700) }, { note: 'c' }])
    })

    test('the links of values up to 4608 bytes are followed forward and backward', async () => {
      for (const start of ['/notes/?ordering=note', '/notes/?ordering=-note'] as const) {
        const visited: string[] = []
        for (let path: string | null = start; path !== null && visited.length < 10; ) {
          const { status, json } = await api().client.get(path)
          assert.equal(status, 200)
          const body = json()
          visited.push(body.results[0].note)
          if (body.previous !== null)
            assert.equal((await api().client.get(body.previous.replace('http://localhost', ''))).status, 200)
          path = body.next?.replace('http://localhost', '') ?? null
        }
        assert.deepEqual(visited.toSorted(), notes.toSorted())
      }
    })

    test('a page whose links would need a longer value is 400', async () => {
      const { next } = (await api().client.get('/long-notes/?ordering=note')).json()
      const { status, json } = await api().client.get(next.replace('http://localhost', ''))
      assert.deepEqual(
        [status, json()],
        [
          400,
          {
            ordering: [
              'The values by which the list is ordered are too long for a link to the next page. Order the list by other fields.',
            ],
          },
        ],
      )
      assert.equal((await api().client.get('/long-notes/?ordering=id')).status, 200)
    })
  },
  { migrations },
)
