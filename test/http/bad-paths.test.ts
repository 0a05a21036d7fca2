// Paths that name nothing: empty segments, encoded slashes and NUL, dot segments, invalid UTF-8 and long ones. None is a 500.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import { key, listView, objectView, resource, text, textKey } from 'resource-api'
import { bookRow } from '../support/library.ts'
import { onEachDatabase } from '../support/own-api.ts'

const ok = () => ({ status: 200, body: 'ok' })

const authors = resource('authors', {
  table: 'authors',
  actions: ['list', 'retrieve'],
  fields: { id: key(), name: text() },
  lists: { late: { rows: ({ row }) => sql`${row.id} > 0` } },
  listViews: { by: listView({ path: 'by/:letter', handlers: { GET: ok } }) },
  objectViews: { greet: objectView({ path: 'greet/:word/now', handlers: { GET: ok, POST: ok } }) },
})

const editions = resource('editions', {
  table: 'books',
  actions: ['list', 'retrieve'],
  fields: { id: key(), title: text() },
  hookColumns: ['author_id'],
  nestedUnder: [{ parent: authors, column: 'author_id' }],
})

/** Its keys are texts, so that a path may contain any text. */
const tags = resource('tags', {
  table: 'tags',
  actions: ['list', 'retrieve'],
  key: textKey({ column: 'name', max: 200 }),
  fields: { name: key() },
})

const me = resource('me', {
  table: 'authors',
  actions: ['retrieve'],
  fields: { name: text() },
  singleton: () => 1,
  objectViews: { greet: objectView({ path: 'greet/:word', handlers: { GET: ok } }) },
})

/** Parts of a path that name nothing wherever they stand, with the status of a request for them. */
const badSegments: readonly (readonly [segment: string, status: number])[] = [
  ['', 404],
  ['%2F', 404],
  ['1%2F', 404],
  ['..%2F1', 404],
  ['%2e%2e%2f', 404],
  ['%00', 404],
  ['1%00', 404],
  ['..', 404],
  ['%2e%2e', 404],
  ['.', 404],
  ['%ff', 400],
  ['%C0%AF', 400],
  ['%', 400],
  ['%zz', 400],
  ['x'.repeat(3000), 404],
  ['%F0%9F%98%80'.repeat(200), 404],
]

for (const trailingSlash of [true, false])
  onEachDatabase(
    database => ({
      database,
      trailingSlash,
      resources: [authors, editions, tags, me],
      views: { '/:region/home/': { name: 'Home', handlers: { GET: ok } } },
    }),
    api => {
      const end = trailingSlash ? '/' : ''

      before(async () => {
        const [author] = await api().insert('authors', [{ name: 'Ann' }])
        await api().insert('books', [{ ...bookRow, title: 'A', author_id: author }])
        await api().insert('tags', [{ name: 'a/b' }, { name: '..' }])
      })

      test('lists, objects, nested lists, views and singletons are found', async () => {
        for (const path of [
          '/authors',
          '/authors/1',
          '/authors/late',
          '/authors/by/a',
          '/authors/1/greet/x/now',
          '/authors/1/editions/1',
          '/tags/a%2Fb',
          '/me',
          '/me/greet/x',
        ])
          assert.equal((await api().client.get(path + end)).status, 200, path)
      })

      for (const [segment, status] of badSegments)
        test(`"${segment.slice(0, 20)}" in a path is ${status}, or 405 for a method that such URLs do not have`, async () => {
          const inside = [`/authors/${segment}/editions`, `/authors/${segment}/greet/x/now`, `/${segment}/authors`]
          const last = [
            `/authors/${segment}`,
            `/authors/1/editions/${segment}`,
            `/me/${segment}`,
            `/authors/late/${segment}`,
          ]
          // Without a segment, the second group has the other end of a URL.
          for (const path of segment === '' ? inside : [...inside, ...last]) {
            assert.equal((await api().client.get(path + end)).status, status, path.slice(0, 80))
            for (const method of ['POST', 'DELETE', 'PROPFIND']) {
              const response = await api().client.request(method, path + end)
              assert.ok([status, 405].includes(response.status), `${method} ${path.slice(0, 80)}: ${response.status}`)
            }
          }
        })

      test('a path is not redirected if clients would follow to another one', async () => {
        const otherEnd = trailingSlash ? '' : '/'
        for (const path of [
          '/authors/..',
          '/authors/%2e%2E',
          '/authors/.',
          '/authors/1/greet/../now',
          '/authors/../editions',
          '/\\example.org/home',
        ])
          for (const method of ['GET', 'DELETE']) {
            const response = await api().client.request(method, path + otherEnd)
            assert.deepEqual([response.status, response.headers.location], [404, undefined], `${method} ${path}`)
          }
        assert.equal((await api().client.get(`/authors/1/greet/a..b/now${otherEnd}?x=/../`)).status, 301)
      })

      test('a parameter of a view has any text, but not an empty one or one with a NUL', async () => {
        for (const [word, status] of [
          ['%2F', 200],
          ['%2e%2e', 200],
          ['', 404],
          ['%00', 404],
          ['%ff', 400],
          ['x'.repeat(3000), 200],
        ] as const)
          for (const path of [`/authors/by/${word}`, `/authors/1/greet/${word}/now`, `/me/greet/${word}`])
            assert.equal((await api().client.get(path + end)).status, status, path.slice(0, 80))
      })
    },
    { socket: true },
  )
