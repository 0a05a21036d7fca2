// `rowsPerRequest` bounds the rows of one request: items, their children and the children of these, keys in relations to many, and
// what the removal of children deletes or changes. Beyond it, the request is 400, and nothing is written.

import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { createApi, key, type Migrations, nested, related, resource, TooManyRows, text } from 'resource-api'
import { defineService, profile, readSettings } from 'resource-api/service'
import { testService } from 'resource-api/testing'
import { SettingsError } from '../../src/service/settings/settings-error.ts'
import { onEachDatabase } from '../support/own-api.ts'
import { skipUnlessThorough } from '../support/repetitions.ts'

const migrations: Migrations = {
  async '0001_family'({ schema }, { key, reference, text }) {
    await schema.createTable('labels').addColumn('id', key).addColumn('name', text).execute()
    const create = (table: string) =>
      schema
        .createTable(table)
        .addColumn('id', key)
        .addColumn('name', text, column => column.notNull())
    await create('parents').execute()
    for (const [table, owner] of [
      ['kids', 'parents'],
      ['grandkids', 'kids'],
    ] as const)
      await create(table)
        .addColumn('parent_id', reference, column => column.references(`${owner}.id`).onDelete('cascade'))
        .execute()
    // Rows that stay when a child is removed, and one that the child may not lose.
    await create('notes')
      .addColumn('kid_id', reference, column => column.references('kids.id').onDelete('set null'))
      .execute()
    await schema
      .createTable('parent_labels')
      .addColumn('parent_id', reference, column => column.references('parents.id').onDelete('cascade'))
      .addColumn('label_id', reference, column => column.references('labels.id').onDelete('cascade'))
      .execute()
  },
}

const labels = resource('labels', { table: 'labels', fields: { id: key(), name: text() } })
const grandkids = resource('grandkids', {
  table: 'grandkids',
  fields: { id: key(), name: text(), parent: related('kids', { column: 'parent_id' }) },
})
const kids = resource('kids', {
  table: 'kids',
  fields: {
    id: key(),
    name: text(),
    parent: related('parents', { column: 'parent_id' }),
    kids: nested({ of: grandkids, many: { reverse: 'parent_id' }, fields: ['id', 'name'], writable: true }),
  },
})
const fields = {
  id: key(),
  name: text(),
  labels: related(labels, { many: { table: 'parent_labels', own: 'parent_id', other: 'label_id' }, default: [] }),
  kids: nested({ of: kids, many: { reverse: 'parent_id' }, fields: ['id', 'name', 'kids'], writable: true }),
}
const parents = resource('parents', { table: 'parents', bulk: 'atomic', fields })
const each = resource('each', { table: 'parents', bulk: 'each', fields })
const adders = resource('adders', {
  table: 'parents',
  fields: {
    id: key(),
    name: text(),
    kids: nested({
      of: kids,
      many: { reverse: 'parent_id' },
      fields: ['id', 'name'],
      writable: ['add', 'change'],
    }),
  },
})
const callers = resource('callers', {
  table: 'labels',
  fields: { id: key(), name: text() },
  async afterSave(context) {
    await parents.create({ name: 'called', kids: family(30) }, context)
  },
})

/** This many children, each with this many children of its own. */
const family = (children: number, grandchildren = 0) =>
  Array.from({ length: children }, () => ({
    name: 'kid',
    ...(grandchildren > 0 && { kids: Array.from({ length: grandchildren }, () => ({ name: 'grandkid' })) }),
  }))
/** This many objects with such children. */
const many = (objects: number, children = 0, grandchildren = 0) =>
  Array.from({ length: objects }, () => ({
    name: 'parent',
    ...(children > 0 && { kids: family(children, grandchildren) }),
  }))

const limit = 20
const refusal = {
  detail: 'This request would write or delete more than 20 rows. Send several smaller requests.',
}

const options = { resources: [labels, grandkids, kids, parents, each, adders, callers] }

