// readOnly() and writeOnly() hold for relations of every form, whether or not they name a column: bodies of no kind set a
// read-only field, and no response shows a write-only one.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import {
  key,
  list,
  type Migrations,
  nested,
  object,
  readOnly,
  related,
  resource,
  text,
  textKey,
  writeOnly,
} from 'resource-api'
import type { Field } from 'resource-api/extend'
import { testApi } from 'resource-api/testing'
import { onEachDatabase } from '../support/own-api.ts'

const people = resource('people', {
  table: 'people',
  objectName: 'name',
  fields: { id: key(), name: text({ unique: 'There is such a person.' }) },
})

/** The forms of a relation to one object, by the names of their fields; the column of each is the name and `_id`. */
const relations: Readonly<Record<string, { readonly field: () => Field; readonly body: (id: number) => unknown }>> = {
  plain: { field: () => related(people), body: id => id },
  with_column: { field: () => related(people, { column: 'with_column_id' }), body: id => id },
  nullable: { field: () => related(people, { nullable: true }), body: id => id },
  named: { field: () => related('people'), body: id => id },
  url: { field: () => related(people, { form: 'url' }), body: id => `/people/${id}/` },
  named_url: { field: () => related('people', { form: 'url', nullable: true }), body: id => `/people/${id}/` },
  object: { field: () => related(people, { shows: ['id', 'name'] }), body: id => id },
  text: { field: () => related('people', { shows: 'text' }), body: id => id },
  by_name: { field: () => related(people, { by: 'name' }), body: () => 'Bob' },
}
const names = Object.keys(relations)

const wrapAll = (wrap: (field: Field) => Field) =>
  Object.fromEntries(Object.entries(relations).map(([name, { field }]) => [name, wrap(field())]))

const columns: readonly string[] = names.map(name => `${name}_id`)
const ownedBy = (id: number | null): Readonly<Record<string, number | null>> =>
  Object.fromEntries(columns.map(column => [column, id]))

/** The keys of two people. */
let [ann, bob] = [0, 0]
const seen: unknown[] = []

const things = resource('things', {
  table: 'things',
  wire: 'camelCase',
  bulk: 'atomic',
  fields: {
    id: key(),
    title: text(),
    ...wrapAll(readOnly),
    friends: readOnly(related('people', { many: { table: 'thing_people', own: 'thing_id', other: 'person_id' } })),
    admirers: readOnly(nested({ of: 'people', many: { reverse: 'idol_id' } })),
  },
  hookColumns: columns,
  prepare: ({ action }) => (action === 'create' ? ownedBy(ann) : {}),
})

const secrets = resource('secrets', {
  table: 'things',
  fields: {
    id: key(),
    title: text(),
    ...wrapAll(writeOnly),
    passed: writeOnly(related('people', { nullable: true }), { stored: false }),
  },
  prepare({ given }) {
    seen.push((given as { readonly passed?: unknown }).passed)
    return {}
  },
})

const migrations: Migrations = {
  async '0001_things'({ schema }, { key, reference, text }) {
    await schema
      .createTable('people')
      .addColumn('id', key)
      .addColumn('name', text, column => column.notNull().unique())
      .addColumn('idol_id', reference, column => column.references('people.id'))
      .execute()
    let table = schema
      .createTable('things')
      .addColumn('id', key)
      .addColumn('title', text, column => column.notNull())
    for (const name of columns) table = table.addColumn(name, reference, column => column.references('people.id'))
    await table.execute()
    await schema
      .createTable('thing_people')
      .addColumn('thing_id', reference, column => column.notNull().references('things.id'))
      .addColumn('person_id', reference, column => column.notNull().references('people.id'))
      .execute()
  },
}

const toCamelCase = (name: string) => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())

