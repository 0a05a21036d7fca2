// UUIDs that the body of a new object may give.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import {
  browsable,
  jsonRenderer,
  key,
  nested,
  pageNumber,
  readOnly,
  related,
  resource,
  rowFilter,
  text,
  uuidKey,
} from 'resource-api'
import { createClient } from 'resource-api/client'
import { reference, table, tables } from 'resource-api/tables'
import { loadData } from '../../src/service/data/load-data.ts'
import { fixture } from '../../src/service/data/resource-fixture.ts'
import { injectFetch } from '../support/client.ts'
import { onEachDatabase } from '../support/own-api.ts'

const mealTable = table('meals', {
  key: uuidKey({ given: true }),
  columns: { id: key(), name: text({ max: 20 }), owner: text({ default: 'ann' }) },
})
const itemTable = table('items', {
  key: uuidKey({ given: true, stored: 'hex' }),
  columns: { id: key(), name: text({ max: 20 }), meal: reference('meals') },
})
const schema = tables({ owner: 'kitchen', tables: [mealTable, itemTable] })

const items = resource('items', {
  table: itemTable,
  fields: { ...itemTable.pick('id', 'name'), meal: related('meals') },
})
const meals = resource('meals', {
  table: mealTable,
  bulk: 'atomic',
  unknownFields: 'refuse',
  permissions: [rowFilter(({ row }) => sql`${row.owner} = 'ann'`)],
  renderers: [jsonRenderer, browsable()],
  fields: {
    ...mealTable.pick('id', 'name', 'owner'),
    items: nested({ of: items, many: { reverse: 'meal_id' }, fields: ['id', 'name'], writable: true }),
  },
})
const unkeyed = resource('unkeyed', { table: mealTable, fields: mealTable.pick('name') })
const made = resource('made', { table: mealTable, fields: { ...mealTable.pick('name'), id: readOnly(key()) } })

const plain = resource('plain', { table: mealTable, fields: mealTable.pick('id', 'name', 'owner') })

const id = (digit: number) => `0190a000-0000-7000-8000-00000000000${digit}`
const taken = { id: ['This field must be unique.'] }

test('a key that the database makes cannot be given too', () => {
  assert.throws(() => uuidKey({ given: true, generated: 'database' }), {
    message: 'uuidKey(): given: true needs a key that the service makes: remove "generated"',
  })
})

