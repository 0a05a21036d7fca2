// Fields of an application with the kind of a built-in field, or with a kind of their own.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { boolean, browsable, jsonRenderer, key, type Migrations, resource, text, ValidationError } from 'resource-api'
import { defineField } from 'resource-api/extend'
import { toReadableText } from '../support/html.ts'
import { onEachDatabase } from '../support/own-api.ts'

const migrations: Migrations = {
  async '0001_paints'({ schema }, { key, text, boolean }) {
    await schema
      .createTable('paints')
      .addColumn('id', key)
      .addColumn('color', text, column => column.notNull())
      .addColumn('glossy', boolean, column => column.notNull())
      .addColumn('note', text)
      .execute()
  },
}

const color = defineField<string>(
  {},
  {
    kind: { ...text().kind, name: 'color', input: 'color', lookups: ['exact', 'in'], example: '#ff8800' },
    parse(input) {
      if (typeof input === 'string' && /^#[\da-f]{6}$/.test(input)) return input
      throw new ValidationError('Enter a color.')
    },
  },
)

/** True or false, in other words; the kind converts it for the column and for JSON. */
const glossy = defineField<boolean>(
  { default: false },
  { kind: boolean().kind, parse: input => input === true || input === 'true' || input === 'glossy' },
)

const fields = { id: key(), color, glossy, note: text({ nullable: true }) }
const paints = resource('paints', { table: 'paints', fields, filters: { color: ['exact', 'in'], glossy: true } })
const options = { resources: [paints], renderers: [jsonRenderer, browsable()], allowedHosts: ['*'] }

onEachDatabase(
  database => ({ ...options, database }),
  api => {
    test('bodies, responses, filters and pages follow the kind', async () => {
      const note = '2026-01-31T12:00:00Z'
      const created = await api().client.post('/paints/', { json: { color: '#ff8800', glossy: 'glossy', note } })
      assert.deepEqual(created.json(), { id: created.json().id, color: '#ff8800', glossy: true, note })
      const list = async (query: string) => (await api().client.get(`/paints/?${query}`)).json().length
      assert.deepEqual([await list('color=%23ff8800'), await list('glossy=false')], [1, 0])
      const { POST } = (await api().client.request('OPTIONS', '/paints/')).json().actions
      assert.deepEqual([POST.color.type, POST.glossy.type], ['color', 'boolean'])
      const page = toReadableText((await api().client.get('/paints/?new', { headers: { accept: 'text/html' } })).text)
      const shown = await api().client.get('/paints/', { headers: { accept: 'text/html' } })
      assert.match(shown.text, /<td>2026-01-31T12:00:00Z<\/td>/, 'a text is not shown as a time')
      assert.match(page, /<input type="color" value="" id="post-color"/)
      assert.match(page, /<input type="checkbox" value="true" id="post-glossy"/)
    })
  },
  { migrations },
)

suite('mistakes are errors at start', () => {
  test('a lookup that does not fit the kind', () => {
    assert.throws(() => resource('paints', { table: 'paints', fields, filters: { color: ['contains'] } }), {
      message: /the lookup "contains" does not fit a value of the type color: use exact, in, not, not__in/,
    })
  })
})
