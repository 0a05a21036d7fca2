// The versions of an API: in Accept, in a header field, in the query, or one per prefix.

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import {
  type ApiOptions,
  computed,
  createApi,
  createContext,
  findDocument,
  integer,
  key,
  resource,
  text,
  view,
} from 'resource-api'
import { table, tables } from 'resource-api/tables'
import { onEachDatabase, startApi } from '../support/own-api.ts'

const bookTable = table('books', { columns: { id: key(), title: text(), pages: integer({ default: 0 }) } })
const start = { migrations: {}, owners: [tables({ owner: 'books', tables: [bookTable] })] }

const hooked: (string | undefined)[] = []
const books = resource('books', {
  table: bookTable,
  fields: {
    id: key(),
    title: text(),
    pages: integer({ default: 0, visible: ({ version }) => version === '2' }),
    shown: computed({ columns: ['title'], value: ({ title }, { version }) => `${title} in ${version}` }),
  },
  beforeSave: ({ version }) => void hooked.push(version),
})
const plain = resource('plain-books', {
  table: bookTable,
  actions: ['list', 'retrieve'],
  fields: { id: key(), title: text() },
})
const permitted = resource('new-books', {
  table: bookTable,
  actions: ['list'],
  fields: { id: key() },
  permissions: [{ allows: ({ version }) => version === '2' }],
})
const views = {
  '/version/': view({
    name: 'Version',
    query: { x: integer({ required: false }) },
    response: { version: text() },
    handlers: { GET: ({ version }) => ({ version: version ?? 'none' }) },
  }),
}
const resources = [books, plain, permitted]
const numbered = { versions: ['1', '2'], default: '1' } as const

interface Form {
  readonly versioning: NonNullable<ApiOptions['versioning']>
  /** How a request asks for a version: its query and its header fields. */
  ask(version: string): { readonly query: string; readonly headers: Readonly<Record<string, string>> }
  readonly refusal: readonly [status: number, detail: string]
}

const forms: Readonly<Record<string, Form>> = {
  Accept: {
    versioning: { in: 'accept', ...numbered },
    ask: version => ({ query: '', headers: { accept: `text/plain, application/json; version=${version}` } }),
    refusal: [406, 'Invalid version in "Accept" header.'],
  },
  'a header field': {
    versioning: { in: 'header', name: 'X-API-Version', ...numbered },
    ask: version => ({ query: '', headers: { 'x-api-version': version } }),
    refusal: [404, 'Invalid version in request header.'],
  },
  'the query': {
    versioning: { in: 'query', name: 'v', ...numbered },
    ask: version => ({ query: `?v=${version}`, headers: {} }),
    refusal: [404, 'Invalid version in query parameter.'],
  },
}

