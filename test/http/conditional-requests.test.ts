// Conditional requests (RFC 9110 §13): entity tags, dates, and the statuses 304, 412 and 428.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { sql } from 'kysely'
import {
  boolean,
  browsable,
  computed,
  dateTime,
  integer,
  jsonRenderer,
  key,
  pageNumber,
  resource,
  text,
  via,
} from 'resource-api'
import { asUser, onEachDatabase, startApi, userScheme } from '../support/own-api.ts'

/** What another request does between the checks of a write and its transaction. */
let beforeWrite: (() => Promise<unknown>) | undefined
let savedTitles: unknown[] = []

const fields = { id: key(), title: text({ max: 200 }), pages: integer() }

const books = resource('books', {
  table: 'books',
  pagination: pageNumber({ pageSize: 2 }),
  fields,
  hookColumns: ['subtitle', 'genre', 'contact', 'in_print'],
  async prepare({ action }) {
    await beforeWrite?.()
    return action === 'create' ? { subtitle: '', genre: '', contact: '', in_print: true } : {}
  },
  beforeSave({ values }) {
    savedTitles.push(values.title)
  },
})

/** Without hooks, a write without preconditions is one statement. */
const plain = resource('plain', { table: 'books', actions: ['retrieve', 'update', 'destroy'], fields })

const strict = resource('strict', {
  table: 'books',
  requireIfMatch: true,
  actions: ['retrieve', 'update', 'destroy'],
  fields,
})

const dated = resource('dated', {
  table: 'books',
  actions: ['retrieve', 'update', 'destroy'],
  lastModified: 'published',
  fields: { id: key(), title: text(), published: dateTime({ nullable: true }) },
})

/** The representation depends on the caller. */
const personal = resource('personal', {
  table: 'books',
  actions: ['retrieve', 'update'],
  fields: {
    id: key(),
    title: text(),
    reader: computed({ columns: [], value: (_, { user }) => (user.isAuthenticated ? user.username : null) }),
    is_known: computed(boolean(), ({ caller }) => sql`${caller.username} is not null`),
    pages: integer({ visible: ({ user }: { user: { isAuthenticated: boolean } }) => user.isAuthenticated }),
  },
})

const ofRows = {
  table: 'books',
  actions: ['retrieve', 'update'],
  lastModified: 'published',
} as const

const dateFields = { id: key(), title: text(), published: dateTime({ nullable: true }) }

/** The date says nothing about what these show besides the row. */
const moreThanRows = [
  resource('with-author', {
    ...ofRows,
    fields: { ...dateFields, author: text({ source: via('author_id', 'authors', 'name') }) },
  }),
  resource('for-caller', {
    ...ofRows,
    fields: { ...dateFields, is_known: computed(boolean(), ({ caller }) => sql`${caller.username} is not null`) },
  }),
  resource('by-caller', {
    ...ofRows,
    fields: {
      ...dateFields,
      pages: integer({ visible: ({ user }: { user: { isAuthenticated: boolean } }) => user.isAuthenticated }),
    },
  }),
]

/** Two representations that depend on more than the rows and the caller. */
const volatile = resource('volatile', {
  table: 'books',
  actions: ['list', 'retrieve'],
  fields: { id: key(), random: computed(text(), () => sql`cast(random() as text)`, { volatile: true }) },
})

let isOpen = true

const gated = resource('gated', {
  table: 'books',
  actions: ['retrieve'],
  permissions: [{ columns: ['title'], allowsObject: () => isOpen }],
  fields,
})

const secrets = resource('secrets', { table: 'books', noStore: true, actions: ['list', 'retrieve'], fields })

const resources = [books, plain, strict, dated, personal, volatile, gated, secrets, ...moreThanRows]

