// Tables that extend another one: each object has the columns of both, and every action reads and writes them as one row.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import {
  allowAny,
  boolean,
  browsable,
  type CreateBody,
  choice,
  createContext,
  forTypes,
  fullText,
  type Identity,
  integer,
  jsonRenderer,
  key,
  nested,
  type Representation,
  readOnly,
  related,
  text,
} from 'resource-api'
import {
  caller,
  count,
  created,
  exists,
  owner,
  reference,
  table,
  tables,
  updated,
  value,
  where,
} from 'resource-api/tables'
import type { RecordedWrite } from '../../src/core/resource/declare/object-change.ts'
import { asUser, onEachDatabase, people, userScheme } from '../support/own-api.ts'

const cities = table('cities', { columns: { id: key(), name: text() } })
const places = table('places', {
  columns: {
    id: key(),
    city: reference('cities', { onDelete: 'cascade' }),
    name: text({ max: 30, unique: 'There is a place with this name.' }),
    street: text({ max: 30 }),
    number: integer({ min: 1 }),
    kind: choice(['open', 'secret'], { default: 'open' }),
    author: owner(integer()),
    created_at: created(),
    updated_at: updated(),
  },
  unique: [['street', 'number']],
  rows: { or: [{ kind: 'open' }, { author: caller('id') }] },
})
const restaurants = table('restaurants', {
  extends: { place: places },
  columns: {
    code: text({ max: 10, unique: 'There is a restaurant with this code.' }),
    serves_pizza: boolean({ default: false }),
    seats: integer({ nullable: true }),
  },
  indexes: [['seats']],
})
const cinemas = table('cinemas', { extends: { place: places }, columns: { screens: integer({ min: 1 }) } })
const bookings = table('bookings', {
  columns: { id: key(), restaurant: reference('restaurants'), guest: text() },
})
const schema = tables({ owner: 'town', tables: [cities, places, restaurants, cinemas, bookings] })

const { resource } = forTypes<Identity, typeof schema>()
const changes: RecordedWrite['changes'][number][] = []
const shared = { pagination: null, ordering: ['id'], bulk: 'atomic' } as const

const cityResource = resource('cities', {
  ...shared,
  table: cities,
  fields: {
    ...cities.pick('id', 'name'),
    places: count('places'),
    pizzerias: count('places', { restaurants: { serves_pizza: true } }),
  },
})
const placeResource = resource('places', {
  ...shared,
  table: places,
  fields: {
    ...places.pick('id', 'name', 'street', 'number', 'kind', 'created_at', 'updated_at'),
    city: related(cityResource),
    is_restaurant: exists('restaurants'),
  },
  filters: { pizza: where({ restaurants: { serves_pizza: value(boolean()) } }) },
})
const restaurantResource = resource('restaurants', {
  ...shared,
  table: restaurants,
  fields: {
    ...restaurants.pick(
      'id',
      'name',
      'street',
      'number',
      'kind',
      'code',
      'serves_pizza',
      'seats',
      'created_at',
      'updated_at',
    ),
    city: related(cityResource),
    place: readOnly(related(placeResource)),
    city_name: text({ source: 'city.name' }),
    bookings: count('bookings'),
  },
  filters: {
    name: ['exact', 'startswith'],
    serves_pizza: true,
    seats: ['gte'],
    city: true,
    'city.name': true,
    near: where({ 'place.city.name': value(text()) }),
  },
  searchFields: ['name', 'code'],
  orderingFields: ['name', 'seats'],
  expandableFields: ['city', 'place'],
  sparseFields: true,
})
const bookingResource = resource('bookings', {
  ...shared,
  table: bookings,
  fields: {
    ...bookings.pick('id', 'guest'),
    restaurant: related(restaurantResource),
    restaurant_name: text({ source: 'restaurant.name' }),
    details: nested({ of: restaurantResource, column: 'restaurant_id', fields: ['name', 'code'] }),
  },
  filters: { 'restaurant.name': true },
})
const cinemaResource = resource('cinemas', {
  ...shared,
  ordering: ['name'],
  table: cinemas,
  lookup: 'name',
  fields: { ...cinemas.pick('name', 'street', 'number', 'screens'), city: related(cityResource) },
})

