// What is checked of an object as a whole: fields that are unique together, and the resource's own `validate`.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import {
  boolean,
  dateTime,
  integer,
  key,
  primaryKeyRelated,
  resource,
  text,
  ValidationError,
} from '../../src/framework/index.ts'
import { authors, libraryMigrations, tags } from '../support/library.ts'
import { as, fullDetailsHandler, type LibraryApi, onEachDatabase, userScheme } from '../support/own-api.ts'

const rest = { subtitle: '', contact: '', genre: '' }
const hookColumns = ['subtitle', 'contact', 'genre'] as const

/** An edition is one of an author's, and of a time. Its index makes it unique in the database as well. */
const editions = resource('editions', {
  table: 'books',
  fields: {
    id: key(),
    title: text(),
    pages: integer({ default: 1 }),
    author: primaryKeyRelated({ to: authors, column: 'author_id', nullable: true }),
    released: dateTime({ column: 'published', nullable: true }),
    in_print: boolean({ default: true }),
  },
  hookColumns,
  uniqueTogether: [
    ['title', 'author'],
    ['title', 'pages', 'released', 'in_print'],
  ],
  prepare: () => rest,
})

const seen: unknown[] = []

const notes = resource('notes', {
  table: 'books',
  fields: {
    id: key(),
    title: text(),
    pages: integer({ default: 7 }),
    published: dateTime({ nullable: true }),
    in_print: boolean({ default: true }),
    author: primaryKeyRelated({ to: authors, column: 'author_id', nullable: true }),
    tags: primaryKeyRelated({ to: tags, many: { table: 'book_tags', own: 'book_id', other: 'tag_id' }, default: [] }),
  },
  hookColumns,
  prepare: () => rest,
  async validate(values, { id, action, user, now, connection }) {
    const { title, pages } = values
    seen.push([values, { id, action, user: user.username, now }])
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

const taken = (names: string) => ({ non_field_errors: [`The fields ${names} must make a unique set.`] })

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
      const response = await library.client.request(method, url, { ...as('ann'), json })
      return [response.status, response.json()] as const
    }
    const create = async (url: string, json: object) => (await send('POST', url, json))[1].id as number

    beforeEach(async () => {
      library = api()
      await library.database.transaction(async ({ kysely }) => {
        for (const table of ['books', 'authors', 'tags']) await kysely.deleteFrom(table).execute()
      })
      ;[jane, mary] = (await library.insert('authors', [{ name: 'Jane' }, { name: 'Mary' }])) as [number, number]
      seen.length = 0
    })

    test('fields that are unique together may each be taken, but not all of them', async () => {
      const emma = { title: 'Emma', author: jane }
      await create('/editions/', emma)
      for (const [json, status, body] of [
        [emma, 400, taken('title, author')],
        [{ ...emma, author: mary }, 201],
        [{ ...emma, title: 'Emma 2' }, 201],
        [{ ...emma, title: ' Emma 2 ', author: String(jane) }, 400, taken('title, author')],
        [{ ...emma, author: null }, 201],
        [{ ...emma, author: null }, 201],
        [{ title: 'Emma' }, 201],
        [{ title: '' }, 400, { title: ['This field may not be blank.'] }],
        [{ title: 'Emma', author: 0 }, 400, { author: ['Invalid pk "0" - object does not exist.'] }],
      ] as const) {
        const [answered, answer] = await send('POST', '/editions/', json)
        assert.equal(answered, status, JSON.stringify(json))
        if (body !== undefined) assert.deepEqual(answer, body)
      }
    })

    test('every kind of value is compared as the database keeps it', async () => {
      const json = { title: 'Emma', pages: '007', released: '1815-12-23T01:00:00+01:00', in_print: false }
      await create('/editions/', json)
      const names = taken('title, pages, released, in_print')
      assert.deepEqual(await send('POST', '/editions/', { ...json, released: '1815-12-23T00:00Z' }), [400, names])
      assert.equal((await send('POST', '/editions/', { ...json, in_print: true }))[0], 201)
      const other = await create('/editions/', { ...json, released: '1815-12-23T00:00:00.000001Z' })
      assert.deepEqual(await send('PATCH', `/editions/${other}/`, { released: '1815-12-23T00:00Z' }), [400, names])
    })

    test('an update of one of the fields is judged with the values that the others keep', async () => {
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
        const [answered, answer] = await send(method, `/editions/${id}/`, json)
        assert.equal(answered, status, `${method} ${JSON.stringify(json)}`)
        if (status === 400) assert.deepEqual(answer, taken('title, author'))
      }
    })

    test('of parallel creates of one set exactly one succeeds, and of parallel changes into it', async () => {
      const emma = { title: 'Emma', author: jane }
      const created = await Promise.all(Array.from({ length: 6 }, () => send('POST', '/editions/', emma)))
      assert.deepEqual(created.map(([status]) => status).toSorted(), [201, 400, 400, 400, 400, 400])
      for (const [status, body] of created) if (status === 400) assert.deepEqual(body, taken('title, author'))

      const others = [await create('/editions/', { title: 'A' }), await create('/editions/', { title: 'B' })]
      const changed = await Promise.all(
        others.map(id => send('PATCH', `/editions/${id}/`, { title: 'Persuasion', author: jane })),
      )
      assert.deepEqual(changed.map(([status]) => status).toSorted(), [200, 400])
    })

    test('validate sees a new object with its defaults, and who makes it when', async () => {
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
      assert.deepEqual([status, seen], [201, [[values, context]]])
    })

    test('validate sees a changed object as it will be: what is sent over what is kept', async () => {
      const published = '2024-01-01T00:00:00.000000Z'
      const id = await create('/notes/', { title: 'A', published, in_print: false, author: jane })
      const kept = { title: 'A', pages: 7, published, in_print: false, author: jane }
      for (const [method, json, values] of [
        ['PATCH', { pages: 8 }, { ...kept, pages: 8 }],
        ['PATCH', { tags: [] }, { ...kept, pages: 8, tags: [] }],
        ['PUT', { title: 'B', published: null }, { ...kept, pages: 8, title: 'B', published: null }],
        ['PATCH', {}, { ...kept, pages: 8, title: 'B', published: null }],
      ] as const) {
        seen.length = 0
        assert.equal((await send(method, `/notes/${id}/`, json))[0], 200)
        const context = { id, action: 'update', user: 'ann', now: '2024-02-29T12:30:15.250000Z' }
        assert.deepEqual(seen, [[values, context]])
      }
    })

    test('ERR-BODY-2: validate says what is wrong by field, or of the whole', async () => {
      const id = await create('/notes/', { title: 'A' })
      for (const [json, status, body] of [
        [{ title: 'A', pages: 13 }, 400, { pages: ['Not 13.'], title: ['A is unlucky.'] }],
        [{ title: 'A', pages: 666 }, 400, { non_field_errors: ['No such beast.'] }],
        [{ title: 'Jane' }, 400, { title: ['That is an author.'] }],
        [{ title: 'A', pages: 500 }, 500, { detail: 'A server error occurred.' }],
      ] as const) {
        const before = await library.rows('books')
        for (const [method, url] of [
          ['POST', '/notes/'],
          ['PUT', `/notes/${id}/`],
          ['PATCH', `/notes/${id}/`],
        ] as const)
          assert.deepEqual(await send(method, url, json), [status, body], `${method} ${JSON.stringify(json)}`)
        assert.deepEqual(await library.rows('books'), before)
      }
    })

    test('validate is asked once every field is right, and of nothing that is not there', async () => {
      const id = await create('/notes/', { title: 'A' })
      seen.length = 0
      assert.deepEqual(await send('POST', '/notes/', { pages: 'x' }), [
        400,
        { title: ['This field is required.'], pages: ['A valid integer is required.'] },
      ])
      assert.equal((await send('PATCH', `/notes/${id}/`, { title: '' }))[0], 400)
      assert.equal((await send('PATCH', '/notes/999999/', { pages: 13 }))[0], 404)
      assert.deepEqual(seen, [])
    })
  },
  { migrations },
)

onEachDatabase(
  () => ({ resources: [editions, notes, authors, tags], exceptionHandler: fullDetailsHandler }),
  api => {
    test('ERR-MSG-p1: the errors of a whole object have codes', async () => {
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
