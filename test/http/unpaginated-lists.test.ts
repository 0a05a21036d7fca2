// Unpaginated lists are streamed in batches: every row once and in order, for any number of rows (LIM-PAG-p1).

import assert from 'node:assert/strict'
import { get as httpGet } from 'node:http'
import { before, test } from 'node:test'
import { dateTime, integer, key, resource, text } from 'resource-api'
import type { OrderName } from '../../src/core/resource/declare/resource-options.ts'
import { type LibraryApi, onEachDatabase } from '../support/own-api.ts'

const fields = {
  id: key(),
  title: text(),
  pages: integer(),
  isbn: text({ nullable: true }),
  published: dateTime({ nullable: true }),
}

type Order = readonly OrderName<keyof typeof fields>[]

const createOrderedList = (name: string, ordering: Order) =>
  resource(name, { table: 'books', ordering, actions: ['list'], fields })

interface Row {
  readonly id: number
  readonly title: string
  readonly pages: number
  readonly isbn: string | null
  readonly published: string | null
}

const count = 1300

// Each column has many equal values, so that only the primary key orders those rows. A third of some columns is null.
const rows = (boolean: (value: boolean) => unknown) =>
  Array.from({ length: count }, (_, index) => ({
    title: `t${(index * 7) % 11}`,
    pages: (index * 13) % 5,
    isbn: index % 3 === 0 ? null : `${1_000_000_000 + ((index * 17) % count)}`,
    published: index % 3 === 1 ? null : `20${10 + (index % 7)}-01-01T00:00:00.00${index % 9}000Z`,
    subtitle: '',
    in_print: boolean(true),
    genre: '',
    contact: '',
  }))

type Comparison = (a: Row, b: Row) => number

/** Null comes last; in descending order, it comes first. */
const compareBy =
  (column: keyof Row): Comparison =>
  (a, b) => {
    const [x, y] = [a[column], b[column]]
    if (x === y) return 0
    if (x === null) return 1
    return y === null || x < y ? -1 : 1
  }
const reversed =
  (comparison: Comparison): Comparison =>
  (a, b) =>
    comparison(b, a)
const compareInTurn =
  (...comparisons: readonly Comparison[]): Comparison =>
  (a, b) =>
    comparisons.reduce((difference, comparison) => difference || comparison(a, b), 0)

const orders: Record<string, readonly [ordering: Order, comparison: Comparison]> = {
  'by-key': [[], compareBy('id')],
  'by-key-descending': [['-id'], reversed(compareBy('id'))],
  'by-title': [['title'], compareInTurn(compareBy('title'), compareBy('id'))],
  'by-title-descending': [['-title'], compareInTurn(reversed(compareBy('title')), reversed(compareBy('id')))],
  mixed: [['-pages', 'title'], compareInTurn(reversed(compareBy('pages')), compareBy('title'), compareBy('id'))],
  'mixed-key': [['pages', '-id'], compareInTurn(compareBy('pages'), reversed(compareBy('id')))],
  'by-time': [['published'], compareInTurn(compareBy('published'), compareBy('id'))],
  'by-time-descending': [['-published'], compareInTurn(reversed(compareBy('published')), reversed(compareBy('id')))],
  'by-isbn': [['isbn'], compareInTurn(compareBy('isbn'), compareBy('id'))],
  'with-nulls': [
    ['-published', 'isbn', 'pages'],
    compareInTurn(reversed(compareBy('published')), compareBy('isbn'), compareBy('pages'), compareBy('id')),
  ],
}

const streams = Object.entries(orders).map(([name, [ordering]]) => createOrderedList(name, ordering))

const createRow = (boolean: unknown, title: string) => ({ ...rows(() => boolean)[0]!, title })

for (const socket of [false, true]) {
  onEachDatabase(
    () => ({ resources: [...streams, resource('authors', { table: 'authors', fields: { id: key(), name: text() } })] }),
    api => {
      let library: LibraryApi
      let sqlTrue: unknown

      before(async () => {
        library = api()
        sqlTrue = library.database.dialect.name === 'sqlite' ? 1 : true
        const books = rows(() => sqlTrue)
        for (let start = 0; start < count; start += 400) await library.insert('books', books.slice(start, start + 400))
      })

      const list = async (name: string): Promise<Row[]> => (await library.client.get(`/${name}/`)).json()

      test('LIM-PAG-p1: an empty list is the JSON array []', async () => {
        const response = await library.client.get('/authors/')
        assert.deepEqual([response.status, response.text], [200, '[]'])
        assert.equal(response.headers['content-type'], 'application/json')
      })

      for (const [name, [, comparison]] of Object.entries(orders)) {
        test(`LIM-PAG-p1: the list contains every row once and in order: ${name}`, async () => {
          const items = await list(name)
          assert.equal(new Set(items.map(({ id }) => id)).size, count)
          assert.deepEqual(
            items.map(({ id }) => id),
            items.toSorted(comparison).map(({ id }) => id),
          )
        })
      }

      test('SVC-6: an indented stream equals the output of JSON.stringify', async () => {
        const [compact, indented] = await Promise.all(
          ['application/json', 'application/json; indent=3'].map(accept =>
            library.client.get('/by-key/', { headers: { accept } }),
          ),
        )
        assert.equal(indented!.text, JSON.stringify(compact!.json(), null, 3))
        assert.equal(compact!.text, JSON.stringify(compact!.json()))
        const empty = await library.client.get('/authors/', { headers: { accept: 'application/json; indent=3' } })
        assert.equal(empty.text, '[]')
      })

      test('HEAD of a stream ends without a body', async () => {
        const response = await library.client.request('HEAD', '/by-key/')
        assert.deepEqual([response.status, response.text], [200, ''])
        assert.equal(response.headers['content-type'], 'application/json')
      })

      if (socket) {
        test('LIM-PAG-p1: inserts and deletes during a stream neither duplicate nor omit other rows', async () => {
          const idsBefore = (await list('by-title')).map(({ id }) => id)
          const { promise, resolve, reject } = Promise.withResolvers<string>()
          httpGet(`${library.client.origin}/by-title/`, { agent: false }, async response => {
            let text = ''
            response.setEncoding('utf8')
            for await (const chunk of response) {
              // After the first chunk, insert rows before and after the current position, and delete some.
              if (text === '') {
                await library.insert('books', [createRow(sqlTrue, 'a'), createRow(sqlTrue, 'z')])
                const deleted = [idsBefore[0]!, idsBefore[60]!, idsBefore.at(-1)!]
                await library.database.transaction(({ kysely }) =>
                  kysely.deleteFrom('books').where('id', 'in', deleted).execute(),
                )
              }
              text += chunk
            }
            resolve(text)
          }).on('error', reject)
          const ids = (JSON.parse(await promise) as Row[]).map(({ id }) => id)
          assert.equal(new Set(ids).size, ids.length)
          const remaining = idsBefore.filter(id => ids.includes(id))
          assert.ok(remaining.length >= idsBefore.length - 3)
          assert.deepEqual(ids.slice(0, remaining.length), remaining)
        })
      }
    },
    { socket },
  )
}
