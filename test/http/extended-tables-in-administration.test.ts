// Objects of two tables in the administration: pages, history, what a deletion affects, undoing, lists as files and imports.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { createApi, integer, key, migrate, openDatabase, related, resource, text } from 'resource-api'
import { adminResource, createAccounts, hashPassword } from 'resource-api/accounts'
import { reference, table, tables } from 'resource-api/tables'
import { findCsrfToken, openBrowser } from '../support/browser.ts'
import { injectClient } from '../support/client.ts'
import { eitherDatabase } from '../support/repetitions.ts'
import { createDatabase, createFile, password } from '../support/service.ts'

const places = table('places', { columns: { id: key(), name: text({ max: 30, unique: 'taken' }) } })
const restaurants = table('restaurants', { extends: { place: places }, columns: { seats: integer({ min: 1 }) } })
const bookings = table('bookings', {
  columns: { id: key(), restaurant: reference('restaurants', { onDelete: 'cascade' }), guest: text() },
})
const reviews = table('reviews', {
  columns: { id: key(), place: reference('places', { onDelete: 'cascade' }), text: text() },
})
const schema = tables({ owner: 'town', tables: [places, restaurants, bookings, reviews] })

const placeResource = resource('places', { table: places, objectName: 'name', fields: places.pick('id', 'name') })
const restaurantResource = resource('restaurants', {
  table: restaurants,
  objectName: 'name',
  fields: restaurants.pick('id', 'name', 'seats'),
})
const bookingResource = resource('bookings', {
  table: bookings,
  fields: { ...bookings.pick('id', 'guest'), restaurant: related(restaurantResource) },
})
const reviewResource = resource('reviews', {
  table: reviews,
  fields: { ...reviews.pick('id', 'text'), place: related(placeResource) },
})

const createStorage = { SQLite: createFile, PostgreSQL: createDatabase }[eitherDatabase]

test('the administration shows and writes both tables', async context => {
  const storage = await createStorage()
  const database = openDatabase(storage.url)
  const accounts = createAccounts({ database, secret: 'x'.repeat(40) })
  await migrate(database, [...accounts.migrations, schema])
  await accounts.secretRecord.claim()
  const app = Fastify()
  const declared = [placeResource, restaurantResource, bookingResource, reviewResource]
  await app.register(createApi({ ...accounts.apiOptions, resources: [] }))
  await app.register(createApi(accounts.administration({ resources: declared.map(each => adminResource(each)) })), {
    prefix: '/admin',
  })
  app.addHook('onClose', accounts.close)
  context.after(async () => {
    await app.close()
    await storage.remove()
  })
  const passwordHash = await hashPassword(password)
  await database.transaction(
    async connection =>
      void (await accounts.users.create(
        { username: 'root', passwordHash, isStaff: true, isSuperuser: true },
        connection,
      )),
  )
  const root = openBrowser(injectClient(app))
  await root.logIn('root')
  const send = async (method: string, url: string, json?: unknown) => {
    const response = await root.send(method, `/admin${url}`, json === undefined ? {} : { json: json as object })
    assert.ok(response.status < 300, `${method} ${url}: ${response.text}`)
    return response.text === '' ? undefined : response.json()
  }
  const html = { accept: 'text/html', 'sec-fetch-site': 'same-origin' }

  const { id } = await send('POST', '/restaurants/', { name: 'Napoli', seats: 20 })
  await send('PATCH', `/restaurants/${id}/`, { name: 'Roma', seats: 30 })
  await send('POST', '/bookings/', { guest: 'Eve', restaurant: id })
  await send('POST', '/reviews/', { text: 'good', place: id })
  const [changed] = (await send('GET', `/restaurants/${id}/history/`)).results
  assert.deepEqual(changed.changes, { name: { old: 'Napoli', new: 'Roma' }, seats: { old: 20, new: 30 } })

  const decode = (text = '') => text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
  const page = await root.get(`/admin/restaurants/${id}/`, { headers: html })
  const undo = decode(/href="([^"]*_undo&#61;\d+)"/.exec(page.text)?.[1])
  const form = await root.get(
    undo.startsWith('?') ? `/admin/restaurants/${id}/${undo}` : undo.replace(/^https?:\/\/[^/]+/, ''),
    { headers: html },
  )
  assert.match(form.text, /<del>Roma<\/del> <ins>Napoli<\/ins>.*<del>30<\/del> <ins>20<\/ins>/)
  const action = decode(/class="action" method="post" action="([^"]*)"/.exec(form.text)?.[1])
  const restored = await root.request('POST', action, {
    headers: html,
    form: { csrfmiddlewaretoken: findCsrfToken(form) },
  })
  assert.equal(restored.status, 303, restored.text)
  assert.deepEqual(await send('GET', `/restaurants/${id}/`), { id, name: 'Napoli', seats: 20 })

  const { deletes, prevents } = await send('GET', `/restaurants/${id}/deletion/`)
  assert.deepEqual(
    [deletes.map((row: { name: string }) => row.name).toSorted(), prevents],
    [['bookings', 'reviews'], []],
  )
  const file = await root.get('/admin/restaurants/?format=csv', { headers: html })
  assert.match(file.text, /Napoli/)
  await send('DELETE', `/restaurants/${id}/`)
  assert.equal((await send('GET', '/places/')).results?.length ?? 0, 0)
})