onEachDatabase(
  () => ({ authentication: [userScheme], resources, renderers: [jsonRenderer, browsable()] }),
  api => {
    afterEach(() => {
      beforeWrite = undefined
      savedTitles = []
    })

    const insert = async (title = 'Emma', published: string | null = null) => {
      const row = { title, subtitle: '', pages: 9, in_print: true, genre: '', contact: '', published }
      const [id] = await api().insert('books', [row])
      return id!
    }
    const findTitle = async (id: number) => (await api().rows('books')).find(row => row.id === id)?.title
    const readTag = async (path: string, headers: Record<string, string> = {}) => {
      const response = await api().client.get(path, { headers })
      assert.match(response.headers.etag!, /^"[\w.-]+"$/)
      return response.headers.etag!
    }

    test('an object and a list have a strong ETag, which changes exactly with the representation', async () => {
      const id = await insert()
      const { client } = api()
      for (const path of [`/books/${id}/`, '/books/']) {
        const before = await readTag(path)
        assert.equal(await readTag(path), before)
        await client.patch(`/plain/${id}/`, { json: { title: `of ${path}` } })
        const after = await readTag(path)
        assert.notEqual(after, before)
        await api().database.transaction(({ kysely }) => kysely.updateTable('books').set({ secret: 'x' }).execute())
        assert.equal(await readTag(path), after)
      }
    })

    test('If-None-Match leads to 304 without a body, with the fields that a cache needs', async () => {
      const path = `/books/${await insert()}/`
      const tag = await readTag(path)
      for (const field of [tag, `W/${tag}`, `"other", ${tag}`, ` ,${tag},, "x"`, '*']) {
        const response = await api().client.get(path, { headers: { 'if-none-match': field, 'x-user': 'ann' } })
        assert.deepEqual([response.status, response.text], [304, ''], field)
        const { etag, vary, 'cache-control': cacheControl, 'content-type': contentType } = response.headers
        assert.deepEqual([etag, cacheControl, contentType], [tag, 'private, no-cache', undefined])
        assert.match(vary!, /^Accept, X-User/)
      }
      for (const field of ['"other"', tag.slice(1), `${tag} x`, '', 'W/', '"', `${tag.slice(0, -1)}`, 'w/""'])
        assert.equal((await api().client.get(path, { headers: { 'if-none-match': field } })).status, 200, field)
      assert.equal((await api().client.request('HEAD', path, { headers: { 'if-none-match': tag } })).status, 304)
    })

    test('a page of a list is 304 until any of its rows changes', async () => {
      const id = await insert('Persuasion')
      const { client } = api()
      const headers = { 'if-none-match': await readTag('/books/?page=last') }
      for (let count = 0; count < 3; count++)
        assert.equal((await client.get('/books/?page=last', { headers })).status, 304)
      assert.equal((await client.get('/books/?page=1', { headers })).status, 200)
      await client.patch(`/plain/${id}/`, { json: { pages: 12 } })
      assert.equal((await client.get('/books/?page=last', { headers })).status, 200)
    })

    test('an object is 304 again and again, until it changes, whoever writes', async () => {
      const id = await insert()
      const path = `/plain/${id}/`
      const tag = await readTag(path)
      const read = async (other: Record<string, string> = {}, query = '') =>
        (await api().client.get(`${path}${query}`, { headers: { 'if-none-match': tag, ...other } })).status
      for (let count = 0; count < 3; count++) assert.equal(await read(), 304)
      assert.deepEqual(
        [await read({ accept: 'text/html' }), await read({ accept: 'application/json; indent=2' })],
        [200, 200],
      )
      assert.deepEqual([await read({ host: '127.0.0.1' }), await read({}, '?format=json')], [304, 304])
      await api().database.transaction(({ kysely }) => kysely.updateTable('books').set({ pages: 10 }).execute())
      assert.equal(await read(), 200)
      await api().database.transaction(({ kysely }) => kysely.updateTable('books').set({ pages: 9 }).execute())
      for (let count = 0; count < 3; count++) assert.equal(await read(), 304)
      await api().client.delete(path)
      assert.equal(await read(), 404)
    })

    test('a GET whose If-Match names another representation is 412', async () => {
      const id = await insert()
      const { client } = api()
      for (const path of [`/plain/${id}/`, '/books/']) {
        const tag = await readTag(path)
        const read = async (headers: Record<string, string>, method: 'GET' | 'HEAD' = 'GET') =>
          (await client.request(method, path, { headers })).status
        for (const field of [tag, `"other", ${tag}`, '*']) assert.equal(await read({ 'if-match': field }), 200, field)
        for (const field of ['"other"', `W/${tag}`, tag.slice(1), '']) {
          assert.equal(await read({ 'if-match': field }), 412, field)
          assert.equal(await read({ 'if-match': field }, 'HEAD'), 412, field)
          assert.equal(await read({ 'if-match': field, 'if-none-match': tag }), 412, field)
        }
        assert.equal(await read({ 'if-match': tag, 'if-none-match': tag }), 304)
        const indented = await client.get(path, { headers: { accept: 'application/json; indent=2', 'if-match': tag } })
        assert.deepEqual(
          [indented.status, indented.json()],
          [412, { detail: 'The resource is not in the state that the request expects.' }],
        )
        assert.equal(await read({ accept: 'text/html', 'if-match': '"other"' }), 200)
      }
      assert.equal((await client.get('/plain/99999/', { headers: { 'if-match': '*' } })).status, 404)
    })

    test('volatile SQL and object permissions are evaluated for each 304', async () => {
      const id = await insert()
      for (const path of [`/volatile/${id}/`, '/volatile/']) {
        let tag = await readTag(path)
        for (let count = 0; count < 3; count++) {
          const { status, headers } = await api().client.get(path, { headers: { 'if-none-match': tag } })
          assert.equal(status, 200)
          tag = headers.etag!
        }
      }
      const headers = { 'if-none-match': await readTag(`/gated/${id}/`) }
      const read = async () => (await api().client.get(`/gated/${id}/`, { headers })).status
      assert.deepEqual([await read(), await read()], [304, 304])
      isOpen = false
      assert.equal(await read(), 401)
      isOpen = true
    })

    test('a 304 of an object is decided for each caller', async () => {
      const path = `/personal/${await insert()}/`
      const tag = await readTag(path, { 'x-user': 'ann' })
      const read = async (name: string) =>
        (await api().client.get(path, { headers: { 'x-user': name, 'if-none-match': tag } })).status
      for (let count = 0; count < 2; count++) assert.deepEqual([await read('ann'), await read('bob')], [304, 200])
    })

    test('each format has its own tag, and If-Match accepts that of any', async () => {
      const id = await insert()
      const path = `/plain/${id}/`
      const indented = await readTag(path, { accept: 'application/json; indent=4' })
      assert.notEqual(indented, await readTag(path))
      const { client } = api()
      const accept = 'application/json; indent=4'
      assert.equal((await client.get(path, { headers: { accept, 'if-none-match': indented } })).status, 304)
      assert.equal((await client.get(path, { headers: { 'if-none-match': indented } })).status, 200)
      const changed = await client.patch(path, { json: { title: 'A' }, headers: { 'if-match': indented } })
      assert.equal(changed.status, 200)
    })

    test('a page in HTML has no ETag and stays no-store', async () => {
      const path = `/plain/${await insert()}/`
      const tag = await readTag(path)
      const { status, headers } = await api().client.get(path, {
        headers: { accept: 'text/html', 'if-none-match': tag, 'x-user': 'ann' },
      })
      assert.deepEqual([status, headers.etag, headers['cache-control']], [200, undefined, 'no-store'])
    })

    for (const name of ['books', 'plain', 'strict']) {
      test(`${name}: an If-Match that fails is 412 with nothing written, and one that holds writes`, async () => {
        const id = await insert()
        const path = `/${name}/${id}/`
        const { client } = api()
        const tag = await readTag(path)
        const other = await readTag(`/${name}/${await insert('Another')}/`)
        const refused = ['"other"', other, `W/${tag}`, tag.slice(1), `${tag} x`, '', `"${'x'.repeat(5000)}"`]
        for (const field of refused)
          for (const method of ['PUT', 'PATCH', 'DELETE'] as const) {
            const json = method === 'DELETE' ? undefined : { title: 'B', pages: 1 }
            const response = await client.request(method, path, { json, headers: { 'if-match': field } } as never)
            assert.equal(response.status, 412, `${method} ${field}`)
            assert.deepEqual(response.json(), { detail: 'The resource is not in the state that the request expects.' })
          }
        assert.deepEqual([await findTitle(id), savedTitles], ['Emma', []])
        const patched = await client.patch(path, { json: { title: 'C' }, headers: { 'if-match': `"x", ${tag}` } })
        assert.deepEqual([patched.status, await findTitle(id)], [200, 'C'])
        assert.equal(patched.headers.etag, await readTag(path))
        assert.equal((await client.patch(path, { json: { title: 'D' }, headers: { 'if-match': tag } })).status, 412)
        const put = await client.put(path, { json: { title: 'E', pages: 2 }, headers: { 'if-match': '*' } })
        assert.deepEqual([put.status, put.headers.etag, await findTitle(id)], [200, undefined, 'E'])
        const deleted = await client.delete(path, { headers: { 'if-match': await readTag(path) } })
        assert.deepEqual([deleted.status, await findTitle(id)], [204, undefined])
        assert.equal((await client.delete(path, { headers: { 'if-match': '*' } })).status, 404)
      })
    }

    test('If-Match is evaluated in the transaction of the write, after the writes of others', async () => {
      const id = await insert()
      const path = `/books/${id}/`
      const tag = await readTag(path)
      beforeWrite = () => {
        beforeWrite = undefined
        return api().database.transaction(({ kysely }) =>
          kysely.updateTable('books').set({ pages: 77 }).where('id', '=', id).execute(),
        )
      }
      const response = await api().client.patch(path, { json: { title: 'Mine' }, headers: { 'if-match': tag } })
      assert.deepEqual([response.status, await findTitle(id)], [412, 'Emma'])
    })

    test('of ten requests with the same If-Match at once, one writes', async () => {
      const path = `/plain/${await insert()}/`
      const headers = { 'if-match': await readTag(path) }
      const titles = Array.from({ length: 10 }, (_, index) => `t${index}`)
      const responses = await Promise.all(titles.map(title => api().client.patch(path, { json: { title }, headers })))
      const statuses = responses.map(({ status }) => status).sort()
      assert.deepEqual(statuses, [200, ...Array(9).fill(412)])
    })

    test('requireIfMatch: a write without If-Match is 428, and pages send the tag', async () => {
      const id = await insert()
      const path = `/strict/${id}/`
      const { client } = api()
      for (const headers of [{}, { 'if-none-match': '"x"' }, { 'if-unmodified-since': new Date().toUTCString() }]) {
        const response = await client.patch(path, { json: { title: 'B' }, headers })
        assert.equal(response.status, 428)
        assert.deepEqual(response.json(), { detail: 'Send the ETag of the resource in the header If-Match.' })
        assert.equal((await client.put(path, { json: { title: 'B', pages: 1 }, headers })).status, 428)
        assert.equal((await client.delete(path, { headers })).status, 428)
        assert.equal((await client.put(path, { json: {}, headers })).status, 400)
        assert.equal((await client.patch(path, { json: { pages: 'x' }, headers })).status, 400)
        assert.equal((await client.patch('/strict/99999/', { json: { title: 'B' }, headers })).status, 404)
        assert.equal((await client.delete('/strict/99999/', { headers })).status, 404)
      }
      assert.equal(await findTitle(id), 'Emma')
      const accept = 'text/html'
      const page = (await client.get(path, { headers: { accept } })).text
      const tag = await readTag(path)
      assert.ok(page.includes(`<data data-if-match value="${tag.replaceAll('"', '&#34;')}">`), page)
    })

    test('If-None-Match of a write: 412 if the object is one of these', async () => {
      const id = await insert()
      const path = `/plain/${id}/`
      const tag = await readTag(path)
      const patch = (field: string) =>
        api().client.patch(path, { json: { title: 'B' }, headers: { 'if-none-match': field } })
      for (const field of ['*', tag, `W/${tag}`]) assert.equal((await patch(field)).status, 412, field)
      assert.equal(await findTitle(id), 'Emma')
      assert.equal((await patch('"other"')).status, 200)
    })

    test('the tag is that of the representation that this caller sees', async () => {
      const path = `/personal/${await insert()}/`
      const { client } = api()
      const tags = await Promise.all(['ann', 'bob'].map(name => readTag(path, { 'x-user': name })))
      assert.notEqual(tags[0], tags[1])
      assert.notEqual(await readTag(path), tags[0])
      const patch = (tag: string) =>
        client.patch(path, { json: { title: 'B' }, headers: { ...asUser('ann').headers, 'if-match': tag } })
      assert.equal((await patch(tags[1]!)).status, 412)
      assert.equal((await patch(tags[0]!)).status, 200)
    })

    test('lastModified: Last-Modified, If-Modified-Since and If-Unmodified-Since, to the second', async () => {
      const id = await insert('Emma', '2026-01-31T10:00:00.600000Z')
      const path = `/dated/${id}/`
      const { client } = api()
      const first = await client.get(path)
      assert.equal(first.headers['last-modified'], 'Sat, 31 Jan 2026 10:00:00 GMT')
      assert.equal(first.headers['cache-control'], 'no-cache')
      const [same, later, earlier] = [
        'Sat, 31 Jan 2026 10:00:00 GMT',
        'Saturday, 31-Jan-26 10:00:01 GMT',
        'Sat Jan 31 09:59:59 2026',
      ]
      const since = async (field: string, other = {}) =>
        (await client.get(path, { headers: { 'if-modified-since': field, ...other } })).status
      assert.deepEqual([await since(same), await since(later), await since(earlier)], [304, 304, 200])
      assert.deepEqual([await since('yesterday'), await since('2027-01-01')], [200, 200])
      assert.equal(await since(same, { 'if-none-match': '"other"' }), 200)
      const unmodified = async (field: string, other = {}) =>
        (await client.get(path, { headers: { 'if-unmodified-since': field, ...other } })).status
      assert.deepEqual([await unmodified(same), await unmodified(later), await unmodified(earlier)], [200, 200, 412])
      assert.deepEqual(
        [await unmodified('yesterday'), await unmodified(earlier, { 'if-match': first.headers.etag })],
        [200, 200],
      )
      const patch = async (headers: Record<string, string>) =>
        (await client.patch(path, { json: { title: 'B' }, headers })).status
      assert.equal(await patch({ 'if-unmodified-since': earlier }), 412)
      assert.equal((await client.delete(path, { headers: { 'if-unmodified-since': earlier } })).status, 412)
      assert.equal(await findTitle(id), 'Emma')
      assert.equal(await patch({ 'if-unmodified-since': earlier, 'if-match': first.headers.etag! }), 200)
      assert.equal(await patch({ 'if-unmodified-since': same }), 200)
      assert.equal(await patch({ 'if-unmodified-since': 'yesterday' }), 200)
      const undated = await client.get(`/dated/${await insert()}/`)
      assert.equal(undated.headers['last-modified'], undefined)
    })

    test('If-Modified-Since alone is no 304 if the representation shows more than columns of the row', async () => {
      const id = await insert('Emma', '2026-01-31T10:00:00Z')
      const [authorId] = await api().insert('authors', [{ name: 'Jane' }])
      await api().database.transaction(({ kysely }) =>
        kysely.updateTable('books').set({ author_id: authorId }).where('id', '=', id).execute(),
      )
      for (const name of ['with-author', 'for-caller', 'by-caller']) {
        const path = `/${name}/${id}/`
        const { etag, 'last-modified': date } = (await api().client.get(path, asUser('ann'))).headers
        assert.equal(date, 'Sat, 31 Jan 2026 10:00:00 GMT')
        const read = async (headers: Record<string, string>) =>
          (await api().client.get(path, { headers: { ...asUser('ann').headers, ...headers } })).status
        assert.equal(await read({ 'if-modified-since': date }), 200, name)
        assert.equal(await read({ 'if-modified-since': date, 'if-none-match': etag! }), 304, name)
      }
      const earlier = { 'if-unmodified-since': 'Sat, 31 Jan 2026 09:59:59 GMT' }
      const patched = await api().client.patch(`/with-author/${id}/`, { json: { title: 'B' }, headers: earlier })
      assert.deepEqual([patched.status, await findTitle(id)], [412, 'Emma'])
    })

    test('noStore: no tag, no 304, and no-store for every caller', async () => {
      const path = `/secrets/${await insert()}/`
      for (const headers of [{}, { 'x-user': 'ann' }])
        for (const url of [path, '/secrets/']) {
          const response = await api().client.get(url, { headers: { ...headers, 'if-none-match': '*' } })
          const { etag, 'cache-control': cacheControl } = response.headers
          assert.deepEqual([response.status, etag, cacheControl], [200, undefined, 'no-store'])
        }
    })

    test('a new object has the tag of a GET', async () => {
      const { client } = api()
      const created = await client.post('/books/', { json: { title: 'New', pages: 3 } })
      assert.equal(created.status, 201)
      assert.equal(created.headers.etag, await readTag(`/books/${created.json().id}/`))
    })

    test('Prefer: return=minimal leaves out the body of a write, and keeps its fields', async () => {
      const { client } = api()
      const headers = { prefer: 'respond-async, return=minimal' }
      const created = await client.post('/books/', { json: { title: 'New', pages: 3 }, headers })
      assert.deepEqual([created.status, created.text], [201, ''])
      assert.equal(created.headers['preference-applied'], 'return=minimal')
      const path = new URL(created.headers.location!).pathname
      assert.equal(created.headers.etag, await readTag(path))
      const patched = await client.patch(path, { json: { pages: 4 }, headers })
      assert.deepEqual([patched.status, patched.text, patched.headers.etag], [204, '', await readTag(path)])
      for (const prefer of [
        'RETURN = "minimal"',
        'return=minimal; a="b, c", return=representation',
        ', return=minimal,',
      ])
        assert.equal((await client.patch(path, { json: { pages: 4 }, headers: { prefer } })).status, 204, prefer)
    })

    test('any other Prefer shows the object; if "return" is repeated, the first one counts', async () => {
      const { client } = api()
      const created = await client.post('/books/', { json: { title: 'New', pages: 3 } })
      const path = new URL(created.headers.location!).pathname
      for (const prefer of [
        'return=representation, xreturn=minimal',
        'return=representation, return=minimal',
        'return, return=minimal',
        'return;a=b, return=minimal',
        'wait="1, return=minimal"',
        'wait="1, return=minimal',
        'return=minimal-ish',
        'return=none;return=minimal',
        'é',
        '',
        ',;=,"',
        `${', '.repeat(4000)}x`,
      ]) {
        const full = await client.patch(path, { json: { pages: 5 }, headers: { prefer } })
        assert.deepEqual(
          [full.status, full.json().pages, full.headers['preference-applied']],
          [200, 5, undefined],
          prefer.slice(0, 40),
        )
      }
    })
  },
)

