// Normalizers of a value and of a whole body.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import {
  date,
  email,
  integer,
  key,
  list,
  listView,
  type Migrations,
  related,
  resource,
  slug,
  text,
  ValidationError,
} from 'resource-api'
import { onEachDatabase } from '../support/own-api.ts'

const groups = resource('groups', { table: 'groups', fields: { id: key(), name: text() } })

/** Results of normalizers that are mistakes. */
const mistakes: Readonly<Record<string, unknown>> = {
  nothing: undefined,
  null: null,
  number: 5,
  promise: Promise.resolve('a'),
}

const fields = {
  id: key(),
  name: text({ max: 5, normalize: value => value.replace(/\s+/g, ' ').toLowerCase() }),
  address: email({ nullable: true, unique: 'Taken.', normalize: value => value.toLowerCase() }),
  code: text({
    default: '',
    blank: true,
    normalize(value) {
      if (value === 'broken') throw new Error('broken')
      if (value === 'bad') throw new ValidationError('Not this code.', 'bad')
      return Object.hasOwn(mistakes, value) ? (mistakes[value] as string) : value
    },
  }),
  tens: integer({ default: 0, max: 100, normalize: value => value * 10, validators: [isNotForty] }),
  tags: list({ of: text({ max: 3 }), default: [], normalize: tags => [...new Set(tags)].sort() }),
  day: date({ nullable: true, normalize: day => `${day.slice(0, 8)}01` }),
  handle: slug({ default: 'none', unique: 'This handle is taken.' }),
  group: related(groups, { form: 'url', nullable: true }),
}

function isNotForty(value: number): void {
  if (value === 40) throw new ValidationError('Not forty.')
}

const notes = resource('notes', {
  table: 'notes',
  fields,
  filters: { address: true, tens: true },
  listViews: {
    echo: listView({
      body: { name: fields.name },
      handlers: { POST: ({ body }) => ({ status: 200, body }) },
    }),
  },
  normalize: ({ group, ...values }) => {
    if (values.name === 'wrong') return undefined as never
    if (values.name === 'read') return { ...values, id: 3 }
    if (values.name === 'other') return { ...values, other: 3 }
    if (values.name === 'taken') return { ...values, handle: 'x', tens: 400, tags: ['long text'] }
    const known = group === undefined ? values : { ...values, group: group === 1 ? 2 : group }
    return values.name === undefined ? known : { ...known, handle: values.name.replaceAll(' ', '-') }
  },
})

const migrations: Migrations = {
  async '0001_notes'({ schema }, { key, text, reference, json, date }) {
    await schema.createTable('groups').addColumn('id', key).addColumn('name', text).execute()
    await schema
      .createTable('notes')
      .addColumn('id', key)
      .addColumn('name', text, column => column.notNull())
      .addColumn('address', text, column => column.unique())
      .addColumn('code', text, column => column.notNull())
      .addColumn('tens', 'integer', column => column.notNull())
      .addColumn('tags', json, column => column.notNull())
      .addColumn('day', date)
      .addColumn('handle', text, column => column.notNull().unique())
      .addColumn('group_id', reference)
      .execute()
  },
}

onEachDatabase(
  () => ({ resources: [groups, notes] }),
  api => {
    const post = (json: object) => api().client.post('/notes/', { json })

    beforeEach(async () => {
      await api().database.transaction(({ kysely }) => kysely.deleteFrom('notes').execute())
    })

    test('a value is normalized before it is checked and stored', async () => {
      const created = await post({
        name: ' A \t B ',
        address: 'Ann@X.org',
        tens: 3,
        tags: ['b', 'a', 'b'],
        day: '2024-05-17',
      })
      const { name, address, tens, tags, day } = created.json()
      assert.deepEqual([name, address, tens, tags, day], ['a b', 'ann@x.org', 30, ['a', 'b'], '2024-05-01'])
      assert.deepEqual((await post({ name: 'c', address: 'ANN@x.ORG' })).json(), { address: ['Taken.'] })
      assert.equal((await api().client.get('/notes/?address=ANN@X.ORG')).json().length, 1)
      assert.equal((await api().client.get('/notes/?tens=3')).json().length, 1)
      const form = await api().client.post('/notes/', {
        form: [
          ['name', 'D'],
          ['tags', 'y'],
          ['tags', 'x'],
        ],
      })
      assert.deepEqual([form.json().name, form.json().tags], ['d', ['x', 'y']])
      const echo = await api().client.post('/notes/echo/', { json: { name: 'X   Y' } })
      assert.deepEqual(echo.json(), { name: 'x y' })
    })

    test('the checks of a field apply to the normalized value', async () => {
      assert.deepEqual((await post({ name: 'a', tens: 4 })).json(), { tens: ['Not forty.'] })
      const tooLarge = ['Ensure this value is less than or equal to 100.']
      assert.deepEqual((await post({ name: 'a', tens: 11 })).json(), { tens: tooLarge })
      assert.deepEqual((await post({ name: 'a', code: 'bad' })).json(), { code: ['Not this code.'] })
      assert.equal((await post({ name: `a${' '.repeat(300)}b` })).status, 201)
      const wrong = await post({ name: 5.5, tens: 'x', tags: 'x', day: '2024-02-30' })
      assert.deepEqual(Object.keys(wrong.json()), ['tens', 'tags', 'day'])
    })

    test('a normalizer that fails or returns another type is an error of the service, and writes nothing', async () => {
      for (const code of [...Object.keys(mistakes), 'broken'])
        assert.equal((await post({ name: 'a', code })).status, 500)
      assert.deepEqual(await api().rows('notes'), [])
    })

    test('a normalizer of the body sees parsed values, and what it sets is checked', async () => {
      const { client, insert } = api()
      await insert('groups', [
        { id: 1, name: 'a' },
        { id: 2, name: 'b' },
      ])
      const url = (id: number) => `${client.origin}/groups/${id}/`
      const { id, handle, group } = (await post({ name: 'A B', group: url(1) })).json()
      assert.deepEqual([handle, group], ['a-b', url(2)])
      const path = `/notes/${id}/`
      const changed = (await client.patch(path, { json: { name: 'C' } })).json()
      assert.deepEqual([changed.name, changed.handle, changed.group], ['c', 'c', url(2)])
      assert.equal((await client.patch(path, { json: { tens: 2 } })).json().handle, 'c')
      assert.deepEqual((await post({ name: 'c' })).json(), { handle: ['This handle is taken.'] })
      assert.deepEqual((await post({ name: 'é' })).json().handle.length, 1)
      assert.deepEqual(Object.keys((await post({ name: 'taken' })).json()), ['tens', 'tags'])
    })

    test('a normalizer of the body that returns nothing or names no writable field is an error of the service', async () => {
      for (const name of ['wrong', 'read', 'other']) assert.equal((await post({ name })).status, 500, name)
      assert.deepEqual(await api().rows('notes'), [])
    })
  },
  { migrations },
)