onEachDatabase(
  () => ({ ...options, rowsPerRequest: limit }),
  api => {
    const count = async () => {
      const tables = ['parents', 'kids', 'grandkids', 'labels', 'parent_labels']
      const rows = tables.map(table => api().database.kysely.selectFrom(table).selectAll().execute())
      return (await Promise.all(rows)).map(found => found.length)
    }
    let before: readonly number[]
    beforeEach(async () => {
      before = await count()
    })
    const send = (method: string, url: string, json: unknown) => api().client.request(method, url, { json })
    const assertRefused = async (method: string, url: string, json: unknown) => {
      const response = await send(method, url, json)
      assert.deepEqual([response.status, response.json()], [400, refusal])
      assert.deepEqual(await count(), before)
    }
    const assertWritten = async (method: string, url: string, json: unknown) => {
      const response = await send(method, url, json)
      assert.ok([200, 201, 204, 207].includes(response.status), response.text)
      return response.status === 204 ? undefined : response.json()
    }

    test('items of an array', async () => {
      await assertRefused('POST', '/parents/', many(limit + 1))
      await assertWritten('POST', '/parents/', many(limit))
      const keys = (await assertWritten('POST', '/parents/', many(limit))).map(({ id }: { id: number }) => id)
      const other = (await assertWritten('POST', '/parents/', { name: 'x' })).id
      before = await count()
      const items = [...keys, other].map(id => ({ id, name: 'new' }))
      for (const method of ['PATCH', 'PUT']) await assertRefused(method, '/parents/', items)
      await assertRefused('DELETE', '/parents/', [...keys, other])
      await assertWritten('PATCH', '/parents/', items.slice(1))
      await assertWritten('DELETE', '/parents/', keys)
    })

    test('items and their children, in both modes', async () => {
      for (const url of ['/parents/', '/each/']) {
        await assertWritten('POST', url, many(4, 4))
        before = await count()
        await assertRefused('POST', url, many(5, 4))
        // A wrong item does not make room for others.
        await assertRefused('POST', url, [{ name: '' }, ...many(4, 4)])
      }
    })

    test('children and their children, of one object', async () => {
      const { id } = await assertWritten('POST', '/parents/', { name: 'x', kids: family(6, 2) })
      before = await count()
      await assertRefused('POST', '/parents/', { name: 'x', kids: family(7, 2) })
      await assertRefused('POST', '/parents/', { name: 'x', kids: family(limit) })
      await assertRefused('PUT', `/parents/${id}/`, { name: 'x', kids: family(7, 2) })
      await assertRefused('PATCH', `/parents/${id}/`, { kids: family(7, 2) })
    })

    test('existing objects that are read at the same time, and exceed the limit together', async () => {
      const written = await assertWritten('POST', '/parents/', many(2, 2))
      before = await count()
      const items = written.map(({ id }: { id: number }) => ({ id, name: 'x', kids: family(15) }))
      for (const url of ['/parents/', '/each/'])
        for (const method of ['PATCH', 'PUT']) await assertRefused(method, url, items)
      const [{ id, kids: given }] = written
      const grown = given.map((kid: { id: number }) => ({ id: kid.id, name: 'x', kids: family(15) }))
      for (const method of ['PATCH', 'PUT']) await assertRefused(method, `/parents/${id}/`, { name: 'x', kids: grown })
    })

    test('keys in relations to many', async () => {
      const found = await api().insert(
        'labels',
        Array.from({ length: 12 }, () => ({ name: 'x' })),
      )
      before = await count()
      await assertWritten('POST', '/parents/', [{ name: 'x', labels: found }])
      before = await count()
      await assertRefused('POST', '/parents/', [
        { name: 'x', labels: found },
        { name: 'y', labels: found },
      ])
      await assertRefused('POST', '/parents/', { name: 'x', labels: found, kids: family(8) })
    })

    test('what the removal of children deletes or changes', async () => {
      const { id, kids: given } = await assertWritten('POST', '/parents/', { name: 'x', kids: family(6, 2) })
      const [first, ...others] = given as readonly { readonly id: number }[]
      // 1 object, 6 children that are removed, and 12 children of these.
      await api().insert('notes', [{ name: 'x', kid_id: first!.id }])
      await assertWritten('PATCH', `/parents/${id}/`, { name: 'y' })
      await api().insert('notes', [{ name: 'y', kid_id: first!.id }])
      before = await count()
      await assertRefused('PATCH', `/parents/${id}/`, { kids: [] })
      await assertRefused('PATCH', '/parents/', [{ id, kids: [] }])
      await assertRefused('PATCH', '/each/', [{ id, kids: [] }])
      await assertWritten('PATCH', `/parents/${id}/`, { kids: others.map(kid => ({ id: kid.id })) })
      await assertWritten('PATCH', `/parents/${id}/`, { kids: [] })
      assert.deepEqual(
        await count(),
        before.map((rows, index) => rows - ([0, 6, 12][index] ?? 0)),
      )
    })

    test('an object with more children than the limit: it can be changed and deleted, and its children only few at a time', async () => {
      const [id] = await api().insert('parents', [{ name: 'large' }])
      const children = await api().insert(
        'kids',
        Array.from({ length: 50 }, () => ({ name: 'x', parent_id: id })),
      )
      before = await count()
      await assertRefused('PATCH', `/parents/${id}/`, { kids: [] })
      await assertRefused('PATCH', `/parents/${id}/`, { kids: [{ id: children[40], name: 'y' }] })
      await assertWritten('PATCH', `/adders/${id}/`, { kids: [{ id: children[40], name: 'y' }, { name: 'new' }] })
      const names = (await api().rows('kids')).filter(({ parent_id }) => parent_id === id).map(({ name }) => name)
      assert.deepEqual([names.length, names[40], names[50]], [51, 'y', 'new'])
      await assertWritten('PATCH', `/parents/${id}/`, { name: 'z' })
      assert.equal((await api().client.delete(`/parents/${id}/`)).status, 204)
    })

    test('a called action is the code of the application, so it is not counted', async () => {
      await assertWritten('POST', '/callers/', { name: 'x' })
      assert.equal((await count())[1]! - before[1]!, 30)
    })
  },
  { migrations },
)

