// What runs around a write: what each hook sees, and that a hook that throws leaves nothing behind.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import {
  type Connection,
  integer,
  key,
  PermissionDenied,
  primaryKeyRelated,
  readOnly,
  resource,
  text,
  ValidationError,
  type WriteContext,
} from '../../src/framework/index.ts'
import { tags } from '../support/library.ts'
import { as, type LibraryApi, onEachDatabase, people, userScheme } from '../support/own-api.ts'

type Event = readonly [hook: string, ...details: unknown[]]

const now = new Date('2024-02-29T12:30:15.250Z')
const log: Event[] = []
let fail: ((hook: string) => void) | undefined

/** A hook that writes a tag with its name, so that what it leaves behind can be seen. */
async function mark(hook: string, { kysely }: Connection, ...details: unknown[]) {
  log.push([hook, ...details])
  await kysely.insertInto('tags').values({ name: hook }).execute()
  fail?.(hook)
}

const told = ({ action, user, auth, now: moment }: WriteContext) => [action, user.username, auth, moment]

const notes = resource('notes', {
  table: 'books',
  fields: {
    id: key(),
    title: text(),
    summary: text({ nullable: true }),
    pages: integer({ default: 7 }),
    tags: primaryKeyRelated({ to: tags, many: { table: 'book_tags', own: 'book_id', other: 'tag_id' }, default: [] }),
  },
  hookColumns: ['subtitle', 'genre', 'contact', 'in_print', 'owner_id'],
  prepare(values, context) {
    log.push(['prepare', values, told(context)])
    fail?.('prepare')
    return { subtitle: `${values.title} of ${values.pages}`, genre: 'by prepare' }
  },
  async beforeSave(values, { context, connection }) {
    await mark('beforeSave', connection, values, told(context))
    return { genre: 'by beforeSave', contact: '', in_print: true, owner_id: context.user.id }
  },
  afterSave: (id, { context, connection }) => mark('afterSave', connection, typeof id, told(context)),
  beforeDestroy: (id, { context, connection }) => mark('beforeDestroy', connection, typeof id, context.user.username),
  afterDestroy: (id, { context, connection }) => mark('afterDestroy', connection, typeof id, context.user.username),
})

/** No `prepare`: what `beforeSave` sees must not depend on that. */
const plain = resource('plain', {
  table: 'books',
  fields: { id: key(), title: text(), pages: integer({ default: 7 }) },
  hookColumns: ['subtitle', 'genre', 'contact', 'in_print'],
  beforeSave(values) {
    log.push(['beforeSave', values])
    return { subtitle: `${values.title} of ${values.pages}`, genre: '', contact: '', in_print: true }
  },
})

/** What `afterSave` changes is shown, by a field that the body has no say in too. */
const changed = resource('changed', {
  table: 'books',
  fields: { id: key(), title: text(), pages: integer({ default: 7, max: 2 ** 40 }), shelf: readOnly(text()) },
  hookColumns: ['subtitle', 'genre', 'contact', 'in_print'],
  prepare: () => ({ subtitle: '', genre: '', contact: '', in_print: true }),
  async afterSave(id, { connection }) {
    await connection.kysely.updateTable('books').set({ shelf: 'B2', pages: 8 }).where('id', '=', id).execute()
  },
})

const ann = ['ann', 'a header', '2024-02-29T12:30:15.250000Z'] as const

