// Cursor pagination (LIM-PAG-r3, END-LIST-p1, LIM-GAP-b1), forward and backward, while rows are inserted and deleted.

import assert from 'node:assert/strict'
import { before, beforeEach, suite, test } from 'node:test'
import fc from 'fast-check'
import { cursor, dateTime, integer, key, readOnly, resource, text } from 'resource-api'
import { type LibraryApi, onEachDatabase } from '../support/own-api.ts'

const secret = 's'.repeat(32)
const moment = '2026-01-01T00:00:00.000000Z'
const base = 'http://localhost'

const list = (name: string, pageSize: number, ordering: string | readonly string[], table = 'books') =>
  resource(name, {
    table,
    actions: ['list'],
    fields: {
      id: readOnly(key()),
      ...(table === 'books' && { published: dateTime({ nullable: true }), pages: integer() }),
      ...(table !== 'books' && { name: text() }),
    },
    pagination: cursor({ secret, pageSize, ordering }),
  })

const options = () => ({
  resources: [
    list('books', 50, '-published'),
    list('mixed', 4, ['published', '-pages']),
    list('others', 50, '-published'),
    list('reordered', 50, 'published'),
    list('tags', 2, 'name', 'tags'),
  ],
})

const createBook = (values: object = {}) => ({
  title: 'x',
  subtitle: '',
  pages: 1,
  in_print: true,
  genre: 'novel',
  contact: '',
  published: moment,
  ...values,
})

type Step = 'next' | 'previous'

const toPath = (link: string) => link.replace(base, '')

async function readPage(api: LibraryApi, path: string) {
  const response = await api.client.get(path)
  assert.equal(response.status, 200, response.text)
  const body = response.json() as { next: string | null; previous: string | null; results: { id: number }[] }
  return { ...body, ids: body.results.map(({ id }) => id) }
}

/** Follows the links from `start`; returns the ids in the order received, the pages, and the path of the last page. */
async function followLinks(api: LibraryApi, start: string, step: Step) {
  const pages: number[][] = []
  for (let path = start; ; ) {
    const page = await readPage(api, path)
    pages.push(page.ids)
    const link = page[step]
    if (link === null) return { ids: pages.flat(), pages, last: path }
    path = toPath(link)
  }
}

suite('equal positions', () => {
  onEachDatabase(options, api => {
    before(async () => {
      await api().insert(
        'books',
        Array.from({ length: 1260 }, () => createBook()),
      )
    })

    test('LIM-PAG-r3, END-LIST-p1, SVC-4: 1260 rows with one timestamp are each returned once, forward and backward', async () => {
      const { next, previous, results, ...unexpectedFields } = (await api().client.get('/books/')).json()
      assert.deepEqual([typeof next, previous, results.length, unexpectedFields], ['string', null, 50, {}])
      const forward = await followLinks(api(), '/books/', 'next')
      assert.deepEqual([forward.ids.length, new Set(forward.ids).size, forward.pages.length], [1260, 1260, 26])
      const backward = await followLinks(api(), forward.last, 'previous')
      assert.deepEqual(backward.pages.toReversed().flat(), forward.ids)
    })

    test('LIM-PAG-r3: links keep the other query parameters', async () => {
      const { next } = (await api().client.get('/books/?a=1&a=2')).json()
      assert.match(next, /^http:\/\/localhost\/books\/\?a=1&a=2&cursor=[\w-]+\.[\w-]+$/)
    })

    test('LIM-PAG-r3, LIM-GAP-b1: a forged, truncated or foreign cursor is 404', async () => {
      const { next } = (await api().client.get('/books/')).json()
      const validCursor = new URL(next).searchParams.get('cursor')!
      const [payload, signature] = validCursor.split('.') as [string, string]
      const forged = Buffer.from(JSON.stringify([1, [moment, '5']])).toString('base64url')
      const malformed = [
        '',
        '.',
        'x',
        payload,
        `${payload}.`,
        `.${signature}`,
        `${validCursor}x`,
        `${validCursor}.`,
        validCursor.slice(1),
      ]
      const tampered = [
        validCursor.slice(0, -1),
        `${forged}.${signature}`,
        `${payload}.${signature}=`,
        `${validCursor} `,
        '%00',
        '\u0000',
      ]
      for (const value of [
        ...malformed,
        ...tampered,
        'a'.repeat(10_000),
        `${'a'.repeat(9000)}.${signature}`,
        '[]',
        'null',
      ]) {
        const response = await api().client.get(`/books/?cursor=${encodeURIComponent(value)}`)
        assert.deepEqual([response.status, response.json()], [404, { detail: 'Invalid cursor' }], value)
      }
      for (const otherList of ['others', 'reordered', 'tags']) {
        assert.equal((await api().client.get(`/${otherList}/?cursor=${validCursor}`)).status, 404, otherList)
      }
      assert.equal((await api().client.get(`/books/?cursor=${validCursor}`)).status, 200)
    })
  })
})