onEachDatabase(
  () => ({ resources: [meals, items, unkeyed, made], pagination: pageNumber() }),
  api => {
    const send = async (method: string, url: string, json?: unknown) => {
      const response = await api().client.request(method, url, json === undefined ? {} : { json })
      return {
        status: response.status,
        location: response.headers.location,
        body: response.text === '' ? undefined : JSON.parse(response.text),
      }
    }

    test('the body of a new object gives its key, or the service makes it', async () => {
      const given = await send('POST', '/meals/', { id: id(1), name: 'Soup' })
      assert.deepEqual([given.status, given.location, given.body.id], [201, `http://localhost/meals/${id(1)}/`, id(1)])
      const left = await send('POST', '/meals/', { name: 'Bread' })
      assert.match(left.body.id, /^[\da-f-]{36}$/)
      const typed = createClient<readonly [typeof meals]>({
        baseUrl: 'http://localhost/',
        fetch: injectFetch(api().client),
      })
      assert.equal((await typed.meals.create({ id: id(2), name: 'Rice' })).id, id(2))
      assert.notEqual((await typed.meals.create({ name: 'Rice' })).id, id(2))
      assert.equal((await send('POST', '/unkeyed/', { id: id(3), name: 'Rice' })).status, 201)
      assert.notEqual((await send('POST', '/made/', { id: id(3), name: 'Rice' })).body.id, id(3))
    })

    test('a key that exists is an error and changes nothing, also for a hidden row and in another spelling', async () => {
      await api().insert('meals', [{ id: id(4), name: 'Secret', owner: 'bob' }])
      await send('POST', '/meals/', { id: id(5), name: 'Pie' })
      const stored = await api().rows('meals')
      for (const given of [id(4), id(5), id(5).toUpperCase(), `{${id(5)}}`, id(5).replaceAll('-', '')])
        assert.deepEqual(
          await send('POST', '/meals/', { id: given, name: 'x' }),
          { status: 400, location: undefined, body: taken },
          given,
        )
      const many = await send('POST', '/meals/', [
        { id: id(6), name: 'a' },
        { id: id(5), name: 'b' },
        { id: id(6), name: 'c' },
      ])
      assert.deepEqual([many.status, many.body[1]], [400, taken])
      assert.deepEqual(await api().rows('meals'), stored)
      const both = await Promise.all([1, 2, 3].map(() => send('POST', '/meals/', { id: id(7), name: 'Stew' })))
      assert.deepEqual(both.map(({ status }) => status).toSorted(), [201, 400, 400])
    })

    test('a malformed key, and a changed one, are errors of its field', async () => {
      for (const given of ['', 'x', 1, null, true, [], {}, 'x'.repeat(10_000)]) {
        const { status, body } = await send('POST', '/meals/', { id: given, name: 'x' })
        assert.deepEqual([status, Object.keys(body)], [400, ['id']])
      }
      const { body } = await send('POST', '/meals/', { name: 'Fish' })
      assert.deepEqual((await send('PUT', `/meals/${body.id}/`, { id: id(8), name: 'x' })).body, {
        id: ['This field cannot be changed after creation.'],
      })
      assert.equal((await send('PUT', `/meals/${body.id}/`, { id: body.id, name: 'y' })).body.name, 'y')
      assert.equal((await send('PUT', `/meals/${id(9)}/`, { id: id(9), name: 'y' })).status, 404)
      assert.deepEqual((await send('POST', '/meals/', { id: id(8), name: 'x', ID: id(8) })).body, {
        ID: ['There is no field "ID". Did you mean "id"?'],
      })
    })

    test('items of many, and children, have given keys too', async () => {
      const a = '0190a000-0000-7000-8000-0000000000a1'
      const b = '0190a000-0000-7000-8000-0000000000a2'
      const child = '0190a000-0000-7000-8000-0000000000b1'
      const hex = child.replaceAll('-', '')
      const many = await send('POST', '/meals/', [{ id: b, name: 'b' }, { id: a, name: 'a' }, { name: 'c' }])
      assert.deepEqual(
        many.body.slice(0, 2).map((meal: { id: string; name: string }) => [meal.id, meal.name]),
        [
          [b, 'b'],
          [a, 'a'],
        ],
      )
      const added = await send('PATCH', `/meals/${a}/`, { items: [{ id: child, name: 'Salt' }] })
      assert.deepEqual(added.body.items, [{ id: hex, name: 'Salt' }])
      const changed = await send('PATCH', `/meals/${a}/`, { items: [{ id: hex, name: 'Pepper' }] })
      assert.deepEqual(changed.body.items, [{ id: hex, name: 'Pepper' }])
      const stolen = await send('PATCH', `/meals/${b}/`, { items: [{ id: child, name: 'Mine' }] })
      assert.deepEqual([stolen.status, stolen.body], [400, { items: [taken] }])
    })

    test('the rows of a data file may have keys', async () => {
      const given = '0190a000-0000-7000-8000-0000000000c1'
      const target = { database: api().database, fixtures: { plain: fixture(plain) } }
      await loadData(target, { plain: [{ name: 'Tea' }, { name: 'Mate' }, { id: given, name: 'Milk' }] })
      const stored = (await api().rows('meals')).filter(({ name }) => ['Tea', 'Mate', 'Milk'].includes(String(name)))
      assert.equal(stored.length, 3)
      assert.equal(stored.find(({ name }) => name === 'Milk')!.id, given)
    })

    test('OPTIONS, the OpenAPI document and the page show the key as optional', async () => {
      const document = JSON.parse((await api().client.get('/openapi.json')).text)
      const schema = JSON.stringify(document.paths['/meals/'].post.requestBody)
      assert.match(JSON.stringify(document), /"id":\{"type":"string","format":"uuid"/, schema)
      const page = await api().client.get('/meals/?new', { headers: { accept: 'text/html' } })
      assert.match(page.text, /<input[^>]*name="id"/)
      assert.doesNotMatch(page.text, /<input[^>]*name="id"[^>]*required/)
      const form = await api().client.post('/meals/', { form: { id: '', name: 'Form' } })
      assert.equal(form.status, 201, form.text)
    })
  },
  { migrations: {}, owners: [schema] },
)
