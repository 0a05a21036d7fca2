// A mistake of a hook is a 500 whose cause the log and `showCauses` show, and never a 400 that tells the client about its values:
// null in a column that is NOT NULL, and the key of a row that does not exist.

import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { sql } from 'kysely'
import { type Connection, integer, key, type Migrations, nested, readOnly, related, resource, text } from 'resource-api'
import { onEachDatabase } from '../support/own-api.ts'

const migrations: Migrations = {
  async '0001_notes'({ schema }, { key, reference, text }) {
    await schema.createTable('owners').addColumn('id', key).addColumn('name', text).execute()
    await schema
      .createTable('notes')
      .addColumn('id', key)
      .addColumn('title', text, column => column.unique())
      .addColumn('code', text, column => column.unique())
      .addColumn('state', text, column => column.check(sql`state <> 'lost'`))
      .addColumn('parent_id', reference, column => column.references('notes.id').onDelete('cascade'))
      .addColumn('reader_id', reference, column => column.references('owners.id'))
      .addColumn('owner_id', reference, column => column.notNull().references('owners.id'))
      .execute()
    await schema
      .createTable('history')
      .addColumn('id', key)
      .addColumn('note_code', text, column => column.references('notes.code'))
      .addColumn('owner_id', reference, column => column.notNull().references('owners.id'))
      .execute()
  },
}

/** What `prepare` returns, and what happens after the row is written. */
let hooked: Readonly<Record<string, string | number | null>> = {}
let meanwhile: ((connection: Connection) => Promise<unknown>) | undefined

const fields = {
  id: key(),
  title: text({ nullable: true }),
  code: text({ nullable: true }),
  owner: readOnly(integer({ column: 'owner_id' })),
  reader: integer({ column: 'reader_id', nullable: true }),
}
const options = {
  table: 'notes',
  hookColumns: ['owner_id', 'state'],
  prepare: () => hooked,
  async afterSave({ connection }: { readonly connection: Connection }) {
    await meanwhile?.(connection)
  },
}
const notes = resource('notes', { ...options, fields, bulk: 'atomic' })
const each = resource('each', { ...options, fields, bulk: 'each' })
const children = resource('children', {
  ...options,
  fields: { ...fields, parent: related('parents', { column: 'parent_id' }) },
})
const parents = resource('parents', {
  table: 'notes',
  hookColumns: ['owner_id'],
  prepare: () => ({ owner_id: 1 }),
  fields: {
    id: key(),
    title: text({ nullable: true }),
    children: nested({
      of: children,
      many: { reverse: 'parent_id' },
      fields: ['id', 'title'],
      writable: true,
    }),
  },
})
const callers = resource('callers', {
  table: 'owners',
  fields: { id: key(), name: text() },
  async afterSave(context) {
    await notes.create({ title: 'called' }, context)
  },
})

const lines: string[] = []
const end = ', or throw an exception that refuses the request'