onEachDatabase(
  () => options,
  api => {
    test('the default is 10,000 rows, which bulk and nested together exceed with the default of each', async () => {
      const response = await api().client.post('/parents/', { json: many(100, 100) })
      assert.deepEqual([response.status, response.json()], [400, { detail: refusal.detail.replace('20', '10000') }])
      assert.deepEqual(await api().rows('parents'), [])
      const written = await api().client.post('/parents/', { json: many(100, 99) })
      assert.equal(written.status, 201)
      assert.equal(written.json()[99].kids.length, 99)
    })

    test('a family that is larger than the stack: no row is an argument of its own', async () => {
      const response = await api().client.post('/parents/', { json: many(1000, 130) })
      assert.equal(response.status, 400)
    })
  },
  { migrations },
)

onEachDatabase(
  () => ({ ...options, rowsPerRequest: 200_000 }),
  api => {
    test('1,000 objects with 130 children each are written if the limit allows them', {
      skip: skipUnlessThorough,
    }, async () => {
      const response = await api().client.post('/parents/', {
        json: many(1000, 130),
        headers: { prefer: 'return=minimal' },
      })
      assert.equal(response.status, 201, response.text.slice(0, 200))
      const [{ count }] = (await api()
        .database.kysely.selectFrom('kids')
        .select(({ fn }) => fn.countAll().as('count'))
        .execute()) as [{ count: number }]
      assert.equal(Number(count), 130_000)
    })
  },
  { migrations },
)

suite('the option', () => {
  test('a wrong value is an error at start', () => {
    for (const value of [0, -1, 1.5, '20', null, Number.NaN])
      assert.throws(() => createApi({ rowsPerRequest: value as never }), {
        message: `createApi(): rowsPerRequest must be a whole number from 1, not ${value}`,
      })
    createApi({ rowsPerRequest: 1 })
  })

  test('the exception is one of the catalogue', () => {
    const error = new TooManyRows(20)
    assert.deepEqual([error.status, error.codes, error.detail], [400, 'too_many_rows', refusal.detail])
  })

  test('limits.rowsPerRequest of a service', async () => {
    const shop = profile('shop', { resources: [labels, grandkids, kids, parents], migrations })
    await using api = await testService(defineService({ profiles: [shop], limits: { rowsPerRequest: limit } }))
    assert.deepEqual((await api.post('/parents/', many(5, 4))).json(), refusal)
    await api.post('/parents/', many(4, 4)).expect(201)
    assert.throws(() => readSettings({ file: { limits: { rowsPerRequest: 0 } } }), SettingsError)
  })
})
