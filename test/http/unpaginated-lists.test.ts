// Lists without pages are streamed in portions: every row once, in order, however many there are (LIM-PAG-p1).

import assert from 'node:assert/strict'
import { get as httpGet } from 'node:http'
import { before, test } from 'node:test'
import { dateTime, integer, key, resource, text } from '../../src/framework/index.ts'
import { type LibraryApi, onEachDatabase } from '../support/own-api.ts'

const fields = {
  id: key(),
  title: text(),
  pages: integer(),
  isbn: text({ nullable: true }),
  published: dateTime({ nullable: true }),
}

const ordered = (name: string, ordering: readonly string[]) =>
  resource(name, { table: 'books', ordering, actions: ['list'], fields })

interface Row {
  readonly id: number
  readonly title: string
  readonly pages: number
  readonly isbn: string | null
  readonly published: string | null
}

const count = 1300

// Many rows are equal in each column, so that only the key tells them apart; every third column is null.
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

/** Null comes last, and first where the direction is turned. */
const by =
  (column: keyof Row): Comparison =>
  (a, b) => {
    const [x, y] = [a[column], b[column]]
    if (x === y) return 0
    if (x === null) return 1
    return y === null || x < y ? -1 : 1
  }
const turned =
  (comparison: Comparison): Comparison =>
  (a, b) =>
    comparison(b, a)
const all =
  (...comparisons: readonly Comparison[]): Comparison =>
  (a, b) =>
    comparisons.reduce((difference, comparison) => difference || comparison(a, b), 0)

const orders: Record<string, readonly [ordering: readonly string[], comparison: Comparison]> = {
  'by-key': [[], by('id')],
  'by-key-turned': [['-id'], turned(by('id'))],
  'by-title': [['title'], all(by('title'), by('id'))],
  'by-title-turned': [['-title'], all(turned(by('title')), turned(by('id')))],
  mixed: [['-pages', 'title'], all(turned(by('pages')), by('title'), by('id'))],
  'mixed-key': [['pages', '-id'], all(by('pages'), turned(by('id')))],
  'by-moment': [['published'], all(by('published'), by('id'))],
  'by-moment-turned': [['-published'], all(turned(by('published')), turned(by('id')))],
  'by-isbn': [['isbn'], all(by('isbn'), by('id'))],
  'with-nulls': [['-published', 'isbn', 'pages'], all(turned(by('published')), by('isbn'), by('pages'), by('id'))],
}

const streams = Object.entries(orders).map(([name, [ordering]]) => ordered(name, ordering))

const titled = (boolean: unknown, title: string) => ({ ...rows(() => boolean)[0]!, title })

for (const socket of [false, true]) {
  onEachDatabase(
    () => ({ resources: [...streams, resource('authors', { table: 'authors', fields: { id: key(), name: text() } })] }),
    api => {
      let library: LibraryApi
      let yes: unknown

      before(async () => {
        library = api()
        yes = library.database.dialect.name === 'sqlite' ? 1 : true
        const books = rows(() => yes)
        for (let start = 0; start < count; start += 400) await library.insert('books', books.slice(start, start + 400))
      })

      const list = async (name: string): Promise<Row[]> => (await library.client.get(`/${name}/`)).json()

      test('LIM-PAG-p1: an empty list is an empty array', async () => {
        const response = await library.client.get('/authors/')
        assert.deepEqual([response.status, response.text], [200, '[]'])
        assert.equal(response.headers['content-type'], 'application/json')
      })

      for (const [name, [, comparison]] of Object.entries(orders)) {
        test(`LIM-PAG-p1: every row comes once and in order, ${name}`, async () => {
          const items = await list(name)
          assert.equal(new Set(items.map(({ id }) => id)).size, count)
          assert.deepEqual(
            items.map(({ id }) => id),
            items.toSorted(comparison).map(({ id }) => id),
          )
        })
      }

      test('SVC-6: an indented stream is what JSON.stringify makes of the array', async () => {
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

      test('HEAD of a stream has no body, and ends', async () => {
        const response = await library.client.request('HEAD', '/by-key/')
        assert.deepEqual([response.status, response.text], [200, ''])
        assert.equal(response.headers['content-type'], 'application/json')
      })

      if (socket) {
        test('LIM-PAG-p1: rows that are written and deleted meanwhile break nothing', async () => {
          const known = (await list('by-title')).map(({ id }) => id)
          const { promise, resolve, reject } = Promise.withResolvers<string>()
          httpGet(`${library.client.origin}/by-title/`, { agent: false }, async response => {
            let text = ''
            response.setEncoding('utf8')
            for await (const chunk of response) {
              // The first portion is here: now there are rows before it and behind it, and others are gone.
              if (text === '') {
                await library.insert('books', [titled(yes, 'a'), titled(yes, 'z')])
                const gone = [known[0]!, known[60]!, known.at(-1)!]
                await library.database.transaction(({ kysely }) =>
                  kysely.deleteFrom('books').where('id', 'in', gone).execute(),
                )
              }
              text += chunk
            }
            resolve(text)
          }).on('error', reject)
          const ids = (JSON.parse(await promise) as Row[]).map(({ id }) => id)
          assert.equal(new Set(ids).size, ids.length)
          const kept = known.filter(id => ids.includes(id))
          assert.ok(kept.length >= known.length - 3)
          assert.deepEqual(ids.slice(0, kept.length), kept)
        })
      }
    },
    { socket },
  )
}