suite('a list that changes during pagination', () => {
  onEachDatabase(options, api => {
    beforeEach(async () => {
      await api().database.transaction(async ({ kysely }) => {
        await kysely.deleteFrom('books').execute()
      })
    })

    test('LIM-PAG-r3: no row is repeated or lost, with nulls and equal values, while rows are inserted and deleted', async () => {
      const row = fc.record({
        published: fc.constantFrom(null, moment, '2026-01-02T00:00:00.000001Z'),
        pages: fc.integer({ min: 1, max: 3 }),
      })
      const change = fc.record({ remove: fc.nat(30), add: fc.array(row, { maxLength: 3 }) })
      await fc.assert(
        fc.asyncProperty(
          fc.array(row, { maxLength: 20 }),
          fc.array(change, { maxLength: 6 }),
          async (rows, changes) => {
            const remainingIds = new Set(rows.length === 0 ? [] : await api().insert('books', rows.map(createBook)))
            const forward: number[] = []
            let last = '/mixed/'
            for (let path: string | null = '/mixed/', turn = 0; path !== null; turn++) {
              const page = await readPage(api(), path)
              last = path
              forward.push(...page.ids)
              const { remove, add } = changes[turn] ?? { remove: 0, add: [] }
              const removed = [...remainingIds][remove]
              await api().database.transaction(async ({ kysely }) => {
                if (removed !== undefined) await kysely.deleteFrom('books').where('id', '=', removed).execute()
                if (add.length > 0) await kysely.insertInto('books').values(add.map(createBook)).execute()
              })
              if (removed !== undefined) remainingIds.delete(removed)
              path = page.next === null ? null : toPath(page.next)
            }
            assert.equal(new Set(forward).size, forward.length, 'no row twice')
            assert.ok(
              [...remainingIds].every(id => forward.includes(id)),
              'no remaining row is lost',
            )
            const backward = await followLinks(api(), last, 'previous')
            assert.equal(new Set(backward.ids).size, backward.ids.length, 'no row twice, backward')
            const listedIds = (await followLinks(api(), '/mixed/', 'next')).ids
            assert.deepEqual(backward.pages.toReversed().flat(), listedIds.slice(0, backward.ids.length))
            await api().database.transaction(async ({ kysely }) => {
              await kysely.deleteFrom('books').execute()
            })
          },
        ),
        { numRuns: 25 },
      )
    })

    test('LIM-PAG-r3: an empty list is one empty page, and an emptied page links to the previous one', async () => {
      const empty = { next: null, previous: null, results: [] }
      assert.deepEqual((await api().client.get('/mixed/')).json(), empty)
      const ids = await api().insert(
        'books',
        Array.from({ length: 6 }, (_, index) => createBook({ pages: 9 - index })),
      )
      const first = await readPage(api(), '/mixed/')
      await api().database.transaction(async ({ kysely }) => {
        await kysely.deleteFrom('books').where('id', 'in', ids.slice(4)).execute()
      })
      const second = await readPage(api(), toPath(first.next!))
      assert.deepEqual([second.ids, second.next], [[], null])
      const previousPage = await readPage(api(), toPath(second.previous!))
      assert.deepEqual([previousPage.ids, previousPage.previous, previousPage.next], [ids.slice(0, 4), null, null])
    })
  })
})

test('LIM-PAG-r3: a cursor paginator with a short secret, no ordering or no page size fails at start', () => {
  assert.throws(() => cursor({ secret: 'short' }), /secret must have 32 characters/)
  assert.throws(() => cursor({ secret, ordering: [] }), /ordering must name a column/)
  assert.throws(() => cursor({ secret, pageSize: 0 }), /pageSize must be a whole number/)
  assert.deepEqual(cursor({ secret }).ordering, ['-created'])
})