const noDatabase = { table: 'books', fields: { id: key(), title: text(), published: dateTime() } } as const

for (const [options, message] of [
  [
    { lastModified: 'title' },
    /lastModified: field "title" is not a date-time with a column: name a dateTime\(\) field/,
  ],
  [{ lastModified: 'publishd' }, /lastModified: there is no field "publishd": .*"published"/],
  [{ requireIfMatch: true, actions: ['list'] }, /requireIfMatch: it needs "retrieve", and "update" or "destroy"/],
  [{ requireIfMatch: true, noStore: true }, /noStore: without an ETag, "requireIfMatch" has no effect: remove one/],
  [{ lastModified: 'published', noStore: true }, /noStore: without an ETag, "lastModified" has no effect/],
] as const)
  test(`refused at start: ${JSON.stringify(options)}`, () => {
    assert.throws(() => resource('books', { ...noDatabase, ...options } as never), message)
  })

test('a view of your own can have validators, and its own Cache-Control stays', async () => {
  const view = (headers?: Record<string, string>) => ({
    name: 'View',
    handlers: { GET: () => ({ status: 200, body: { a: 1 }, validators: {}, ...(headers && { headers }) }) },
  })
  const views = { '/plain/': view(), '/own/': view({ 'cache-control': 'max-age=60' }) }
  const { client, stop } = await startApi({ views, authentication: [userScheme] })
  const first = await client.get('/plain/', asUser('ann'))
  assert.equal(first.headers['cache-control'], 'private, no-cache')
  assert.equal((await client.get('/plain/', { headers: { 'if-none-match': first.headers.etag! } })).status, 304)
  const own = await client.get('/own/', asUser('ann'))
  assert.deepEqual([own.headers['cache-control'], own.headers.etag], ['max-age=60', undefined])
  await stop()
})
