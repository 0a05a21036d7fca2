// Writes that break a constraint of the database: what the caller is told, and that no name of the database is in it.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import {
  type Connection,
  type ExceptionHandler,
  integer,
  key,
  type Migrations,
  multipleChoice,
  readOnly,
  related,
  resource,
  text,
} from 'resource-api'
import { asUser, fullDetailsHandler, onEachDatabase, userScheme } from '../support/own-api.ts'

const migrations: Migrations = {
  async '0001_tables'({ schema }, { key, reference, text }) {
    await schema
      .createTable('shelves')
      .addColumn('id', key)
      .addColumn('place', text, column => column.notNull())
      .addColumn('parent_id', reference, column => column.references('shelves.id'))
      .execute()
    await schema
      .createTable('things')
      .addColumn('id', key)
      .addColumn('title', text, column => column.notNull())
      .addColumn('code', text, column => column.unique())
      .addColumn('row', 'integer')
      .addColumn('slot', 'integer')
      .addColumn('size', 'integer', column => column.check(sql`"size" > 0`))
      .addColumn('low', 'integer')
      .addColumn('high', 'integer')
      .addColumn('owner_name', text, column => column.notNull())
      .addColumn('stamp', text, column => column.unique())
      .addColumn('shelf_id', reference, column => column.references('shelves.id'))
      .addColumn('spare_id', reference, column => column.references('shelves.id').onDelete('restrict'))
      .addUniqueConstraint('one_thing_per_slot', ['row', 'slot'])
      .addCheckConstraint('in_order', sql`low < high`)
      .addCheckConstraint('named_owner', sql`owner_name <> 'nobody'`)
      .execute()
    await schema.createIndex('like_titles').on('things').unique().expression(sql`lower(title)`).execute()
    await schema
      .createTable('thing_labels')
      .addColumn('thing_id', reference, column => column.notNull().references('things.id').onDelete('cascade'))
      .addColumn('label', text, column => column.notNull())
      .addUniqueConstraint('one_thing_per_label', ['label'])
      .execute()
  },
}

/** The columns that the hooks of a thing write. */
let hooked: { owner_name: string | null; stamp: string | null }
/** Something that happens within the write, after the row. */
let meanwhile: ((connection: Connection) => Promise<unknown>) | undefined
let prepared = 0

const shelves = resource('shelves', {
  table: 'shelves',
  fields: {
    id: key(),
    place: text(),
    parent: related('shelves', { nullable: true }),
  },
})

/** Answers errors with their codes, by field. */
const keyedDetails: ExceptionHandler = (error, context) => {
  const response = fullDetailsHandler(error, context) as { body: unknown } | undefined
  const isList = response !== undefined && Array.isArray(response.body)
  return (isList ? { ...response, body: { [context.nonFieldErrorsKey]: response.body } } : response) as never
}

const optional = { nullable: true } as const

const things = resource('things', {
  table: 'things',
  fields: {
    id: key(),
    name: text({ column: 'title' }),
    code: text(optional),
    row: integer(optional),
    slot: integer(optional),
    size: integer(optional),
    low: integer(optional),
    high: integer(optional),
    // The column leads to a shelf, and the declaration does not say so.
    shelf: integer({ column: 'shelf_id', max: 2 ** 40, ...optional }),
    spare: integer({ column: 'spare_id', max: 2 ** 40, ...optional }),
    labels: multipleChoice(['red', 'blue'], {
      rows: { table: 'thing_labels', own: 'thing_id', other: 'label' },
      default: [],
    }),
  },
  hookColumns: ['owner_name', 'stamp'],
  prepare() {
    prepared++
    return hooked
  },
  beforeSave: async ({ connection }) => {
    await meanwhile?.(connection)
  },
})

/** A log in which things are never shown or changed by themselves. */
const notes = resource('notes', {
  table: 'shelves',
  actions: ['list', 'create'],
  fields: { id: key(), place: text(), parent_id: readOnly(integer({ nullable: true })) },
})