onEachDatabase(
  () => ({
    resources: [cityResource, placeResource, restaurantResource, bookingResource, cinemaResource],
    authentication: [userScheme],
    permissions: [allowAny],
    renderers: [jsonRenderer, browsable()],
    recordChanges: (write: RecordedWrite) => void changes.push(...write.changes),
  }),
  api => {
    const ann = asUser('ann')
    const as = (options: object = ann) => ({
      get: (url: string) => api().client.get(url, options),
      post: (url: string, json: unknown) => api().client.post(url, { ...options, json }),
      patch: (url: string, json: unknown) => api().client.patch(url, { ...options, json }),
      put: (url: string, json: unknown) => api().client.put(url, { ...options, json }),
      delete: (url: string, json?: unknown) =>
        api().client.delete(url, { ...options, ...(json !== undefined && { json }) }),
    })
    const names = (response: { json(): readonly { name: string }[] }) => response.json().map(({ name }) => name)
    let city = 0
    let numbers = 0
    const body = (name: string, others: object = {}) => ({
      city,
      name,
      street: 'High Street',
      number: ++numbers,
      code: name.slice(0, 5),
      ...others,
    })
    const add = async (name: string, others?: object) => {
      const response = await as().post('/restaurants/', body(name, others))
      assert.equal(response.status, 201, response.text)
      return response.json()
    }

    beforeEach(async () => {
      await api().database.transaction(async ({ kysely }) => {
        for (const name of ['bookings', 'restaurants', 'cinemas', 'places', 'cities'])
          await kysely.deleteFrom(name).execute()
      })
      city = (await api().insert('cities', [{ name: 'Graz' }]))[0]!
    })

    test('a new object is a row of both tables', async () => {
      const made = await add('Napoli', { serves_pizza: true, seats: 20 })
      const { id, place, created_at, updated_at, ...others } = made
      assert.equal(place, id)
      assert.deepEqual(others, {
        name: 'Napoli',
        street: 'High Street',
        number: numbers,
        kind: 'open',
        code: 'Napol',
        serves_pizza: true,
        seats: 20,
        city,
        city_name: 'Graz',
        bookings: 0,
      })
      assert.equal(created_at, updated_at)
      assert.deepEqual((await as().get(`/restaurants/${id}/`)).json(), made)
      assert.deepEqual(names(await as().get('/places/')), ['Napoli'])
      assert.equal((await as().get(`/places/${id}/`)).json().is_restaurant, true)
      assert.deepEqual((await as().get('/cities/')).json(), [{ id: city, name: 'Graz', places: 1, pizzerias: 1 }])
    })

    test('lists filter, search and order by the columns of both tables', async () => {
      await add('Napoli', { serves_pizza: true, seats: 20 })
      await add('Alt Wien', { seats: 60, code: 'AW' })
      await add('Nordsee', { seats: 10 })
      for (const [query, expected] of [
        ['', ['Napoli', 'Alt Wien', 'Nordsee']],
        ['?name=Napoli', ['Napoli']],
        ['?name__startswith=N&seats__gte=15', ['Napoli']],
        ['?serves_pizza=false&ordering=-name', ['Nordsee', 'Alt Wien']],
        ['?ordering=seats', ['Nordsee', 'Napoli', 'Alt Wien']],
        ['?ordering=-name', ['Nordsee', 'Napoli', 'Alt Wien']],
        ['?search=aw', ['Alt Wien']],
        ['?search=nord', ['Nordsee']],
        [`?city=${city}&city__name=Graz&near=Graz`, ['Napoli', 'Alt Wien', 'Nordsee']],
        ['?near=Wien', []],
      ] as const)
        assert.deepEqual(names(await as().get(`/restaurants/${query}`)), expected, query)
      assert.deepEqual((await as().get('/restaurants/?fields=name,seats&name=Napoli')).json(), [
        { name: 'Napoli', seats: 20 },
      ])
      const [expanded] = (await as().get('/restaurants/?expand=city&fields=city')).json()
      assert.equal(expanded.city.name, 'Graz')
      const [withPlace] = (await as().get('/restaurants/?expand=place&fields=place')).json()
      assert.equal(withPlace.place.is_restaurant, true)
      assert.deepEqual(names(await as().get('/places/?pizza=true')), ['Napoli'])
    })

    test('PATCH and PUT change the columns of both tables', async () => {
      const { id, ...before } = await add('Napoli', { seats: 20 })
      const url = `/restaurants/${id}/`
      const both = await as().patch(url, { name: 'Roma', seats: 30 })
      assert.deepEqual([both.status, both.json().name, both.json().seats], [200, 'Roma', 30])
      assert.ok(both.json().updated_at > before.updated_at)
      assert.equal((await as().patch(url, { street: 'Low Street' })).json().street, 'Low Street')
      assert.equal((await as().patch(url, { serves_pizza: true })).json().serves_pizza, true)
      assert.equal((await as().patch(url, {})).json().name, 'Roma')
      const put = await as().put(url, { ...body('Milano'), kind: 'secret' })
      assert.equal(put.status, 200, put.text)
      const { name, street, kind, seats, created_at } = put.json()
      assert.deepEqual(
        [name, street, kind, seats, created_at],
        ['Milano', 'High Street', 'secret', 30, before.created_at],
      )
      assert.deepEqual((await as().get(url)).json(), put.json())
      assert.equal((await as().get(`/places/${id}/`)).json().name, 'Milano')
    })

    test('errors name the fields of both tables, and nothing is written', async () => {
      await add('Napoli')
      await as().post('/places/', { city, name: 'Park', street: 'Ring', number: 1 })
      const before = await api().rows('places')
      for (const [json, errors] of [
        [
          { seats: 'x', number: 0 },
          {
            city: ['This field is required.'],
            name: ['This field is required.'],
            street: ['This field is required.'],
            number: ['Ensure this value is greater than or equal to 1.'],
            code: ['This field is required.'],
            seats: ['A valid integer is required.'],
          },
        ],
        // No restaurant has the name.
        [body('Park', { code: 'P' }), { name: ['There is a place with this name.'] }],
        [body('Other', { code: 'Napol' }), { code: ['There is a restaurant with this code.'] }],
        [
          { ...body('Other'), street: 'Ring', number: 1 },
          { non_field_errors: ['The fields street, number must make a unique set.'] },
        ],
        [body('Other', { city: 999 }), { city: ['Invalid pk "999" - object does not exist.'] }],
        [body('Other', { kind: 'x' }), { kind: ['"x" is not a valid choice.'] }],
      ] as const) {
        const response = await as().post('/restaurants/', json)
        assert.deepEqual([response.status, response.json()], [400, errors], JSON.stringify(json))
      }
      assert.deepEqual(await api().rows('places'), before)
      const [{ id }] = (await as().get('/restaurants/')).json()
      assert.deepEqual((await as().patch(`/restaurants/${id}/`, { name: 'Park' })).json(), {
        name: ['There is a place with this name.'],
      })
      assert.equal((await as().patch(`/restaurants/${id}/`, { name: 'Napoli', code: 'Napol' })).status, 200)
    })

    test('a deletion removes the rows of both tables, and the deletion of a place its restaurant', async () => {
      const [first, second] = [await add('Napoli'), await add('Roma')]
      const booking = (await as().post('/bookings/', { guest: 'Eve', restaurant: first.id })).json()
      const refused = await as().delete(`/restaurants/${first.id}/`)
      assert.deepEqual([refused.status, refused.json()], [409, { detail: 'Other objects refer to this one.' }])
      assert.equal((await as().get(`/restaurants/${first.id}/`)).json().bookings, 1)
      await as().delete(`/bookings/${booking.id}/`)
      assert.equal((await as().delete(`/restaurants/${first.id}/`)).status, 204)
      assert.equal((await as().get(`/places/${first.id}/`)).status, 404)
      assert.equal((await as().delete(`/places/${second.id}/`)).status, 204)
      assert.deepEqual((await as().get('/restaurants/')).json(), [])
    })

    test('other resources refer to an object of two tables', async () => {
      const { id } = await add('Napoli')
      const made = await as().post('/bookings/', { guest: 'Eve', restaurant: id })
      assert.equal(made.status, 201, made.text)
      assert.deepEqual(made.json(), {
        id: made.json().id,
        guest: 'Eve',
        restaurant: id,
        restaurant_name: 'Napoli',
        details: { name: 'Napoli', code: 'Napol' },
      })
      assert.equal((await as().get('/bookings/?restaurant__name=Napoli')).json().length, 1)
      assert.equal((await as().get('/bookings/?restaurant__name=Roma')).json().length, 0)
      const park = (await as().post('/places/', { city, name: 'Park', street: 'Ring', number: 1 })).json()
      assert.deepEqual((await as().post('/bookings/', { guest: 'Eve', restaurant: park.id })).json(), {
        restaurant: [`Invalid pk "${park.id}" - object does not exist.`],
      })
      // The place is no restaurant.
      assert.equal((await as().get(`/restaurants/${park.id}/`)).status, 404)
      assert.equal((await as().patch(`/restaurants/${park.id}/`, { seats: 1 })).status, 404)
      assert.equal((await as().delete(`/restaurants/${park.id}/`)).status, 404)
    })

    test('the rows that exist follow the table that is extended', async () => {
      const { id } = await add('Bunker', { kind: 'secret' })
      await as().post('/bookings/', { guest: 'Eve', restaurant: id })
      const bob = as(asUser('bob'))
      assert.deepEqual((await bob.get('/restaurants/')).json(), [])
      assert.equal((await bob.get(`/restaurants/${id}/`)).status, 404)
      assert.equal((await bob.patch(`/restaurants/${id}/`, { seats: 1 })).status, 404)
      assert.equal((await bob.delete(`/restaurants/${id}/`)).status, 404)
      const [booking] = (await bob.get('/bookings/')).json()
      assert.deepEqual([booking.restaurant, booking.restaurant_name, booking.details], [null, null, null])
      assert.equal((await bob.post('/bookings/', { guest: 'Bob', restaurant: id })).status, 400)
      assert.equal((await as().get(`/restaurants/${id}/`)).status, 200)
    })

    test('arrays create, change and delete objects of two tables', async () => {
      const made = await as().post('/restaurants/', [
        body('Napoli', { seats: 1 }),
        body('Roma', { seats: 2 }),
        body('Milano'),
      ])
      assert.equal(made.status, 201, made.text)
      const [first, second, third] = made.json()
      assert.deepEqual(
        [names(made), first.seats, second.seats, third.seats],
        [['Napoli', 'Roma', 'Milano'], 1, 2, null],
      )
      const changed = await as().patch('/restaurants/', [
        { id: first.id, name: 'A', seats: 5 },
        { id: second.id, name: 'B', seats: 6 },
      ])
      assert.deepEqual([changed.status, names(changed), changed.json()[1].seats], [200, ['A', 'B'], 6])
      const different = await as().patch('/restaurants/', [
        { id: first.id, name: 'C' },
        { id: second.id, seats: 7 },
      ])
      assert.deepEqual([names(different), different.json()[1].seats], [['C', 'B'], 7])
      const wrong = await as().post('/restaurants/', [
        body('New'),
        body('C', { code: 'c' }),
        body('New', { code: 'n' }),
      ])
      assert.equal(wrong.status, 400)
      assert.deepEqual(wrong.json()[1], { name: ['There is a place with this name.'] })
      assert.equal((await as().get('/restaurants/')).json().length, 3)
      assert.equal((await as().delete('/restaurants/', [first.id, second.id])).status, 204)
      assert.deepEqual(names(await as().get('/places/')), ['Milano'])
    })

    test('several tables extend one, and a path may contain a name', async () => {
      await add('Napoli')
      const made = await as().post('/cinemas/', { city, name: 'Rex', street: 'Ring', number: 3, screens: 2 })
      assert.equal(made.headers.location?.endsWith('/cinemas/Rex/'), true, made.text)
      assert.equal((await as().patch('/cinemas/Rex/', { screens: 4 })).json().screens, 4)
      assert.equal((await as().get('/cinemas/Napoli/')).status, 404)
      assert.deepEqual(names(await as().get('/places/')), ['Napoli', 'Rex'])
      assert.equal((await as().delete('/cinemas/Rex/')).status, 204)
      assert.deepEqual(names(await as().get('/places/')), ['Napoli'])
    })

    test('an ETag covers the columns of both tables', async () => {
      const { id } = await add('Napoli')
      const url = `/restaurants/${id}/`
      const { headers } = await as().get(url)
      await as().patch(`/places/${id}/`, { street: 'Low Street' })
      const stale = as({ headers: { ...ann.headers, 'if-match': headers.etag } })
      assert.equal((await stale.patch(url, { seats: 1 })).status, 412)
      assert.equal((await stale.delete(url)).status, 412)
      const fresh = as({ headers: { ...ann.headers, 'if-match': (await as().get(url)).headers.etag } })
      assert.equal((await fresh.patch(url, { seats: 1, name: 'Roma' })).status, 200)
    })

    test('what writes change is recorded, of both tables', async () => {
      changes.length = 0
      const { id } = await add('Napoli', { seats: 20 })
      await as().patch(`/restaurants/${id}/`, { name: 'Roma', seats: 30 })
      await as().delete(`/restaurants/${id}/`)
      const [made, changed, removed] = changes
      assert.deepEqual(
        [made?.action, made?.values.name, made?.values.seats],
        ['create', { new: 'Napoli' }, { new: 20 }],
      )
      const { updated_at: _, ...values } = changed!.values
      assert.deepEqual(values, { name: { old: 'Napoli', new: 'Roma' }, seats: { old: 20, new: 30 } })
      assert.deepEqual([removed?.action, removed?.values.name], ['destroy', { old: 'Roma' }])
    })

    test('code, pages and forms write both tables', async () => {
      const context = createContext(api().app, { user: people.ann })
      const { key: id } = await restaurantResource.create(
        { city, name: 'Napoli', street: 'Ring', number: 1, code: 'N' },
        context,
      )
      await restaurantResource.update(id, { name: 'Roma', seats: 3 }, context)
      const html = { headers: { ...ann.headers, accept: 'text/html' } }
      for (const url of ['/restaurants/', `/restaurants/${id}/`]) {
        const page = await api().client.get(url, html)
        assert.equal(page.status, 200)
        assert.match(page.text, /Roma/)
      }
      const form = await api().client.put(`/restaurants/${id}/`, {
        ...html,
        form: { city: String(city), name: 'Milano', street: 'Ring', number: '2', code: 'N', seats: '', kind: 'open' },
      })
      assert.ok(form.status < 400, form.text)
      const { name, number, seats } = (await as().get(`/restaurants/${id}/`)).json()
      assert.deepEqual([name, number, seats], ['Milano', 2, null])
      await restaurantResource.destroy(id, context)
      assert.deepEqual(await api().rows('places'), [])
    })

    test('the document describes the fields of both tables', async () => {
      const { paths } = (await api().client.get('/openapi.json')).json()
      const { schema: described } = paths['/restaurants/'].post.requestBody.content['application/json']
      assert.match(JSON.stringify(described), /restaurants|Restaurant/)
      const { actions } = (await api().client.request('OPTIONS', '/restaurants/', ann)).json()
      assert.deepEqual(
        [actions.POST.name.max_length, actions.POST.seats.required, actions.POST.code.required],
        [30, false, true],
      )
    })
  },
  { owners: [schema], migrations: {} },
)