for (const [name, { versioning, ask, refusal }] of Object.entries(forms)) {
  suite(name, () =>
    onEachDatabase(
      () => ({ authentication: [], versioning, resources, views, strict: true }),
      api => {
        before(async () => {
          await api().insert('books', [{ title: 'One', pages: 10 }])
        })

        const get = (path: string, version?: string) => {
          const { query, headers } = version === undefined ? { query: '', headers: {} } : ask(version)
          return api().client.get(path + query, { headers })
        }

        test('fields, computed values and permissions read the version, from the cache too', async () => {
          for (const _ of ['read', 'cached']) {
            assert.deepEqual((await get('/books/')).json(), [{ id: 1, title: 'One', shown: 'One in 1' }])
            assert.deepEqual((await get('/books/1/', '1')).json(), { id: 1, title: 'One', shown: 'One in 1' })
            assert.deepEqual((await get('/books/', '2')).json(), [
              { id: 1, title: 'One', pages: 10, shown: 'One in 2' },
            ])
            assert.deepEqual((await get('/plain-books/', '2')).json(), [{ id: 1, title: 'One' }])
          }
          assert.equal((await get('/new-books/', '1')).status, 403)
          assert.equal((await get('/new-books/', '2')).status, 200)
          assert.deepEqual((await get('/version/', '2')).json(), { version: '2' })
        })

        test('hooks read the version', async () => {
          const { query, headers } = ask('2')
          const created = await api().client.post(`/books/${query}`, { headers, json: { title: 'Two', pages: 3 } })
          assert.equal(created.status, 201)
          assert.equal(created.json().pages, 3)
          assert.equal(hooked.pop(), '2')
        })

        test('an unknown version is refused', async () => {
          for (const version of ['3', '', '1,2', '__proto__']) {
            const response = await get('/books/', version)
            // A comma ends the member of Accept, and an empty parameter is as if it were absent.
            if (name === 'Accept' && ['', '1,2'].includes(version)) assert.equal(response.status, 200)
            else assert.deepEqual([response.status, response.json().detail], refusal, version)
          }
        })

        test('OPTIONS and the document describe it, and Vary names it', async () => {
          const described = (await api().client.request('OPTIONS', '/books/')).json()
          assert.deepEqual(described.versioning, { name: 'version', ...(versioning as object) })
          const { parameters, responses, ...operation } = findDocument(api().app).paths['/books/']!.get!
          assert.ok(responses[refusal[0]])
          if (name === 'Accept') assert.deepEqual(operation['x-versioning'], described.versioning)
          else {
            const { in: place, name: parameter } = described.versioning
            assert.deepEqual(
              parameters?.find(each => each.name === parameter),
              {
                name: parameter,
                in: place,
                required: false,
                schema: { type: 'string', enum: ['1', '2'], default: '1' },
              },
            )
          }
          const vary = String((await get('/books/')).headers.vary)
          assert.equal(vary.includes('X-Api-Version'), name === 'a header field')
        })
      },
      start,
    ),
  )
}

suite('one version per prefix', () => {
  onEachDatabase(
    () => ({ authentication: [], versioning: '2', resources, views }),
    api => {
      test('the code reads it, also that of commands', async () => {
        assert.deepEqual((await api().client.get('/version/')).json(), { version: '2' })
        const { user } = { user: { isAuthenticated: true, id: 1, username: 'ann', isStaff: false } }
        assert.equal(createContext(api().app, { user }).version, '2')
        await books.create({ title: 'Called', pages: 1 }, createContext(api().app, { user }))
        assert.equal(hooked.pop(), '2')
      })
    },
    start,
  )
})

test('an API without versions has none', async () => {
  const api = await startApi({ authentication: [], views })
  assert.deepEqual((await api.client.get('/version/')).json(), { version: 'none' })
  assert.equal((await api.client.request('OPTIONS', '/version/')).json().versioning, undefined)
  await api.stop()
})

test('wrong options are errors at start', async () => {
  const mistakes: readonly (readonly [unknown, RegExp])[] = [
    ['', /the version must not be empty/],
    [1, /must be a version such as '1', or an object/],
    [null, /must be a version such as '1', or an object/],
    [{ in: 'path', ...numbered }, /in must be 'accept', 'header' or 'query', not "path"/],
    [{ in: 'accept', versions: [], default: '1' }, /versions must be a list of versions/],
    [{ in: 'accept', versions: ['a b'], default: 'a b' }, /versions must be a list of versions.*not \["a b"\]/],
    [{ in: 'accept', versions: ['1'], default: '2' }, /default must be one of "1", not "2"/],
    [{ in: 'accept', versions: ['1'] }, /default must be one of "1", not undefined/],
    [{ in: 'header', ...numbered }, /a header field needs the option "name"/],
    [{ in: 'query', name: 'a b', ...numbered }, /name must be letters, digits, _ and -, not "a b"/],
    [{ in: 'query', name: 'format', ...numbered }, /the parameter "format" selects the renderer/],
    [{ in: 'accept', name: 'q', ...numbered }, /the parameter "q" of Accept has another meaning/],
    [{ in: 'accept', version: [], ...numbered }, /there is no option "version": write "versions"/],
  ]
  for (const [versioning, message] of mistakes)
    assert.throws(() => createApi({ versioning: versioning as '1' }), message)
  const versioning = { in: 'query', name: 'x', ...numbered } as const
  await assert.rejects(startApi({ versioning, views }), /the parameter "x" selects the version of the API: rename it/)
})
