// `fields`, `omit` and `expand` in the responses to writes, and in the representations of extra actions.

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from 'kysely'
import {
  authenticated,
  browsable,
  computed,
  findDocument,
  idempotencyMigrations,
  integer,
  jsonRenderer,
  key,
  nested,
  readOnly,
  related,
  resource,
  rowFilter,
  staff,
  text,
} from 'resource-api'
import { createClient } from 'resource-api/client'
import { caller, reference, table, tables, through } from 'resource-api/tables'
import { injectFetch } from '../support/client.ts'
import { asUser, onEachDatabase, userScheme } from '../support/own-api.ts'

const authorTable = table('writers', { columns: { id: key(), name: text(), owner: text() } })
const tagTable = table('labels', { columns: { id: key(), name: text() } })
const chapterTable = table('parts', {
  columns: { id: key(), volume: reference('volumes', { onDelete: 'cascade' }), title: text() },
})
const bookTable = table('volumes', {
  columns: {
    id: key(),
    title: text({ unique: 'taken' }),
    pages: integer({ default: 1 }),
    shelf: text({ nullable: true }),
    author: reference('writers', { nullable: true }),
  },
  many: { labels: through('volume_labels') },
})
const bookTags = table('volume_labels', {
  key: ['volume', 'label'],
  columns: { volume: reference('volumes', { onDelete: 'cascade' }), label: reference('labels') },
})
const schema = tables({ owner: 'volumes', tables: [authorTable, tagTable, chapterTable, bookTable, bookTags] })

const authors = resource('writers', {
  table: authorTable,
  fields: authorTable.pick('id', 'name', 'owner'),
  permissions: [authenticated, rowFilter({ owner: caller('username') })],
})
const tags = resource('labels', {
  table: tagTable,
  fields: tagTable.pick('id', 'name'),
  permissions: [authenticated],
  perAction: { retrieve: { permissions: [staff] } },
})
const chapters = resource('parts', {
  table: chapterTable,
  fields: { ...chapterTable.pick('id', 'title'), volume: related('volumes') },
})
const written: string[] = []
const books = resource('volumes', {
  table: bookTable,
  fields: {
    ...bookTable.pick('id', 'title', 'pages'),
    shelf: readOnly(text({ nullable: true, visible: ({ user }) => user.isStaff })),
    author: related(authors, { nullable: true }),
    labels: related(tags, { many: { table: 'volume_labels', own: 'volume_id', other: 'label_id' }, required: false }),
    parts: nested({ of: chapters, many: { reverse: 'volume_id' }, fields: ['id', 'title'], writable: true }),
    loud: computed(text(), ({ row }) => sql`upper(${row.title})`),
    quiet: computed({ columns: ['title'], value: ({ title }) => String(title).toLowerCase() }),
  },
  sparseFields: true,
  expandableFields: ['author', 'labels'],
  fieldSets: { brief: ['id'] },
  selectsIn: 'all',
  bulk: 'atomic',
  strict: true,
  parameters: { omit: 'exclude' },
  afterSave: ({ given }) => void written.push(String(given.title)),
  objectViews: ({ objectView }) => ({
    lengthen: objectView({
      response: 'representation',
      idempotent: true,
      body: { by: integer() },
      columns: ['pages'],
      handlers: { POST: ({ object, body, update }) => update({ pages: object.pages + body.by }) },
    }),
    checked: objectView({
      response: 'representation',
      query: { deep: integer({ default: 0 }) },
      handlers: { GET: ({ represent }) => represent() },
    }),
  }),
})
const plain = resource('plain', {
  table: bookTable,
  fields: bookTable.pick('id', 'title'),
  sparseFields: true,
  actions: ['create', 'update', 'retrieve'],
})
const resources = [authors, tags, chapters, books, plain] as const