onEachDatabase(
  () => ({ resources: [notes, each, parents, children, callers], showCauses: true }),
  api => {
    const post = (url: string, json: unknown) => api().client.post(url, { json })
    const count = async () => (await api().rows('notes')).length

    beforeEach(async () => {
      if ((await api().rows('owners')).length === 0) await api().insert('owners', [{ name: 'ann' }])
      hooked = { owner_id: 1 }
      meanwhile = undefined
    })

    /** The request is a 500, whose cause and log name the column, and nothing is written. */
    const assertMistake = async (send: () => ReturnType<typeof post>, message: string) => {
      const before = await count()
      lines.length = 0
      const response = await send()
      const { detail, cause } = response.json()
      assert.deepEqual([response.status, detail], [500, 'A server error occurred.'], response.text)
      assert.equal(cause.message, message)
      const logged = lines.map(line => JSON.parse(line).err?.message).filter(Boolean)
      // The logger adds the messages of the causes.
      assert.deepEqual(
        logged.map(text => text.slice(0, message.length)),
        [message],
      )
      assert.equal(cause.cause.type, 'ConstraintViolation')
      assert.equal(await count(), before)
    }

    for (const [value, problem, other] of [
      [
        null,
        'wrote null to the column "owner_id" of table "notes", which is NOT NULL: return a value',
        'wrote null to a column that is NOT NULL: write a value',
      ],
      [
        999_999,
        'wrote the key of a missing row to the column "owner_id" of table "notes": return the key of an existing one',
        'broke a foreign key of another table: write the key of an existing row',
      ],
    ] as const)
      suite(`a hook writes ${value}`, () => {
        const wrong = () => {
          hooked = { owner_id: value }
        }
        test('ERR-EXC-r11: POST and PATCH', async () => {
          const { id } = (await post('/notes/', {})).json()
          wrong()
          const message = `resource "notes": a hook ${problem}${end}`
          await assertMistake(() => post('/notes/', {}), message)
          await assertMistake(() => api().client.patch(`/notes/${id}/`, { json: { reader: 1 } }), message)
        })

        test('ERR-EXC-r11: many objects, in both modes', async () => {
          wrong()
          for (const name of ['notes', 'each'])
            await assertMistake(() => post(`/${name}/`, [{}, {}]), `resource "${name}": a hook ${problem}${end}`)
        })

        test('ERR-EXC-r11: children of an object', async () => {
          wrong()
          const message = `resource "children": a hook ${problem}${end}`
          await assertMistake(() => post('/parents/', { children: [{ title: 'a' }, { title: 'b' }] }), message)
        })

        test('ERR-EXC-r11: a called action', async () => {
          wrong()
          await assertMistake(() => post('/callers/', { name: 'bob' }), `resource "notes": a hook ${problem}${end}`)
          assert.equal((await api().rows('owners')).length, 1)
        })

        test('ERR-EXC-r11: a statement of a hook that writes another table', async () => {
          meanwhile = ({ kysely }) => kysely.insertInto('history').values({ owner_id: value }).execute()
          await assertMistake(
            () => post('/notes/', {}),
            `resource "notes": a statement of a hook or a trigger ${other}${end}`,
          )
        })
      })

    test('the fault of the client stays 400 at its field, whatever the hooks write', async () => {
      hooked = { owner_id: 1 }
      const unknown = await post('/notes/', { reader: 999_999 })
      assert.deepEqual(
        [unknown.status, unknown.json()],
        [400, { reader: ['Invalid pk "999999" - object does not exist.'] }],
      )
      await post('/notes/', { title: 'taken' })
      const taken = await post('/notes/', { title: 'taken' })
      assert.deepEqual([taken.status, taken.json()], [400, { title: ['This field must be unique.'] }])
    })

    test('a CHECK may depend on what the client sent, so it stays 400', async () => {
      hooked = { owner_id: 1, state: 'lost' }
      const response = await post('/notes/', {})
      assert.deepEqual(
        [response.status, response.json()],
        [400, { non_field_errors: ['These values are not allowed.'] }],
      )
    })

    test('a change of a value to which others refer is 409, as a deletion is', async () => {
      const { id } = (await post('/notes/', { code: 'A1' })).json()
      await api().insert('history', [{ note_code: 'A1', owner_id: 1 }])
      for (const method of ['PATCH', 'PUT'] as const) {
        const response = await api().client.request(method, `/notes/${id}/`, { json: { code: 'B2' } })
        assert.deepEqual([response.status, response.json()], [409, { detail: 'Other objects refer to this one.' }])
      }
      hooked = { owner_id: 999_999 }
      await assertMistake(
        () => api().client.put(`/notes/${id}/`, { json: { code: 'A1' } }),
        `resource "notes": a hook wrote the key of a missing row to the column "owner_id" of table "notes": return the key of an existing one${end}`,
      )
    })
  },
  { migrations, log: line => lines.push(line) },
)
