// Expanded objects in a member of the list's envelope, each once.

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import {
  browsable,
  createApi,
  findDocument,
  jsonRenderer,
  key,
  pageNumber,
  related,
  resource,
  rowFilter,
  text,
} from 'resource-api'
import { createClient } from 'resource-api/client'
import { caller, reference, table, tables } from 'resource-api/tables'
import { asUser, onEachDatabase, userScheme } from '../support/own-api.ts'

const authors = table('authors', { columns: { id: key(), name: text(), secret_of: text({ nullable: true }) } })
const tags = table('tags', { columns: { id: key(), name: text() } })
const books = table('books', {
  columns: {
    id: key(),
    title: text(),
    author: reference('authors'),
    editor: reference('authors', { relatedName: 'edited', nullable: true }),
  },
})
const bookTags = table('book_tags', {
  key: ['book', 'tag'],
  columns: { book: reference('books'), tag: reference('tags') },
})
const schema = tables({ owner: 'books', tables: [authors, tags, books, bookTags] })

const authorResource = resource('authors', {
  table: authors,
  fields: authors.pick('id', 'name'),
  permissions: [rowFilter({ or: [{ secret_of: null }, { secret_of: caller('username') }] })],
})
const tagResource = resource('tags', { table: tags, fields: tags.pick('id', 'name') })
const fields = {
  ...books.pick('id', 'title'),
  author: related(authorResource),
  editor: related(authorResource, { nullable: true }),
  tags: related(tagResource, { many: { table: 'book_tags', own: 'book_id', other: 'tag_id' }, default: [] }),
}
const options = { table: books, fields, expandableFields: ['author', 'editor', 'tags'], sparseFields: true } as const
const bookResource = resource('books', {
  ...options,
  envelope: { expanded: 'prefetch' },
  parameters: { expand: 'prefetch' },
  pagination: pageNumber({ pageSize: 2 }),
})
const wholeResource = resource('all-books', { ...options, envelope: { expanded: 'included' }, pagination: null })

const everywhere = { name: 'prefetch', objects: true, always: true } as const
const dojoResource = resource('dojo', {
  ...options,
  envelope: { expanded: everywhere },
  parameters: { expand: 'prefetch' },
  unknownNames: 'ignore',
  pagination: pageNumber({ pageSize: 5 }),
})
const wrappedResource = resource('wrapped', {
  ...options,
  envelope: { one: 'book', expanded: { ...everywhere, always: false } },
})

const resources = [authorResource, tagResource, bookResource, wholeResource, dojoResource, wrappedResource] as const

