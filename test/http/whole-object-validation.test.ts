// Validation of whole objects: `uniqueTogether`, and the `validate` function of a resource.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { boolean, dateTime, integer, key, related, resource, text, ValidationError } from 'resource-api'
import { authors, libraryMigrations, tags } from '../support/library.ts'
import { asUser, fullDetailsHandler, type LibraryApi, onEachDatabase, userScheme } from '../support/own-api.ts'

const hookValues = { subtitle: '', contact: '', genre: '' }
const hookColumns = ['subtitle', 'contact', 'genre'] as const

/** Two sets of fields are unique together; only title and author also have a unique index in the database. */
const editions = resource('editions', {
  table: 'books',
  fields: {
    id: key(),
    title: text(),
    pages: integer({ default: 1 }),
    author: related(authors, { nullable: true }),
    released: dateTime({ column: 'published', nullable: true }),
    in_print: boolean({ default: true }),
  },
  hookColumns,
  uniqueTogether: [
    ['title', 'author'],
    ['title', 'pages', 'released', 'in_print'],
  ],
  prepare: () => hookValues,
})

const validateCalls: unknown[] = []

const notes = resource('notes', {
  table: 'books',
  fields: {
    id: key(),
    title: text(),
    pages: integer({ default: 7 }),
    published: dateTime({ nullable: true }),
    in_print: boolean({ default: true }),
    author: related(authors, { nullable: true }),
    tags: related(tags, { many: { table: 'book_tags', own: 'book_id', other: 'tag_id' }, default: [] }),
  },
  hookColumns,
  prepare: () => hookValues,
  async validate({ values, key: id, action, user, now, connection }) {
    const { title, pages } = values
    validateCalls.push([values, { id, action, user: user.username, now }])
    if (pages === 13) throw new ValidationError({ pages: 'Not 13.', title: [`${title} is unlucky.`] }, 'unlucky')
    if (pages === 666) throw new ValidationError('No such beast.', 'beast')
    if (pages === 500) throw new Error('hunter2')
    const { rows } = await sql<{ id: number }>`select id from authors where name = ${title}`.execute(connection.kysely)
    if (rows.length > 0) throw new ValidationError({ title: 'That is an author.' })
  },
})

const migrations = {
  ...libraryMigrations,
  '0002_unique': async kysely => {
    await kysely.schema.createIndex('editions').on('books').columns(['title', 'author_id']).unique().execute()
  },
} satisfies typeof libraryMigrations

const notUnique = (names: string) => ({ non_field_errors: [`The fields ${names} must make a unique set.`] })

