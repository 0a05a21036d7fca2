// The argument of each hook: the object before and after, the values of the body, the caller and the request.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { integer, key, readOnly, related, resource, text } from 'resource-api'
import { authors, tags } from '../support/library.ts'
import { asUser, type LibraryApi, onEachDatabase, userScheme } from '../support/own-api.ts'

/** The argument of a hook, without the members that are the same for all hooks. */
interface Seen {
  readonly hook: string
  readonly action: string
  readonly key: unknown
  readonly before: unknown
  readonly values?: unknown
  readonly after?: unknown
  readonly given?: unknown
}

const seen: Seen[] = []
const shared: object[] = []
/** The title that `beforeDestroy` writes. */
let titleBeforeDestroy: string | undefined

interface Known extends Omit<Seen, 'hook'> {
  readonly user: { readonly username: string }
  readonly now: string
  readonly request: { readonly method: string } | undefined
  readonly parameters: object | undefined
  readonly view: { readonly id: string }
  readonly baseUrl: string
}

function record(hook: string, context: Known): void {
  const { user, now, request, parameters, view, baseUrl, action, key: id, before, values, after, given } = context
  const written = { ...(values !== undefined && { values }), ...(after !== undefined && { after }) }
  seen.push({ hook, action, key: id, before, ...written, ...(given !== undefined && { given }) })
  shared.push([user.username, now, request?.method, { ...parameters }, view.id, new URL(baseUrl).pathname])
}

const books = resource('books', {
  table: 'books',
  fields: {
    id: key(),
    title: text(),
    summary: text({ nullable: true }),
    pages: integer({ default: 7 }),
    shelf: readOnly(text()),
    author: related(authors, { column: 'author_id', nullable: true }),
    tags: related(tags, { many: { table: 'book_tags', own: 'book_id', other: 'tag_id' }, default: [] }),
  },
  nestedUnder: [{ parent: authors, column: 'author_id' }],
  hookColumns: ['subtitle', 'genre', 'contact', 'in_print'],
  validate: context => record('validate', context),
  prepare(context) {
    record('prepare', context)
    return { subtitle: '', genre: '', contact: '', in_print: true }
  },
  beforeSave: context => record('beforeSave', context),
  afterSave: context => record('afterSave', context),
  async beforeDestroy(context) {
    record('beforeDestroy', context)
    if (titleBeforeDestroy === undefined) return
    const change = context.connection.kysely.updateTable('books').set({ title: titleBeforeDestroy })
    await change.where('id', '=', context.key).execute()
  },
  afterDestroy: context => record('afterDestroy', context),
})

/** Its only hook runs after the write, and knows the object before it too. */
const afterOnly = resource('after', {
  table: 'books',
  actions: ['update', 'destroy'],
  fields: { title: text(), pages: integer() },
  afterSave: context => record('afterSave', context),
  afterDestroy: context => record('afterDestroy', context),
})

test('the compiler knows that an update has a key and an object before, and that a create has neither', () => {
  const options = { table: 'books', fields: { id: key(), title: text() } }
  resource('a', { ...options, validate: ({ action, before }) => void (action === 'update' && before.title.trim()) })
  resource('a', { ...options, beforeSave: ({ action, key: id }) => void (action === 'update' && id.toString()) })
  resource('a', { ...options, afterSave: ({ key: id, after, before }) => void [id.toString(), after.title, before] })
  // @ts-expect-error a new object has no values before
  resource('a', { ...options, validate: ({ before }) => void before.title })
  // @ts-expect-error a new object has no key before it is written
  resource('a', { ...options, prepare: ({ key: id }) => void id.toString() })
  // @ts-expect-error the body need not contain the field
  resource('a', { ...options, afterSave: ({ given }) => void given.title.trim() })
  // @ts-expect-error there is no such field
  resource('a', { ...options, afterSave: ({ after }) => void after.titel })
})