onEachDatabase(
  () => ({
    authentication: [userScheme],
    exceptionHandler: keyedDetails,
    resources: [shelves, things, notes],
  }),
  api => {
    let shelf: number
    let number = 0
    const name = () => `Thing ${++number}`
    const post = (json: object) => api().client.post('/things/', { ...asUser('ann'), json: { name: name(), ...json } })
    const assertRefused = async (response: ReturnType<typeof post>, status: number, body: object) => {
      const { status: given, text: shown } = await response
      assert.deepEqual([given, JSON.parse(shown)], [status, body])
      for (const secretName of ['title', 'owner_name', 'stamp', 'things', 'shelf_id', 'one_thing', 'in_order'])
        assert.ok(!shown.includes(secretName), `${secretName} in ${shown}`)
    }
    const isProtected = { message: 'Other objects refer to this one.', code: 'protected' }
    const notAllowed = { non_field_errors: [{ message: 'These values are not allowed.', code: 'constraint' }] }

    beforeEach(async () => {
      hooked = { owner_name: 'ann', stamp: null }
      meanwhile = undefined
      prepared = 0
      shelf = (await api().client.post('/shelves/', { json: { place: 'A1' } })).json().id
    })

    test('a delete of what others refer to is 409 protected, at once, and nothing is gone', async () => {
      for (const refer of ['shelf', 'spare']) {
        const [kept] = await api().insert('shelves', [{ place: 'B2' }])
        assert.equal((await post({ [refer]: kept })).status, 201)
        await assertRefused(api().client.delete(`/shelves/${kept}/`), 409, isProtected)
        assert.equal((await api().client.get(`/shelves/${kept}/`)).status, 200)
      }
    })

    test('a delete of what its own table refers to is 409 protected', async () => {
      await api().client.post('/shelves/', { json: { place: 'A2', parent: shelf } })
      await assertRefused(api().client.delete(`/shelves/${shelf}/`), 409, isProtected)
    })

    test('a unique constraint that no field names is 400 at its field, in the words of the catalogue', async () => {
      assert.equal((await post({ code: 'X' })).status, 201)
      const unique = { code: [{ message: 'This field must be unique.', code: 'unique' }] }
      prepared = 0
      await assertRefused(post({ code: 'X' }), 400, unique)
      assert.equal(prepared, 2, 'asked again once')
      const other = (await post({ code: 'Y' })).json()
      await assertRefused(api().client.patch(`/things/${other.id}/`, { json: { code: 'X' } }), 400, unique)
    })

    test('a unique set that no field names is 400 under the non-field key and names the fields', async () => {
      assert.equal((await post({ row: 1, slot: 1 })).status, 201)
      await assertRefused(post({ row: 1, slot: 1 }), 400, {
        non_field_errors: [{ message: 'The fields row, slot must make a unique set.', code: 'unique' }],
      })
      assert.equal((await post({ row: 1, slot: 2 })).status, 201)
    })

    test('a unique index over an expression is 400 at the field of its column', async () => {
      assert.equal((await post({ name: 'Emma' })).status, 201)
      const body = { name: [{ message: 'This field must be unique.', code: 'unique' }] }
      await assertRefused(post({ name: 'EMMA' }), 400, body)
    })

    test('a CHECK of one column is 400 at its field', async () => {
      const body = { size: [{ message: 'This value is not allowed.', code: 'constraint' }] }
      await assertRefused(post({ size: 0 }), 400, body)
      const { id } = (await post({ size: 1 })).json()
      await assertRefused(api().client.patch(`/things/${id}/`, { json: { size: -1 } }), 400, body)
    })

    test('a CHECK of several columns is 400 under the non-field key and names the fields', async () => {
      await assertRefused(post({ low: 2, high: 1 }), 400, {
        non_field_errors: [
          { message: 'The values of the fields low, high are not allowed together.', code: 'constraint' },
        ],
      })
    })

    test('a foreign key of a column that a field keeps is 400 at the field', async () => {
      const missing = { message: 'Invalid pk "999999" - object does not exist.', code: 'does_not_exist' }
      await assertRefused(post({ spare: shelf, shelf: 999_999 }), 400, { shelf: [missing] })
      await assertRefused(post({ spare: 999_999, shelf }), 400, { spare: [missing] })
      const { id } = (await post({})).json()
      await assertRefused(api().client.patch(`/things/${id}/`, { json: { spare: 999_999 } }), 400, { spare: [missing] })
    })

    test('rows of a field that break a constraint are 400 at the field', async () => {
      assert.equal((await post({ labels: ['red'] })).status, 201)
      await assertRefused(post({ labels: ['blue', 'red'] }), 400, {
        labels: [{ message: 'This value is not allowed.', code: 'constraint' }],
      })
    })

    for (const [rule, columns] of [
      ['a CHECK', { owner_name: 'nobody', stamp: null }],
      ['a unique constraint', { owner_name: 'ann', stamp: 'taken' }],
    ] as const)
      test(`${rule} of a column that no field shows is 400 under the non-field key, without a name`, async () => {
        await api().insert('things', [{ title: name(), owner_name: 'ann', ...(columns.stamp && { stamp: 'taken' }) }])
        hooked = columns
        await assertRefused(post({}), 400, notAllowed)
      })

    test('a create of what has no URL sends no Location', async () => {
      const created = await api().client.post('/notes/', { json: { place: 'C3' } })
      assert.deepEqual([created.status, created.headers.location], [201, undefined])
      const other = await api().client.post('/shelves/', { json: { place: 'C3' } })
      assert.equal(other.headers.location, `http://localhost/shelves/${other.json().id}/`)
    })
  },
  { migrations },
)
