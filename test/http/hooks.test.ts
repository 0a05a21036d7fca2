// Hooks around writes: their arguments, and the rollback when a hook throws.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import {
  type Connection,
  type HookContext,
  integer,
  key,
  PermissionDenied,
  readOnly,
  related,
  resource,
  text,
  ValidationError,
} from 'resource-api'
import { tags } from '../support/library.ts'
import { asUser, type LibraryApi, onEachDatabase, people, userScheme } from '../support/own-api.ts'

type Event = readonly [hook: string, ...details: unknown[]]

const now = new Date('2024-02-29T12:30:15.250Z')
const log: Event[] = []
let fail: ((hook: string) => void) | undefined

/** Records a hook call, and writes a tag with the hook's name to show whether the transaction was rolled back. */
async function writeMark(hook: string, { kysely }: Connection, ...details: unknown[]) {
  log.push([hook, ...details])
  await kysely.insertInto('tags').values({ name: hook }).execute()
  fail?.(hook)
}

const describeContext = ({ action, user, auth, now: moment }: HookContext & { readonly action: string }) => [
  action,
  user.username,
  auth,
  moment,
]

const notes = resource('notes', {
  table: 'books',
  fields: {
    id: key(),
    title: text(),
    summary: text({ nullable: true }),
    pages: integer({ default: 7 }),
    tags: related(tags, { many: { table: 'book_tags', own: 'book_id', other: 'tag_id' }, default: [] }),
  },
  hookColumns: ['subtitle', 'genre', 'contact', 'in_print', 'owner_id'],
  prepare(context) {
    const { values } = context
    log.push(['prepare', values, describeContext(context)])
    fail?.('prepare')
    return { subtitle: `${values.title} of ${values.pages}`, genre: 'by prepare' }
  },
  async beforeSave(context) {
    await writeMark('beforeSave', context.connection, context.values, describeContext(context))
    return { genre: 'by beforeSave', contact: '', in_print: true, owner_id: context.user.id }
  },
  afterSave: context => writeMark('afterSave', context.connection, typeof context.key, describeContext(context)),
  beforeDestroy: ({ key: id, user, connection }) => writeMark('beforeDestroy', connection, typeof id, user.username),
  afterDestroy: ({ key: id, user, connection }) => writeMark('afterDestroy', connection, typeof id, user.username),
})

/** Has no `prepare`: the values that `beforeSave` receives must not depend on it. */
const withoutPrepare = resource('plain', {
  table: 'books',
  fields: { id: key(), title: text(), pages: integer({ default: 7 }) },
  hookColumns: ['subtitle', 'genre', 'contact', 'in_print'],
  beforeSave({ values }) {
    log.push(['beforeSave', values])
    return { subtitle: `${values.title} of ${values.pages}`, genre: '', contact: '', in_print: true }
  },
})

/** `afterSave` changes a writable and a read-only field; the response must show both. */
const changedByHook = resource('changed', {
  table: 'books',
  fields: { id: key(), title: text(), pages: integer({ default: 7, max: 2 ** 40 }), shelf: readOnly(text()) },
  hookColumns: ['subtitle', 'genre', 'contact', 'in_print'],
  prepare: () => ({ subtitle: '', genre: '', contact: '', in_print: true }),
  async afterSave({ key: id, connection }) {
    await connection.kysely.updateTable('books').set({ shelf: 'B2', pages: 8 }).where('id', '=', id).execute()
  },
})

const ann = ['ann', 'a header', '2024-02-29T12:30:15.250000Z'] as const