onEachDatabase(
  () => ({ resources: [people, things, secrets] }),
  api => {
    beforeEach(async () => {
      seen.length = 0
      await api().database.transaction(async ({ kysely }) => {
        for (const table of ['thing_people', 'things', 'people']) await kysely.deleteFrom(table).execute()
      })
      ;[ann, bob] = (await api().insert('people', [{ name: 'Ann' }, { name: 'Bob' }])) as [number, number]
    })

    const bodyOf = (id: number, toName = (name: string) => name) =>
      Object.fromEntries(Object.entries(relations).map(([name, { body }]) => [toName(name), body(id)]))
    const readOwners = async () => {
      const [row] = await api().rows('things')
      return Object.fromEntries(columns.map(column => [column, row![column] && Number(row![column])]))
    }

    test('a create ignores each read-only relation, whose column a hook may write', async () => {
      const owners = { ...bodyOf(bob, toCamelCase), friends: [bob], admirers: [{ name: 'Cid' }] }
      const response = await api().client.post('/things/', { json: { title: 'A', ...owners } })
      assert.equal(response.status, 201)
      const { title, plain, byName, object, friends, admirers } = response.json()
      assert.deepEqual({ title, friends, admirers }, { title: 'A', friends: [], admirers: [] })
      assert.deepEqual({ plain, byName, object }, { plain: ann, byName: 'Ann', object: { id: ann, name: 'Ann' } })
      assert.deepEqual(await readOwners(), ownedBy(ann))
    })

    test('updates, forms and bulk writes ignore each of them', async () => {
      const [id] = await api().insert('things', [{ title: 'A', ...ownedBy(ann) }])
      const json = { title: 'B', ...bodyOf(bob, toCamelCase) }
      const { client } = api()
      const form = new URLSearchParams(
        Object.entries(json).map(([name, value]): [string, string] => [name, String(value)]),
      ).toString()
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      for (const response of [
        await client.put(`/things/${id}/`, { json }),
        await client.patch(`/things/${id}/`, { json }),
        await client.put(`/things/${id}/`, { headers, body: form }),
        await client.request('PATCH', '/things/', { json: [{ ...json, id }] }),
      ])
        assert.equal(response.status, 200, response.text)
      assert.deepEqual(await readOwners(), ownedBy(ann))
    })

    test('OPTIONS and the OpenAPI document say so', async () => {
      const { actions } = (await api().client.request('OPTIONS', '/things/')).json()
      const { schemas } = (await api().client.get('/openapi.json')).json().components
      for (const name of names.map(toCamelCase)) {
        assert.equal(actions.POST[name].read_only, true, name)
        for (const body of ['ThingCreate', 'ThingUpdate', 'ThingReplace'])
          assert.ok(!Object.hasOwn(schemas[body].properties, name), `${name} in ${body}`)
      }
    })

    test('bodies set each write-only relation, and no response shows it', async () => {
      const { client } = api()
      const created = await client.post('/secrets/', { json: { title: 'A', ...bodyOf(bob), passed: ann } })
      assert.equal(created.status, 201, created.text)
      const { id } = created.json()
      const changed = await client.patch(`/secrets/${id}/`, { json: { title: 'A' } })
      for (const response of [created, changed, await client.get(`/secrets/${id}/`)])
        assert.deepEqual(response.json(), { id, title: 'A' })
      assert.deepEqual((await client.get('/secrets/')).json(), [{ id, title: 'A' }])
      assert.deepEqual(await readOwners(), ownedBy(bob))
      assert.deepEqual(seen, [ann, undefined])
    })
  },
  { migrations },
)

test('a key that is read-only although bodies must give it is an error at start', async () => {
  const codes = resource('codes', {
    table: 'codes',
    key: textKey({ column: 'code' }),
    fields: { code: readOnly(key()) },
  })
  const steps: Migrations = {
    async '0001_codes'({ schema }, { text }) {
      await schema
        .createTable('codes')
        .addColumn('code', text, column => column.primaryKey())
        .execute()
    },
  }
  await assert.rejects(
    testApi({ resources: [codes], migrations: [{ owner: 'codes', steps }] }),
    /resource "codes": create: nothing writes column "code" of table "codes", which is NOT NULL or the key and has no default/,
  )
})

test('a relation that names its resource cannot be part of a value that is stored as JSON', () => {
  const person = related('people') as Field
  assert.throws(() => list({ of: person }), /^Error: list\(\): an item cannot be a relation, computed/)
  assert.throws(
    () => object({ fields: { person } }),
    /^Error: object\(\): field "person" cannot be a relation, computed/,
  )
})