onEachDatabase(
  () => ({ authentication: [userScheme], clock: () => now, resources: [notes, plain, changed, tags] }),
  api => {
    let id: number
    let library: LibraryApi

    beforeEach(async () => {
      library = api()
      fail = undefined
      await library.database.transaction(({ kysely }) => kysely.deleteFrom('tags').execute())
      id = (await library.client.post('/notes/', { ...as('ann'), json: { title: 'Old', summary: 'S' } })).json().id
      await library.database.transaction(({ kysely }) => kysely.deleteFrom('tags').execute())
      log.length = 0
    })

    const row = async (key: number) => (await library.rows('books')).find(({ id }) => Number(id) === key)
    const marks = async () => (await library.rows('tags')).map(({ name }) => name)

    test('on a create, hooks see all values, the caller and the moment; what they answer is written', async () => {
      const response = await library.client.post('/notes/', { ...as('ann'), json: { title: 'New' } })
      const { id: created, ...shown } = response.json()
      assert.deepEqual([response.status, shown], [201, { title: 'New', summary: null, pages: 7, tags: [] }])
      const values = { title: 'New', summary: null, pages: 7, tags: [] }
      assert.deepEqual(log, [
        ['prepare', values, ['create', ...ann]],
        ['beforeSave', values, ['create', ...ann]],
        ['afterSave', 'number', ['create', ...ann]],
      ])
      const { subtitle, genre, owner_id } = (await row(created))!
      assert.deepEqual([subtitle, genre, Number(owner_id)], ['New of 7', 'by beforeSave', people.ann.id])
      assert.deepEqual(await marks(), ['beforeSave', 'afterSave'])
    })

    test('on an update, hooks see the object as it will be: what is sent over what is kept', async () => {
      const response = await library.client.patch(`/notes/${id}/`, { ...as('ann'), json: { pages: 8 } })
      assert.deepEqual(response.json(), { id, title: 'Old', summary: 'S', pages: 8, tags: [] })
      const values = { title: 'Old', summary: 'S', pages: 8 }
      assert.deepEqual(
        log.map(([hook, seen]) => [hook, seen]),
        [
          ['prepare', values],
          ['beforeSave', values],
          ['afterSave', 'number'],
        ],
      )
      assert.deepEqual(log[0]![2], ['update', ...ann])
      assert.equal((await row(id))!.subtitle, 'Old of 8')
    })

    test('beforeSave sees the same without a prepare', async () => {
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

    test('on a delete, hooks run before and after, and know the caller', async () => {
      const response = await library.client.delete(`/notes/${id}/`, as('bob'))
      assert.equal(response.status, 204)
      assert.deepEqual(log, [
        ['beforeDestroy', 'number', 'bob'],
        ['afterDestroy', 'number', 'bob'],
      ])
      assert.deepEqual(await marks(), ['beforeDestroy', 'afterDestroy'])
    })

    for (const [hooks, method] of [
      [['prepare', 'beforeSave', 'afterSave'], 'POST'],
      [['prepare', 'beforeSave', 'afterSave'], 'PATCH'],
      [['beforeDestroy', 'afterDestroy'], 'DELETE'],
    ] as const) {
      for (const hook of hooks) {
        test(`ERR-EXC-r11: ${hook} that throws on ${method} leaves nothing behind`, async () => {
          const before = await library.rows('books')
          const url = method === 'POST' ? '/notes/' : `/notes/${id}/`
          for (const [raised, status, body] of [
            [new Error('hunter2'), 500, { detail: 'A server error occurred.' }],
            [new PermissionDenied('No.'), 403, { detail: 'No.' }],
            [new ValidationError({ title: 'Bad.' }), 400, { title: ['Bad.'] }],
          ] as const) {
            fail = at => {
              if (at === hook) throw raised
            }
            const response = await library.client.request(method, url, { ...as('ann'), json: { title: 'New' } })
            assert.deepEqual([response.status, response.json()], [status, body])
            assert.deepEqual(await library.rows('books'), before)
            assert.deepEqual(await marks(), [])
          }
          fail = undefined
          const later = await library.client.request(method, url, { ...as('ann'), json: { title: 'New' } })
          assert.ok(later.status < 300)
        })
      }
    }

    test('the answer to a write shows what afterSave changed', async () => {
      const created = (await library.client.post('/changed/', { json: { title: 'New' } })).json()
      assert.deepEqual(created, { id: created.id, title: 'New', pages: 8, shelf: 'B2' })
      const updated = await library.client.patch(`/changed/${created.id}/`, { json: { title: 'Newer', pages: 9 } })
      assert.deepEqual(updated.json(), { ...created, title: 'Newer' })
    })

    test('a value that its column is too narrow for is refused, and not a fault of the service', async () => {
      const { status } = await library.client.post('/changed/', { json: { title: 'New', pages: 2 ** 35 } })
      // SQLite's integers are all of eight bytes.
      assert.equal(status, library.database.dialect.name === 'sqlite' ? 201 : 400)
    })

    test('no hook runs for a body that is refused, or an object that is not there', async () => {
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