onEachDatabase(
  () => ({
    authentication: [userScheme],
    clock: () => new Date('2024-02-29T12:30:15.250Z'),
    resources: [editions, notes, authors, tags],
  }),
  api => {
    let library: LibraryApi
    let [jane, mary]: number[] = []
    const send = async (method: string, url: string, json: object) => {
      const response = await library.client.request(method, url, { ...asUser('ann'), json })
      return [response.status, response.json()] as const
    }
    const create = async (url: string, json: object) => (await send('POST', url, json))[1].id as number

    beforeEach(async () => {
      library = api()
      await library.database.transaction(async ({ kysely }) => {
        for (const table of ['books', 'authors', 'tags']) await kysely.deleteFrom(table).execute()
      })
      ;[jane, mary] = (await library.insert('authors', [{ name: 'Jane' }, { name: 'Mary' }])) as [number, number]
      validateCalls.length = 0
    })

    test('uniqueTogether refuses an object only if all of the fields equal those of another object', async () => {
      const emma = { title: 'Emma', author: jane }
      await create('/editions/', emma)
      for (const [json, status, body] of [
        [emma, 400, notUnique('title, author')],
        [{ ...emma, author: mary }, 201],
        [{ ...emma, title: 'Emma 2' }, 201],
        [{ ...emma, title: ' Emma 2 ', author: String(jane) }, 400, notUnique('title, author')],
        [{ ...emma, author: null }, 201],
        [{ ...emma, author: null }, 201],
        [{ title: 'Emma' }, 201],
        [{ title: '' }, 400, { title: ['This field may not be blank.'] }],
        [{ title: 'Emma', author: 0 }, 400, { author: ['Invalid pk "0" - object does not exist.'] }],
      ] as const) {
        const [responseStatus, responseBody] = await send('POST', '/editions/', json)
        assert.equal(responseStatus, status, JSON.stringify(json))
        if (body !== undefined) assert.deepEqual(responseBody, body)
      }
    })

    test('every type of value is compared in its stored format', async () => {
      const json = { title: 'Emma', pages: '007', released: '1815-12-23T01:00:00+01:00', in_print: false }
      await create('/editions/', json)
      const names = notUnique('title, pages, released, in_print')
      assert.deepEqual(await send('POST', '/editions/', { ...json, released: '1815-12-23T00:00Z' }), [400, names])
      assert.equal((await send('POST', '/editions/', { ...json, in_print: true }))[0], 201)
      const otherId = await create('/editions/', { ...json, released: '1815-12-23T00:00:00.000001Z' })
      assert.deepEqual(await send('PATCH', `/editions/${otherId}/`, { released: '1815-12-23T00:00Z' }), [400, names])
    })

    test('an update of one of the fields is checked together with the stored values of the others', async () => {
      await create('/editions/', { title: 'Emma', author: jane })
      const id = await create('/editions/', { title: 'Emma', author: mary })
      for (const [method, json, status] of [
        ['PATCH', { author: jane }, 400],
        ['PUT', { title: 'Emma', author: jane }, 400],
        ['PATCH', { author: mary }, 200],
        ['PATCH', {}, 200],
        ['PUT', { title: 'Emma' }, 200],
        ['PATCH', { author: null }, 200],
        ['PATCH', { title: 'Persuasion' }, 200],
        ['PATCH', { author: jane }, 200],
        ['PATCH', { title: 'Emma' }, 400],
      ] as const) {
        const [responseStatus, responseBody] = await send(method, `/editions/${id}/`, json)
        assert.equal(responseStatus, status, `${method} ${JSON.stringify(json)}`)
        if (status === 400) assert.deepEqual(responseBody, notUnique('title, author'))
      }
    })

    test('exactly one of several concurrent creates or updates with the same set succeeds', async () => {
      const emma = { title: 'Emma', author: jane }
      const created = await Promise.all(Array.from({ length: 6 }, () => send('POST', '/editions/', emma)))
      assert.deepEqual(created.map(([status]) => status).toSorted(), [201, 400, 400, 400, 400, 400])
      for (const [status, body] of created) if (status === 400) assert.deepEqual(body, notUnique('title, author'))

      const ids = [await create('/editions/', { title: 'A' }), await create('/editions/', { title: 'B' })]
      const changed = await Promise.all(
        ids.map(id => send('PATCH', `/editions/${id}/`, { title: 'Persuasion', author: jane })),
      )
      assert.deepEqual(changed.map(([status]) => status).toSorted(), [200, 400])
    })

    test('validate gets a new object with its defaults, the caller and the time', async () => {
      const [tag] = await library.insert('tags', [{ name: 'x' }])
      const [status] = await send('POST', '/notes/', { title: ' A ', published: '2024-01-01T00:00Z', tags: [tag] })
      const values = {
        title: 'A',
        pages: 7,
        published: '2024-01-01T00:00:00.000000Z',
        in_print: true,
        author: null,
        tags: [tag],
      }
      const context = { id: undefined, action: 'create', user: 'ann', now: '2024-02-29T12:30:15.250000Z' }
      assert.deepEqual([status, validateCalls], [201, [[values, context]]])
    })

    test('validate gets a changed object with stored and new values', async () => {
      const published = '2024-01-01T00:00:00.000000Z'
      const id = await create('/notes/', { title: 'A', published, in_print: false, author: jane })
      const stored = { title: 'A', pages: 7, published, in_print: false, author: jane }
      for (const [method, json, values] of [
        ['PATCH', { pages: 8 }, { ...stored, pages: 8 }],
        ['PATCH', { tags: [] }, { ...stored, pages: 8, tags: [] }],
        ['PUT', { title: 'B', published: null }, { ...stored, pages: 8, title: 'B', published: null }],
        ['PATCH', {}, { ...stored, pages: 8, title: 'B', published: null }],
      ] as const) {
        validateCalls.length = 0
        assert.equal((await send(method, `/notes/${id}/`, json))[0], 200)
        const context = { id, action: 'update', user: 'ann', now: '2024-02-29T12:30:15.250000Z' }
        assert.deepEqual(validateCalls, [[values, context]])
      }
    })

    test('ERR-BODY-2: errors of validate belong to fields, or to the whole object', async () => {
      const id = await create('/notes/', { title: 'A' })
      for (const [json, status, body] of [
        [{ title: 'A', pages: 13 }, 400, { pages: ['Not 13.'], title: ['A is unlucky.'] }],
        [{ title: 'A', pages: 666 }, 400, { non_field_errors: ['No such beast.'] }],
        [{ title: 'Jane' }, 400, { title: ['That is an author.'] }],
        [{ title: 'A', pages: 500 }, 500, { detail: 'A server error occurred.' }],
      ] as const) {
        const rowsBefore = await library.rows('books')
        for (const [method, url] of [
          ['POST', '/notes/'],
          ['PUT', `/notes/${id}/`],
          ['PATCH', `/notes/${id}/`],
        ] as const)
          assert.deepEqual(await send(method, url, json), [status, body], `${method} ${JSON.stringify(json)}`)
        assert.deepEqual(await library.rows('books'), rowsBefore)
      }
    })

    test('validate runs only if every field is valid and the object exists', async () => {
      const id = await create('/notes/', { title: 'A' })
      validateCalls.length = 0
      assert.deepEqual(await send('POST', '/notes/', { pages: 'x' }), [
        400,
        { title: ['This field is required.'], pages: ['A valid integer is required.'] },
      ])
      assert.equal((await send('PATCH', `/notes/${id}/`, { title: '' }))[0], 400)
      assert.equal((await send('PATCH', '/notes/999999/', { pages: 13 }))[0], 404)
      assert.deepEqual(validateCalls, [])
    })
  },
  { migrations },
)

onEachDatabase(
  () => ({ resources: [editions, notes, authors, tags], exceptionHandler: fullDetailsHandler }),
  api => {
    test('ERR-MSG-p1: errors of whole-object validation have codes', async () => {
      const post = async (url: string, json: object) => (await api().client.post(url, { json })).json()
      const [jane] = await api().insert('authors', [{ name: 'Jane' }])
      await post('/editions/', { title: 'Emma', author: jane })
      const message = 'The fields title, author must make a unique set.'
      assert.deepEqual(await post('/editions/', { title: 'Emma', author: jane }), [{ message, code: 'unique' }])
      assert.deepEqual(await post('/notes/', { title: 'A', pages: 666 }), [
        { message: 'No such beast.', code: 'beast' },
      ])
      assert.deepEqual(await post('/notes/', { title: 'A', pages: 13 }), {
        pages: [{ message: 'Not 13.', code: 'unlucky' }],
        title: [{ message: 'A is unlucky.', code: 'unlucky' }],
      })
    })
  },
)