test('what one table has to do for all is refused at start', () => {
  const fields = restaurants.pick('id', 'name', 'code', 'seats')
  for (const [message, declare] of [
    [
      'resource "r": feed: the table "restaurants" extends "places", and a feed reads the changes of one table: remove it',
      () => resource('r', { table: restaurants, fields, feed: true }),
    ],
    [
      'resource "r": filters: "q": the table "restaurants" extends "places", and a full-text index is of one table: use searchFields',
      () => resource('r', { table: restaurants, fields, filters: { q: fullText(['name']) } }),
    ],
    [
      'resource "r": uniqueTogether: the table "restaurants" extends "places", and no unique index contains the columns of name and seats',
      () => resource('r', { table: restaurants, fields, uniqueTogether: [['name', 'seats']] }),
    ],
    [
      'resource "r": field "place" would let bodies set the row of "places" that a row extends: wrap it in readOnly()',
      () => resource('r', { table: restaurants, fields: { ...fields, place: related(placeResource) } }),
    ],
    [
      'resource "r": hookColumns, nestedUnder: the table "restaurants" extends "places", and "place_id" gets the key of a new row there: remove it',
      () => resource('r', { table: restaurants, fields, hookColumns: ['place_id'] }),
    ],
  ] as const)
    assert.throws(declare, { message })
  const shown = resource('r', { table: restaurants, fields: { ...fields, place: readOnly(related(placeResource)) } })
  const body: CreateBody<typeof shown> = { name: 'a', code: 'b', seats: null }
  const found: Representation<typeof shown> = { id: 1, ...body, seats: 1, place: 1 }
  assert.equal(found.place, 1)
  // @ts-expect-error A restaurant has no such column.
  assert.throws(() => resource('r', { table: restaurants, fields, rows: { screens: 1 } }), /no column "screens"/)
})