onEachDatabase(
  () => ({ resources, authentication: [userScheme], renderers: [jsonRenderer, browsable()], secret: 'x'.repeat(32) }),
  api => {
    let [ann, bob, tea] = [0, 0, 0]
    const get = async (url: string) => {
      const response = await api().client.get(url, asUser('ann'))
      return [response.status, response.json()] as const
    }

    before(async () => {
      ;[ann, bob] = (await api().insert('authors', [{ name: 'Ann' }, { name: 'Bob', secret_of: 'bob' }])) as [
        number,
        number,
      ]
      ;[tea] = (await api().insert('tags', [{ name: 'tea' }])) as [number]
      const made = await api().insert('books', [
        { title: 'a', author_id: ann, editor_id: bob },
        { title: 'b', author_id: ann, editor_id: ann },
        { title: 'c', author_id: bob },
      ])
      await api().database.transaction(({ kysely }) =>
        kysely
          .insertInto('book_tags')
          .values(made.map(book_id => ({ book_id, tag_id: tea })))
          .execute(),
      )
    })

    test('a page shows each object once, and its items show keys', async () => {
      const [status, page] = await get('/books/?prefetch=author,tags')
      assert.equal(status, 200)
      assert.deepEqual(page.prefetch, {
        author: { [ann]: { id: ann, name: 'Ann' } },
        tags: { [tea]: { id: tea, name: 'tea' } },
      })
      assert.deepEqual(
        page.results.map((book: { author: unknown; tags: unknown }) => [book.author, book.tags]),
        [
          [ann, [tea]],
          [ann, [tea]],
        ],
      )
      assert.equal(page.count, 3)
    })

    test('without expansions, a list is as ever', async () => {
      const [, page] = await get('/books/')
      assert.deepEqual(Object.keys(page), ['count', 'next', 'previous', 'results'])
    })

    test('hidden objects are left out', async () => {
      const [, page] = await get('/books/?prefetch=editor,author&page=1')
      assert.deepEqual(page.prefetch, {
        author: { [ann]: { id: ann, name: 'Ann' } },
        editor: { [ann]: { id: ann, name: 'Ann' } },
      })
      assert.equal(page.results[0].editor, null)
      const [, last] = await get('/books/?prefetch=author&page=2')
      assert.deepEqual(last.prefetch, { author: {} })
    })

    test('a list without pages becomes an object', async () => {
      const [, list] = await get('/all-books/?expand=author')
      assert.deepEqual([list.results.length, Object.keys(list.included.author)], [3, [String(ann)]])
      assert.equal((await get('/all-books/'))[1].length, 3)
    })

    test('the query selects fields of items and of objects', async () => {
      const [, page] = await get('/books/?prefetch=author&fields=author.name')
      assert.deepEqual(page.results, [{ author: ann }, { author: ann }])
      assert.deepEqual(page.prefetch, { author: { [ann]: { id: ann, name: 'Ann' } } })
      const [, omitted] = await get('/books/?prefetch=author&omit=author,tags,editor')
      assert.deepEqual([omitted.prefetch, Object.keys(omitted.results[0])], [{}, ['id', 'title']])
    })

    test('unknown names are refused, and a single object shows the objects inside', async () => {
      assert.deepEqual((await get('/books/?prefetch=autor'))[0], 400)
      const [, page] = await get('/books/')
      const [, book] = await get(`/books/${page.results[0].id}/?prefetch=author`)
      assert.deepEqual(book.author, { id: ann, name: 'Ann' })
    })

    test('a single object has the member too, also without objects', async () => {
      const [, { results, prefetch }] = await get('/dojo/')
      assert.deepEqual(prefetch, {})
      const { id } = results[0]
      const [, plain] = await get(`/dojo/${id}/`)
      assert.deepEqual(plain, { id, title: 'a', author: ann, editor: null, tags: [tea], prefetch: {} })
      const [, book] = await get(`/dojo/${id}/?prefetch=author,tags,editor`)
      assert.deepEqual(book, {
        ...plain,
        prefetch: {
          author: { [ann]: { id: ann, name: 'Ann' } },
          tags: { [tea]: { id: tea, name: 'tea' } },
          editor: {},
        },
      })
      const [, wrapped] = await get(`/wrapped/${id}/?expand=author`)
      assert.deepEqual([wrapped.book.author, wrapped.included], [ann, undefined])
      assert.deepEqual(wrapped.prefetch, { author: { [ann]: { id: ann, name: 'Ann' } } })
      assert.deepEqual(Object.keys((await get(`/wrapped/${id}/`))[1]), ['book'])
      const [, fields] = await get(`/dojo/${id}/?fields=title`)
      assert.deepEqual(fields, { title: 'a', prefetch: {} })
    })

    test('unknown names select nothing where a resource says so', async () => {
      const [status, page] = await get('/dojo/?prefetch=autor,author,title&fields=titel,author&omit=x')
      assert.deepEqual([status, page.results[0], Object.keys(page.prefetch)], [200, { author: ann }, ['author']])
      assert.deepEqual((await get('/dojo/?fields=titel'))[1].results[0], {})
      const many = Array.from({ length: 11 }, (_, index) => `a${index}`)
      assert.deepEqual((await get(`/dojo/?prefetch=${many}`))[0], 200)
    })

    test('a tag of the object with the member is that of its next write', async () => {
      const { client } = api()
      const [, { results }] = await get('/dojo/')
      const url = `/dojo/${results[2].id}/`
      const read = await client.get(url, asUser('ann'))
      const write = (tag: string) =>
        client.request('PATCH', url, {
          json: { title: 'c' },
          headers: { ...asUser('ann').headers, 'if-match': tag },
        })
      const written = await write(read.headers.etag!)
      assert.deepEqual([written.status, written.json().prefetch, written.headers.etag], [200, undefined, undefined])
      assert.equal((await write('"x"')).status, 412)
    })

    test('the pages of lists and objects with the member show their fields', async () => {
      const [, { results }] = await get('/dojo/')
      for (const path of ['dojo', 'wrapped'])
        for (const query of ['', '?prefetch=author', '?expand=author'])
          for (const key of ['', `${results[0].id}/`]) {
            const url = `/${path}/${key}${query}`
            const headers = { ...asUser('ann').headers, accept: 'text/html' }
            const page = await api().client.get(url, { headers })
            assert.equal(page.status, 200, url)
            assert.match(page.text, /Tags/, url)
          }
    })

    test('the document describes the member', () => {
      const { paths } = findDocument(api().app)!
      const body = (path: string) =>
        JSON.stringify(
          (
            paths[Object.keys(paths).find(each => each.startsWith(`${path}{`))!]!.get!.responses['200'] as {
              content: object
            }
          ).content,
        )
      assert.match(body('/dojo/'), /"prefetch":.*"required":\["prefetch"\]/)
      assert.match(body('/wrapped/'), /"book".*"prefetch":/)
      assert.doesNotMatch(body('/books/'), /"prefetch":/)
    })

    test('the client knows the member', async () => {
      const server = createApi({ resources, authentication: [userScheme] })
      const client = createClient<typeof server>({
        baseUrl: 'http://localhost',
        fetch: async (input: string | URL | Request) => {
          const response = await api().client.get(String(input).replace('http://localhost', ''), asUser('ann'))
          return new Response(response.text, { headers: { 'content-type': 'application/json' } })
        },
      })
      const { results, prefetch } = await client.books.list({ prefetch: ['author'] })
      const keys: readonly (number | null)[] = results.map(({ author }) => author)
      assert.deepEqual([keys, prefetch?.author?.[ann]?.name], [[ann, ann], 'Ann'])
      const { results: all } = await client.dojo.list()
      const found = await client.dojo(all[0]!.id).retrieve({ prefetch: ['author'] })
      const author: number | null = found.author
      assert.deepEqual([author, found.prefetch.author?.[ann]?.name], [ann, 'Ann'])
      const wrapped = await client.wrapped(all[0]!.id).retrieve()
      assert.deepEqual([wrapped.book.title, wrapped.prefetch], ['a', undefined])
    })
  },
  { migrations: {}, owners: [schema] },
)

suite('declarations', () => {
  test('the names of members differ', () => {
    assert.throws(
      () => resource('books', { ...options, envelope: { expanded: 'results' } }),
      /envelope.many: two members are called "results"/,
    )
    assert.throws(
      () => resource('books', { ...options, envelope: { expanded: '' } }),
      /envelope.expanded must be a name/,
    )
    const declare = (envelope: object) => () => resource('books', { ...options, envelope: envelope as never })
    assert.throws(declare({ expanded: { nam: 'a' } }), /envelope.expanded/)
    assert.throws(
      declare({ one: 'a', expanded: { name: 'a', objects: true } }),
      /envelope.expanded: the object is called "a" too: rename one/,
    )
    assert.throws(
      () => resource('books', { ...options, unknownNames: 'accept' as never }),
      /unknownNames must be 'refuse' or 'ignore'/,
    )
  })
})
