// Sets of fields that callers choose by a parameter.

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from 'kysely'
import {
  browsable,
  computed,
  findDocument,
  integer,
  jsonRenderer,
  key,
  readOnly,
  related,
  resource,
  text,
} from 'resource-api'
import { createClient } from 'resource-api/client'
import { injectFetch } from '../support/client.ts'
import { authors, bookRow } from '../support/library.ts'
import { asUser, onEachDatabase, userScheme } from '../support/own-api.ts'

const statements: string[] = []
const fields = {
  id: key(),
  title: text(),
  page_count: integer({ column: 'pages' }),
  author: related(authors, { nullable: true }),
  shelf: readOnly(text({ visible: ({ user }) => user.isStaff })),
  loud: computed(text(), ({ row }) => sql`upper(${row.title})`),
}
const options = { table: 'books', fields, wire: 'camelCase', ordering: ['id'], pagination: null } as const
const books = resource('books', {
  ...options,
  actions: ['list', 'retrieve'],
  strict: true,
  fieldSets: { brief: ['id', 'title'], physical: ['page_count', 'shelf'] },
  expandableFields: ['author'],
})
const sparse = resource('sparse', {
  ...options,
  actions: ['list'],
  sparseFields: true,
  fieldSets: { brief: ['id', 'title', 'author'] },
  parameters: { omit: 'exclude' },
})
const resources = [authors, books, sparse] as const

onEachDatabase(
  () => ({ resources, authentication: [userScheme], renderers: [jsonRenderer, browsable()], secret: 'x'.repeat(32) }),
  api => {
    let id = 0
    const get = async (path: string, caller: 'ann' | 'sue' = 'ann') => {
      const response = await api().client.get(path, asUser(caller))
      return [response.status, response.json()] as const
    }

    before(async () => {
      const [author] = await api().insert('authors', [{ name: 'Jane' }])
      ;[id] = (await api().insert('books', [{ ...bookRow, author_id: author, shelf: 'A1' }])) as [number]
    })

    test('a parameter chooses the fields of lists and objects', async () => {
      const brief = { id, title: 'Emma' }
      for (const [query, expected] of [
        ['brief=true', brief],
        ['brief=True', brief],
        ['brief=1&brief=', brief],
        ['physical=true', { pageCount: 474 }],
        ['brief=true&physical=yes', { ...brief, pageCount: 474 }],
        ['brief=true&expand=author', brief],
      ] as const) {
        assert.deepEqual(await get(`/books/?${query}`), [200, [expected]], query)
        assert.deepEqual(await get(`/books/${id}/?${query}`), [200, expected], query)
      }
      for (const query of ['', 'brief=false', 'brief=']) {
        const [, [book]] = await get(`/books/?${query}`)
        assert.deepEqual(Object.keys(book), ['id', 'title', 'pageCount', 'author', 'loud'], query)
      }
      assert.deepEqual(await get('/books/?physical=true', 'sue'), [200, [{ pageCount: 474, shelf: 'A1' }]])
    })

    test('only these fields are read', async () => {
      statements.length = 0
      await get('/books/?brief=yes')
      await get(`/books/${id}/?brief=yes`)
      assert.ok(statements.some(each => each.includes('title')))
      assert.ok(!statements.some(each => /upper|"pages"/.test(each)), statements.join('\n'))
    })

    test('it goes with a selection of fields', async () => {
      for (const [query, expected] of [
        ['brief=true&fields=title,loud', { title: 'Emma', loud: 'EMMA' }],
        ['brief=true&exclude=author,id', { title: 'Emma' }],
      ] as const)
        assert.deepEqual(await get(`/sparse/?${query}`), [200, [expected]], query)
    })

    test('wrong values are refused', async () => {
      for (const path of ['/books/', `/books/${id}/`])
        assert.deepEqual(await get(`${path}?brief=maybe`), [400, { brief: ['Must be a valid boolean.'] }])
      assert.deepEqual(await get('/books/?breif=true'), [
        400,
        { breif: ['There is no such parameter. Did you mean "brief"?'] },
      ])
    })

    test('OPTIONS, the document and pages have the parameter', async () => {
      const { client, app } = api()
      const options = (await client.request('OPTIONS', '/books/', asUser('ann'))).json()
      assert.deepEqual(options.fieldSets, { brief: ['id', 'title'], physical: ['pageCount'] })
      const { paths, components } = findDocument(app)!
      const described = Object.entries(paths).filter(([path]) => /^\/books\/(\{\w+\}\/)?$/.test(path))
      assert.equal(described.length, 2)
      for (const [, item] of described) {
        const { parameters } = item.get!
        const { schema, description } = parameters!.find(({ name }) => name === 'brief')!
        assert.deepEqual([schema, description], [{ type: 'boolean' }, 'True: only the fields id, title are shown.'])
      }
      assert.equal((components!.schemas as Record<string, { required?: object }>).Book!.required, undefined)
      const html = { headers: { ...asUser('ann').headers, accept: 'text/html' } }
      for (const path of ['/books/', `/books/${id}/`])
        assert.equal((await client.get(`${path}?brief=true`, html)).status, 200)
    })

    test('a client knows the fields', async () => {
      const fetch = injectFetch(api().client)
      const client = createClient<typeof resources>({ baseUrl: 'http://localhost/', fetch })
      const [book] = await client.books.list({ brief: true })
      // @ts-expect-error the set does not have it
      assert.deepEqual([book!.title, book!.loud], ['Emma', undefined])
      const whole = await client.books(id).retrieve({ brief: false })
      assert.equal(whole.loud, 'EMMA')
      // @ts-expect-error there is no such set
      await client.sparse.list({ physical: true })
    })
  },
  { observe: each => statements.push(each) },
)

suite('wrong declarations are errors', () => {
  for (const [fieldSets, message] of [
    [{ brief: ['titel'] }, 'fieldSets: "brief": there is no field "titel": write "title"'],
    [{ brief: [] }, 'fieldSets: "brief": write a list of fields, such as ["id", "name"]'],
    [{ brief: 'id' }, 'fieldSets: "brief": write a list of fields, such as ["id", "name"]'],
    [{ 'a.b': ['id'] }, 'fieldSets: "a.b": the name must be that of a parameter: letters, digits, _ and -'],
  ] as const)
    test(message, () => {
      assert.throws(
        () => resource('books', { ...options, fieldSets: fieldSets as never }),
        new Error(`resource "books": ${message}`),
      )
    })
})
