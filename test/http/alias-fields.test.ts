// Fields without a column that bodies and responses contain, and a second name for a column.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { browsable, computed, jsonRenderer, key, list, readOnly, resource, text, writeOnly } from 'resource-api'
import { createClient } from 'resource-api/client'
import { table, tables } from 'resource-api/tables'
import { injectFetch } from '../support/client.ts'
import { onEachDatabase } from '../support/own-api.ts'

const noteTable = table('notes', { columns: { id: key(), title: text({ max: 20 }), words: text({ default: '' }) } })
const schema = tables({ owner: 'notes', tables: [noteTable] })

const seen: unknown[] = []

const notes = resource('notes', {
  table: noteTable,
  unknownFields: 'refuse',
  renderers: [jsonRenderer, browsable()],
  bulk: 'atomic',
  fields: {
    ...noteTable.pick('id', 'title'),
    name: writeOnly(text({ column: 'title', max: 20, required: false })),
    heading: readOnly(text({ column: 'title' })),
    loud: computed(text(), ({ row }) => sql`upper(${row.title})`, { takes: text({ max: 5, required: false }) }),
    tags: computed({
      columns: ['words'],
      value: ({ words }) =>
        String(words)
          .split(' ')
          .filter(word => word !== ''),
      takes: list({ of: text({ max: 10 }), max: 3, default: [] }),
    }),
  },
  hookColumns: ['words'],
  prepare({ given }) {
    seen.push(given.loud)
    return given.tags === undefined ? {} : { words: given.tags.join(' ') }
  },
})

test('what no column stores is neither unique nor fixed, and an alias needs a field that fills its column', () => {
  const takes = text({ unique: 'Taken.' })
  assert.throws(() => computed(text(), ({ row }) => sql`${row.title}`, { takes }), {
    message: 'computed(): takes: no column stores the value: remove "unique" and "fixed"',
  })
  assert.throws(() => computed(text(), ({ row }) => sql`${row.title}`, { takes: readOnly(text()) as never }), {
    message: 'computed(): takes: a field that only has a type, such as boolean(), integer() or text()',
  })
  const fields = { id: key(), name: text({ column: 'title', required: false }) }
  assert.throws(() => resource('notes', { table: 'notes', fields }), /field "name" is optional: give it a default/)
})

onEachDatabase(
  () => ({ resources: [notes] }),
  api => {
    const send = async (method: string, url: string, json?: unknown) => {
      const response = await api().client.request(method, url, json === undefined ? {} : { json })
      return { status: response.status, body: response.text === '' ? undefined : JSON.parse(response.text) }
    }

    test('a hook gets the value, and responses show what is computed', async () => {
      seen.length = 0
      const created = await send('POST', '/notes/', { title: 'tea', loud: 'x', tags: ['a', 'b'] })
      const { id } = created.body
      assert.deepEqual(created, {
        status: 201,
        body: { id, title: 'tea', heading: 'tea', loud: 'TEA', tags: ['a', 'b'] },
      })
      assert.deepEqual((await send('PATCH', `/notes/${id}/`, { tags: [] })).body.tags, [])
      assert.deepEqual((await send('PATCH', `/notes/${id}/`, { loud: 'y' })).body.loud, 'TEA')
      assert.deepEqual((await send('PUT', `/notes/${id}/`, created.body)).status, 200)
      assert.deepEqual(seen, ['x', undefined, 'y', 'TEA'])
    })

    test('a value that is not stored is checked as others are', async () => {
      for (const [json, name] of [
        [{ loud: 'too long' }, 'loud'],
        [{ loud: null }, 'loud'],
        [{ tags: ['x'.repeat(11)] }, 'tags'],
        [{ tags: 'x' }, 'tags'],
        [{ Tags: [] }, 'Tags'],
      ] as const) {
        const { status, body } = await send('POST', '/notes/', { title: 'tea', ...json })
        assert.deepEqual([status, Object.keys(body)], [400, [name]])
      }
    })

    test('both names write the column; the last field counts, and no default replaces what a body gives', async () => {
      const { body: both } = await send('POST', '/notes/', { title: 'a', name: 'b' })
      assert.deepEqual([both.title, both.heading], ['b', 'b'])
      assert.equal((await send('PATCH', `/notes/${both.id}/`, { name: 'c' })).body.title, 'c')
      assert.equal((await send('PATCH', `/notes/${both.id}/`, { title: 'd' })).body.heading, 'd')
      assert.deepEqual((await send('POST', '/notes/', { name: 'b' })).body, { title: ['This field is required.'] })
      const many = await send('POST', '/notes/', [{ title: 'e' }, { title: 'f', name: 'g' }])
      assert.deepEqual(
        many.body.map(({ title }: { title: string }) => title),
        ['e', 'g'],
      )
      const typed = createClient<readonly [typeof notes]>({
        baseUrl: 'http://localhost/',
        fetch: injectFetch(api().client),
      })
      const { tags } = await typed.notes.create({ title: 'h', name: 'i', tags: ['a'] })
      assert.deepEqual(tags satisfies readonly string[], ['a'])
    })

    test('the OpenAPI document and the form contain the fields', async () => {
      const document = (await send('GET', '/openapi.json')).body
      const text = JSON.stringify(document)
      assert.match(text, /"loud":\{[^}]*"maxLength":5/)
      const page = await api().client.get('/notes/?new', { headers: { accept: 'text/html' } })
      assert.match(page.text, /name="loud"/)
      assert.match(page.text, /name="name"/)
      assert.doesNotMatch(page.text, /name="heading"/)
    })
  },
  { migrations: {}, owners: [schema] },
)