onEachDatabase(
  () => ({
    resources,
    authentication: [userScheme],
    renderers: [jsonRenderer, browsable()],
    secret: 'x'.repeat(32),
    idempotencyKeys: true,
  }),
  api => {
    const send = async (method: string, path: string, json: unknown, who: 'ann' | 'sue' = 'ann', headers = {}) => {
      const own = { ...asUser(who).headers, ...headers }
      const response = await api().client.request(method, path, { headers: own, json })
      return [response.status, response.text === '' ? null : response.json(), response.headers] as const
    }
    const rows = async () => (await api().rows('volumes')).length

    before(async () => {
      await api().insert('writers', [
        { name: 'Jane', owner: 'ann' },
        { name: 'Hidden', owner: 'bob' },
      ])
      await api().insert('labels', [{ name: 'old' }])
    })

    test('POST, PUT and PATCH show the selected fields and objects', async () => {
      const [status, made, headers] = await send('POST', '/volumes/?fields=title,author,loud&expand=author', {
        title: 'Emma',
        author: 1,
        labels: [1],
        parts: [{ title: 'I' }],
      })
      const author = { id: 1, name: 'Jane', owner: 'ann' }
      assert.deepEqual([status, made], [201, { title: 'Emma', author, loud: 'EMMA' }])
      assert.equal(headers.etag, undefined)
      const path = headers.location!.toString().replace(/^.*?(?=\/volumes)/, '')
      const whole = await send('GET', path, undefined)
      assert.deepEqual([whole[1].labels, whole[1].parts[0].title], [[1], 'I'])
      for (const [method, query, expected] of [
        ['PUT', 'fields=id,parts.title,quiet', { id: 1, parts: [{ title: 'II' }], quiet: 'persuasion' }],
        ['PATCH', 'exclude=parts,labels,loud,quiet&expand=author', { id: 1, title: 'Persuasion', pages: 1, author }],
        ['PATCH', 'fields=author.name&expand=author', { author: { name: 'Jane' } }],
      ] as const) {
        const [changed, body, { etag }] = await send(method, `${path}?${query}`, {
          ...{ title: 'Persuasion', author: 1, labels: [1], parts: [{ title: 'II' }] },
        })
        assert.deepEqual([changed, body, etag], [200, expected, undefined], query)
      }
      const [, , { etag }] = await send('PATCH', path, { title: 'Persuasion' })
      assert.match(String(etag), /"/)
      const tagged = { 'if-match': String(etag) }
      assert.deepEqual((await send('PATCH', `${path}?fields=id`, { pages: 7 }, 'ann', tagged)).slice(0, 2), [
        200,
        { id: 1 },
      ])
      assert.equal((await send('PATCH', `${path}?fields=id`, { pages: 8 }, 'ann', tagged))[0], 412)
      assert.deepEqual((await send('PATCH', `${path}?fields=pages`, {}))[1], { pages: 7 })
    })

    test('an error of the query comes before the write', async () => {
      const count = await rows()
      for (const [query, expected] of [
        ['fields=titel', { fields: ['There is no field "titel". Did you mean "title"?'] }],
        ['fields=shelf', { fields: ['There is no field "shelf".'] }],
        ['exclude=author.name', { exclude: ['There is no field "author.name".'] }],
        ['expand=title', { expand: ['"title" cannot be expanded.'] }],
      ] as const) {
        assert.deepEqual(
          (await send('POST', `/volumes/?${query}`, { title: 'lost' })).slice(0, 2),
          [400, expected],
          query,
        )
        assert.deepEqual((await send('POST', `/volumes/?${query}`, [{ title: 'lost' }])).slice(0, 2), [400, expected])
        assert.deepEqual((await send('PATCH', `/volumes/1/?${query}`, { title: 'lost' })).slice(0, 2), [400, expected])
        assert.deepEqual((await send('POST', `/volumes/1/lengthen/?${query}`, { by: 1 })).slice(0, 2), [400, expected])
      }
      // The caller may not read single labels.
      assert.equal((await send('POST', '/volumes/?expand=labels', { title: 'lost' }))[0], 403)
      assert.equal((await send('POST', '/volumes/1/lengthen/?expand=labels', { by: 1 }))[0], 403)
      assert.equal(await rows(), count)
      assert.ok(!written.includes('lost'))
      assert.deepEqual(
        (
          await send('POST', '/volumes/?expand=labels&fields=labels,shelf', { title: 'seen', labels: [1] }, 'sue')
        ).slice(0, 2),
        [201, { shelf: null, labels: [{ id: 1, name: 'old' }] }],
      )
      assert.deepEqual((await send('PATCH', '/volumes/99/?fields=id', {})).slice(0, 2), [404, { detail: 'Not found.' }])
    })

    test('hidden objects stay hidden, and a list of objects shows the same fields', async () => {
      const { kysely } = api().database
      const { id } = (await kysely
        .selectFrom('volumes' as never)
        .select('id' as never)
        .where('title' as never, '=', 'Persuasion' as never)
        .executeTakeFirstOrThrow()) as { id: number }
      await api().database.transaction(({ kysely: write }) =>
        write
          .updateTable('volumes' as never)
          .set({ author_id: 2 } as never)
          .where('id' as never, '=', id as never)
          .execute(),
      )
      assert.deepEqual((await send('PATCH', `/volumes/${id}/?expand=author&fields=author`, { pages: 3 }))[1], {
        author: null,
      })
      assert.equal((await api().rows('volumes')).find(row => row.id === id)!.author_id, 2)
      const [status, made] = await send('POST', '/volumes/?fields=title,author&expand=author', [
        { title: 'a', author: 1 },
        { title: 'b', parts: [{ title: 'x' }] },
      ])
      assert.deepEqual(
        [status, made],
        [
          201,
          [
            { title: 'a', author: { id: 1, name: 'Jane', owner: 'ann' } },
            { title: 'b', author: null },
          ],
        ],
      )
      const [changed, body] = await send('PATCH', '/volumes/?fields=pages', [{ id, pages: 4 }])
      assert.deepEqual([changed, body], [200, [{ pages: 4 }]])
    })

    test('extra actions that respond with a representation', async () => {
      const [status, body] = await send('POST', '/volumes/1/lengthen/?fields=pages', { by: 6 })
      assert.deepEqual([status, body], [200, { pages: 10 }])
      const repeated = { 'idempotency-key': 'k' }
      for (const _ of [1, 2])
        assert.deepEqual((await send('POST', '/volumes/1/lengthen/?fields=pages', { by: 1 }, 'ann', repeated))[1], {
          pages: 11,
        })
      assert.deepEqual((await send('GET', '/volumes/1/checked/?fields=id&deep=1', undefined))[1], { id: 1 })
      assert.deepEqual((await send('GET', '/volumes/1/checked/?felds=id', undefined))[0], 400)
    })

    test('without the option, and with sets, writes show all fields', async () => {
      assert.deepEqual(Object.keys((await send('PATCH', '/volumes/1/?brief=true', {}))[1]).length, 8)
      assert.deepEqual((await send('PATCH', '/plain/1/?fields=id', { title: 'Persuasion' }))[1], {
        id: 1,
        title: 'Persuasion',
      })
    })

    test('the document describes the parameters', () => {
      const { paths } = findDocument(api().app)!
      const names = (path: string, method: 'post' | 'patch' | 'put' | 'get') =>
        Object.entries(paths)
          .find(([each]) => each.replace(/\{\w+\}/, ':id') === path)![1]
          [method]!.parameters!.flatMap(({ name, in: place }) => (place === 'query' ? [name] : []))
      const all = ['fields', 'exclude', 'expand']
      for (const method of ['post', 'patch', 'put'] as const) assert.deepEqual(names('/volumes/', method), all, method)
      for (const method of ['patch', 'put'] as const) assert.deepEqual(names('/volumes/:id/', method), all)
      assert.deepEqual(names('/volumes/:id/lengthen/', 'post'), all)
      assert.deepEqual(names('/volumes/:id/checked/', 'get'), [...all, 'deep'])
      assert.deepEqual(names('/plain/', 'post'), [])
    })

    test('a client knows what the response shows', async () => {
      const headers = asUser('ann').headers
      const client = createClient<typeof resources>({
        baseUrl: 'http://localhost/',
        fetch: injectFetch(api().client),
        headers,
        parameters: { omit: 'exclude' },
      })
      const made = await client.volumes.create(
        { title: 'typed', author: 1 },
        { query: { fields: ['id', 'author'], expand: ['author'] } },
      )
      assert.equal(made.author?.name, 'Jane')
      // @ts-expect-error the response does not show it
      assert.equal(made.title, undefined)
      const changed = await client.volumes(made.id).update({ pages: 2 }, { query: { exclude: ['title', 'parts'] } })
      assert.equal(changed.pages, 2)
      // @ts-expect-error the response does not show it
      assert.equal(changed.title, undefined)
      const longer = await client.volumes(made.id).lengthen({ by: 3 }, { query: { fields: ['pages'] } })
      assert.deepEqual(longer, { pages: 5 })
      const refused = await client
        .volumes(made.id)
        // @ts-expect-error there is no such field
        .update({}, { query: { fields: ['titel'] } })
        .result()
      assert.equal(refused.ok, false)
    })

    test('the form of a list that selects fields creates an object', async () => {
      const accept = { ...asUser('ann').headers, accept: 'text/html' }
      const form = { title: 'by form', pages: '3' }
      const made = await api().client.request('POST', '/volumes/?fields=title', { headers: accept, form })
      assert.equal(made.status, 201)
      assert.match(made.headers.location!, /\/volumes\/\d+\/$/)
      assert.match(made.text, /by form/)
    })
  },
  { migrations: {}, owners: [schema as never, idempotencyMigrations] },
)

suite('wrong declarations are errors', () => {
  const options = { table: bookTable, fields: bookTable.pick('id', 'title') } as const
  test('of the option', () => {
    assert.throws(
      () => resource('volumes', { ...options, sparseFields: true, selectsIn: 'writes' as never }),
      new Error(`resource "volumes": selectsIn must be 'reads' or 'all'`),
    )
    assert.throws(
      () => resource('volumes', { ...options, selectsIn: 'all' }),
      new Error(
        'resource "volumes": selectsIn: callers can select nothing: declare sparseFields or expandableFields, or remove it',
      ),
    )
  })
})