onEachDatabase(
  () => ({
    authentication: [userScheme],
    clock: () => new Date('2024-02-29T12:30:15.250Z'),
    resources: [books, afterOnly, authors, tags],
  }),
  api => {
    let library: LibraryApi
    const clear = () => {
      seen.length = 0
      shared.length = 0
    }
    const send = async (method: string, url: string, json?: object) => {
      const response = await library.client.request(method, url, { ...asUser('ann'), ...(json && { json }) })
      assert.ok(response.status < 300)
      return response
    }
    const create = async (json: object) => (await send('POST', '/books/', json)).json().id as number
    const hooks = () => seen.map(({ hook }) => hook)

    beforeEach(() => {
      library = api()
      titleBeforeDestroy = undefined
      clear()
    })

    test('on a create there is no object before, and given has neither defaults nor fields that cannot be written', async () => {
      const id = await create({ title: ' New ', shelf: 'B2', id: 99, unknown: 1 })
      const values = { title: 'New', summary: null, pages: 7, author: null, tags: [] }
      const given = { title: 'New' }
      const before = { action: 'create', key: undefined, before: undefined, values, given }
      assert.deepEqual(seen, [
        { hook: 'validate', ...before },
        { hook: 'prepare', ...before },
        { hook: 'beforeSave', ...before },
        { hook: 'afterSave', action: 'create', key: id, before: undefined, after: values, given },
      ])
      const context = ['ann', '2024-02-29T12:30:15.250000Z', 'POST', {}, 'books-list', '/']
      assert.deepEqual(shared, [context, context, context, context])
    })

    for (const [method, change, given] of [
      ['PATCH', { pages: '8', summary: null }, { pages: 8, summary: null }],
      ['PUT', { title: 'Same', author: null }, { title: 'Same', author: null }],
      ['PATCH', {}, {}],
      ['PATCH', { tags: [] }, { tags: [] }],
    ] as const)
      test(`on ${method} with ${JSON.stringify(change)}, hooks get the object before and after`, async () => {
        const id = await create({ title: 'Same', pages: 9, summary: 'S' })
        clear()
        await send(method, `/books/${id}/`, change)
        const before = { title: 'Same', pages: 9, summary: 'S', author: null }
        const values = { ...before, ...given }
        assert.deepEqual(seen, [
          ...['validate', 'prepare', 'beforeSave'].map(hook => ({
            hook,
            action: 'update',
            key: id,
            before,
            values,
            given,
          })),
          { hook: 'afterSave', action: 'update', key: id, before, after: values, given },
        ])
        const context = ['ann', '2024-02-29T12:30:15.250000Z', method, { key: String(id) }, 'books-detail', '/']
        assert.deepEqual(shared[0], context)
      })

    test('hooks of a delete get the object before', async () => {
      const id = await create({ title: 'Old', pages: 9 })
      clear()
      await send('DELETE', `/books/${id}/`)
      const context = { action: 'destroy', key: id, before: { title: 'Old', pages: 9, summary: null, author: null } }
      assert.deepEqual(seen, [
        { hook: 'beforeDestroy', ...context },
        { hook: 'afterDestroy', ...context },
      ])
      assert.deepEqual(shared[0], [
        'ann',
        '2024-02-29T12:30:15.250000Z',
        'DELETE',
        { key: String(id) },
        'books-detail',
        '/',
      ])
    })

    test('the value that the URL of a nested list sets is in values, not in given', async () => {
      const [author] = await library.insert('authors', [{ name: 'Jane' }])
      await send('POST', `/authors/${author}/books/`, { title: 'A', author: null })
      assert.deepEqual(seen[0]!.given, { title: 'A' })
      assert.equal((seen[0]!.values as { author: number }).author, author)
      assert.deepEqual(shared[0], [
        'ann',
        '2024-02-29T12:30:15.250000Z',
        'POST',
        { authors_key: String(author) },
        'books-list',
        '/',
      ])
    })

    test('given has the fields that a form contains', async () => {
      const response = await library.client.post('/books/', { ...asUser('ann'), form: { title: 'F', summary: '' } })
      assert.equal(response.status, 201)
      assert.deepEqual(seen[0]!.given, { title: 'F', summary: null, tags: [] })
    })

    test('a resource with hooks after the write alone has the object before, too', async () => {
      const id = await create({ title: 'Old', pages: 9 })
      clear()
      await send('PATCH', `/after/${id}/`, { pages: 10 })
      await send('DELETE', `/after/${id}/`)
      const before = { title: 'Old', pages: 9 }
      const after = { title: 'Old', pages: 10 }
      assert.deepEqual(seen, [
        { hook: 'afterSave', action: 'update', key: id, before, after, given: { pages: 10 } },
        { hook: 'afterDestroy', action: 'destroy', key: id, before: after },
      ])
    })

    test('beforeDestroy may change the object that is deleted', async () => {
      const id = await create({ title: 'Old' })
      clear()
      titleBeforeDestroy = 'Deleted'
      await send('DELETE', `/books/${id}/`)
      assert.deepEqual(hooks(), ['beforeDestroy', 'afterDestroy'])
      assert.equal((await library.client.get(`/books/${id}/`)).status, 404)
    })
  },
)