onEachDatabase(
  () => ({ authentication: [userScheme], clock: () => now, resources: [notes, withoutPrepare, changedByHook, tags] }),
  api => {
    let id: number
    let library: LibraryApi

    beforeEach(async () => {
      library = api()
      fail = undefined
      await library.database.transaction(({ kysely }) => kysely.deleteFrom('tags').execute())
      id = (await library.client.post('/notes/', { ...asUser('ann'), json: { title: 'Old', summary: 'S' } })).json().id
      await library.database.transaction(({ kysely }) => kysely.deleteFrom('tags').execute())
      log.length = 0
    })

    const row = async (key: number) => (await library.rows('books')).find(({ id }) => Number(id) === key)
    const readMarks = async () => (await library.rows('tags')).map(({ name }) => name)

    test('on a create, hooks get all values, the caller and the time, and the values that they return are written', async () => {
      const response = await library.client.post('/notes/', { ...asUser('ann'), json: { title: 'New' } })
      const { id: created, ...representation } = response.json()
      assert.deepEqual([response.status, representation], [201, { title: 'New', summary: null, pages: 7, tags: [] }])
      const values = { title: 'New', summary: null, pages: 7, tags: [] }
      assert.deepEqual(log, [
        ['prepare', values, ['create', ...ann]],
        ['beforeSave', values, ['create', ...ann]],
        ['afterSave', 'number', ['create', ...ann]],
      ])
      const { subtitle, genre, owner_id } = (await row(created))!
      assert.deepEqual([subtitle, genre, Number(owner_id)], ['New of 7', 'by beforeSave', people.ann.id])
      assert.deepEqual(await readMarks(), ['beforeSave', 'afterSave'])
    })

    test('on an update, hooks get the stored values merged with the body', async () => {
      const response = await library.client.patch(`/notes/${id}/`, { ...asUser('ann'), json: { pages: 8 } })
      assert.deepEqual(response.json(), { id, title: 'Old', summary: 'S', pages: 8, tags: [] })
      const values = { title: 'Old', summary: 'S', pages: 8 }
      assert.deepEqual(
        log.map(([hook, value]) => [hook, value]),
        [
          ['prepare', values],
          ['beforeSave', values],
          ['afterSave', 'number'],
        ],
      )
      assert.deepEqual(log[0]![2], ['update', ...ann])
      assert.equal((await row(id))!.subtitle, 'Old of 8')
    })

    test('without prepare, beforeSave gets the same values', async () => {
      const { client } = library
      const created = (await client.post('/plain/', { json: { title: 'A' } })).json()
      await client.patch(`/plain/${created.id}/`, { json: { pages: 8 } })
      await client.put(`/plain/${created.id}/`, { json: { title: 'B' } })
      assert.deepEqual(log, [
        ['beforeSave', { title: 'A', pages: 7 }],
        ['beforeSave', { title: 'A', pages: 8 }],
        ['beforeSave', { title: 'B', pages: 8 }],
      ])
      assert.equal((await row(created.id))!.subtitle, 'B of 8')
    })

    test('on a delete, hooks run before and after, and get the caller', async () => {
      const response = await library.client.delete(`/notes/${id}/`, asUser('bob'))
      assert.equal(response.status, 204)
      assert.deepEqual(log, [
        ['beforeDestroy', 'number', 'bob'],
        ['afterDestroy', 'number', 'bob'],
      ])
      assert.deepEqual(await readMarks(), ['beforeDestroy', 'afterDestroy'])
    })

    for (const [hooks, method] of [
      [['prepare', 'beforeSave', 'afterSave'], 'POST'],
      [['prepare', 'beforeSave', 'afterSave'], 'PATCH'],
      [['beforeDestroy', 'afterDestroy'], 'DELETE'],
    ] as const) {
      for (const hook of hooks) {
        test(`ERR-EXC-r11: a ${hook} that throws on ${method} rolls everything back`, async () => {
          const before = await library.rows('books')
          const url = method === 'POST' ? '/notes/' : `/notes/${id}/`
          for (const [raised, status, body] of [
            [new Error('hunter2'), 500, { detail: 'A server error occurred.' }],
            [new PermissionDenied('No.'), 403, { detail: 'No.' }],
            [new ValidationError({ title: 'Bad.' }), 400, { title: ['Bad.'] }],
          ] as const) {
            fail = current => {
              if (current === hook) throw raised
            }
            const response = await library.client.request(method, url, { ...asUser('ann'), json: { title: 'New' } })
            assert.deepEqual([response.status, response.json()], [status, body])
            assert.deepEqual(await library.rows('books'), before)
            assert.deepEqual(await readMarks(), [])
          }
          fail = undefined
          const retried = await library.client.request(method, url, { ...asUser('ann'), json: { title: 'New' } })
          assert.ok(retried.status < 300)
        })
      }
    }

    test('the response to a write shows the changes of afterSave', async () => {
      const created = (await library.client.post('/changed/', { json: { title: 'New' } })).json()
      assert.deepEqual(created, { id: created.id, title: 'New', pages: 8, shelf: 'B2' })
      const updated = await library.client.patch(`/changed/${created.id}/`, { json: { title: 'Newer', pages: 9 } })
      assert.deepEqual(updated.json(), { ...created, title: 'Newer' })
    })

    test('a value that is out of range for its column is 400, not 500', async () => {
      const { status } = await library.client.post('/changed/', { json: { title: 'New', pages: 2 ** 35 } })
      // Every SQLite integer may have eight bytes.
      assert.equal(status, library.database.dialect.name === 'sqlite' ? 201 : 400)
    })

    test('no hook runs for a refused body or a missing object', async () => {
      for (const [method, url, status] of [
        ['POST', '/notes/', 400],
        ['PUT', `/notes/${id}/`, 400],
        ['PUT', '/notes/999999/', 404],
        ['DELETE', '/notes/999999/', 404],
      ] as const) {
        const response = await library.client.request(method, url, { json: { pages: 1 } })
        assert.equal(response.status, status)
      }
      assert.deepEqual(log, [])
    })
  },
)
