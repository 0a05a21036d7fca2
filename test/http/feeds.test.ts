// The changes of a list: as they happen (`feed/`), and since a position (`changes/`). A caller hears of a row only what the list of the
// caller shows.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import {
  authenticated,
  feedMigrations,
  integer,
  key,
  type Migrations,
  migrate,
  openDatabase,
  resource,
  rowFilter,
  text,
} from 'resource-api'
import { createClient } from 'resource-api/client'
import { step } from 'resource-api/migrations'
import { endEventStreams } from '#core'
import { createChangeLog } from '../../src/core/resource/feed/change-log.ts'
import { type Feed, openFeed } from '../support/feed.ts'
import { asUser, onEachDatabase, people, startApi, type TestApi, userScheme } from '../support/own-api.ts'

let isSuspended = false
const active = { allows: () => !isSuspended }

const books = resource('books', {
  table: 'books',
  fields: {
    id: key(),
    title: text({ max: 100 }),
    pages: integer(),
    owner: integer({ column: 'owner_id' }),
    salary: text({ column: 'secret', max: 20, nullable: true, visible: ({ user }) => user.username === 'sue' }),
  },
  hookColumns: ['subtitle', 'in_print', 'genre', 'contact'],
  beforeSave: () => ({ subtitle: '', in_print: true, genre: 'other', contact: '' }),
  permissions: [
    authenticated,
    active,
    rowFilter(({ row, caller }) => sql`${row.owner_id} = ${caller.id} or ${caller.isStaff}`),
  ],
  filters: { pages: ['exact', 'gte'], title: ['contains'] },
  orderingFields: ['pages'],
  feed: true,
})

const tags = resource('tags', {
  table: 'tags',
  fields: { id: key(), name: text({ max: 20, unique: 'It exists.' }) },
  lookup: 'name',
  feed: true,
})
onEachDatabase(
  () => ({ authentication: [userScheme], resources: [books, tags], strict: true }),
  api => {
    const feeds: Feed[] = []
    // On PostgreSQL, transactions of other databases of the server hold changes back.
    const settle = async () => {
      const log = createChangeLog(api().database)
      while ((await log.findEnd()).isUnsettled) await nextTurn()
    }
    beforeEach(async () => {
      isSuspended = false
      await api().database.transaction(async ({ kysely }) => {
        await kysely.deleteFrom('books').execute()
        await kysely.deleteFrom('tags').execute()
      })
      await settle()
    })
    afterEach(() => {
      for (const feed of feeds.splice(0)) feed.close()
    })
    const open = async (path: string, user?: 'ann' | 'bob' | 'sue', headers: Record<string, string> = {}) => {
      const feed = await openFeed(`${api().app.listeningOrigin}${path}`, {
        ...(user && { 'x-user': user }),
        ...headers,
      })
      feeds.push(feed)
      return feed
    }
    const send = (method: string, path: string, user: 'ann' | 'bob' | 'sue', json?: unknown) =>
      api().client.request(method, path, { ...asUser(user), ...(json !== undefined && { json }) })
    const add = async (values: object) => {
      const { status, text } = await send('POST', '/books/', 'sue', { title: 'T', pages: 1, owner: 1, ...values })
      assert.equal(status, 201, text)
      return JSON.parse(text).id as number
    }
    const changes = async (user: 'ann' | 'bob' | 'sue', query = '') => {
      const { status, text } = await send('GET', `/books/changes/${query}`, user)
      return { status, ...JSON.parse(text) }
    }

    const changesSince = async (user: 'ann' | 'bob' | 'sue', since: string) => {
      await settle()
      return changes(user, `?since=${since}`)
    }

    test('a feed sends what is created, changed and deleted, as the list shows it', async () => {
      const feed = await open('/books/feed/', 'sue')
      assert.equal(feed.contentType, 'text/event-stream')
      assert.equal((await feed.next()).event, 'ready')
      const id = await add({ salary: 'high' })
      const object = { id, title: 'T', pages: 1, owner: 1, salary: 'high' }
      assert.deepEqual(await feed.next(), { event: 'created', key: id, object })
      await send('PATCH', `/books/${id}/`, 'sue', { pages: 2 })
      assert.deepEqual(await feed.next(), { event: 'changed', key: id, object: { ...object, pages: 2 } })
      await send('DELETE', `/books/${id}/`, 'sue')
      assert.deepEqual(await feed.next(), { event: 'deleted', key: id })
    })

    test('a row that another caller owns does not exist, and is announced when it changes hands', async () => {
      const [ofAnn, ofBob] = [await open('/books/feed/', 'ann'), await open('/books/feed/', 'bob')]
      for (const feed of [ofAnn, ofBob]) assert.equal((await feed.next()).event, 'ready')
      const id = await add({ owner: people.ann.id, salary: 'high' })
      const object = { id, title: 'T', pages: 1, owner: 1 }
      assert.deepEqual(await ofAnn.next(), { event: 'created', key: id, object })
      await send('PATCH', `/books/${id}/`, 'sue', { owner: people.bob.id })
      assert.deepEqual(await ofAnn.next(), { event: 'hidden', key: id })
      const { event, ...entered } = await ofBob.next()
      // Two changes that are close together are one.
      assert.match(event, /^(created|visible)$/)
      assert.deepEqual(entered, { key: id, object: { ...object, owner: 2 } })
      await send('PATCH', `/books/${id}/`, 'sue', { pages: 3 })
      await send('DELETE', `/books/${id}/`, 'sue')
      const last = await add({ owner: people.ann.id })
      assert.equal((await ofAnn.next()).key, last)
      assert.deepEqual((await ofBob.until('deleted')).at(-1), { event: 'deleted', key: id })
    })

    test('a feed has the filters and the chosen fields of its list, but neither search nor order', async () => {
      const feed = await open('/books/feed/?pages__gte=10&ordering=pages', 'sue')
      await feed.next()
      const id = await add({ pages: 5 })
      await send('PATCH', `/books/${id}/`, 'sue', { pages: 12 })
      const first = await feed.next()
      assert.match(first.event, /^(created|visible)$/)
      assert.deepEqual([first.key, first.object?.pages], [id, 12])
      await send('PATCH', `/books/${id}/`, 'sue', { pages: 9 })
      assert.deepEqual((await feed.until('hidden')).at(-1), { event: 'hidden', key: id })
      const wrong = await send('GET', '/books/feed/?pages__gte=many', 'sue')
      assert.equal(wrong.status, 400)
      assert.equal((await send('GET', '/books/feed/?colour=red', 'sue')).status, 400)
    })

    test('writes of SQL and cascades are announced, and those that are rolled back are not', async () => {
      const feed = await open('/tags/feed/')
      await feed.next()
      const { database } = api()
      await assert.rejects(
        database.transaction(async ({ kysely }) => {
          await kysely.insertInto('tags').values({ name: 'lost' }).execute()
          throw new Error('no')
        }),
      )
      const [id] = await api().insert('tags', [{ name: 'red' }])
      assert.deepEqual(await feed.next(), { event: 'created', key: 'red', object: { id, name: 'red' } })
      await database.transaction(({ kysely }) => kysely.updateTable('tags').set({ name: 'blue' }).execute())
      assert.deepEqual(await feed.next(), { event: 'hidden', key: 'red' })
      assert.deepEqual(await feed.next(), { event: 'visible', key: 'blue', object: { id, name: 'blue' } })
    })

    test('a client that was cut off goes on where it was', async () => {
      const feed = await open('/books/feed/', 'sue')
      await feed.next()
      const id = await add({})
      await feed.next()
      feed.close()
      await send('PATCH', `/books/${id}/`, 'sue', { pages: 2 })
      await send('PATCH', `/books/${id}/`, 'sue', { pages: 3 })
      const again = await open('/books/feed/', 'sue', { 'last-event-id': feed.lastId() })
      let last = await again.next()
      while (last.object?.pages !== 3) {
        assert.notEqual(last.event, 'reset')
        last = await again.next()
      }
      assert.equal(last.event, 'changed')
      const reset = await open('/books/feed/', 'sue', { 'last-event-id': 'nonsense' })
      assert.equal((await reset.next()).event, 'reset')
    })

    test('a caller who loses a right gets nothing more, and cannot connect again', async () => {
      const feed = await open('/books/feed/', 'ann')
      await feed.next()
      isSuspended = true
      await api().insert('books', [row({ owner_id: 1 })])
      assert.equal(await feed.ended(), '')
      assert.equal((await send('GET', '/books/feed/', 'ann')).status, 403)
      assert.equal((await api().client.request('GET', '/books/feed/', {})).status, 401)
    })

    test('a client that synchronises asks for the changes since a position', async () => {
      const start = await changes('ann')
      assert.deepEqual([start.status, start.changes, start.has_more], [200, [], false])
      await add({ owner: 2 })
      const [kept, gone] = await api().insert('books', [
        row({ title: 'Kept', owner_id: 1 }),
        row({ title: 'Gone', owner_id: 1 }),
      ])
      const first = await changesSince('ann', start.next)
      assert.deepEqual(
        first.changes.map(({ event, key }: { event: string; key: number }) => [event, key]),
        [
          ['created', kept],
          ['created', gone],
        ],
      )
      await send('DELETE', `/books/${gone}/`, 'sue')
      await add({ owner: 2 })
      const second = await changesSince('ann', first.next)
      assert.deepEqual(second.changes, [{ event: 'deleted', key: gone }])
      assert.deepEqual((await changes('ann', `?since=${second.next}`)).changes, [])
      assert.equal((await changes('ann', '?since=yesterday')).status, 404)
      assert.equal((await changes('ann', '?since=0-0-99999999')).status, 410)
    })

    test('the client follows a list, also after its connection was closed', async () => {
      const client = createClient<readonly [typeof books]>({
        baseUrl: `${api().app.listeningOrigin}/`,
        headers: { 'x-user': 'sue' },
      })
      const seen: unknown[] = []
      for await (const change of client.books.feed({ pages__gte: 5 })) {
        if (change.event === 'ready') await add({ pages: 6 })
        if (change.event !== 'created') continue
        const { pages }: { readonly pages: number } = change.object
        seen.push(pages)
        if (pages === 7) break
        endEventStreams(api().app.server)
        await add({ pages: 7 })
      }
      assert.deepEqual(seen, [6, 7])
      const refused = createClient<readonly [typeof books]>({ baseUrl: `${api().app.listeningOrigin}/` })
      await assert.rejects(refused.books.feed().next(), { name: 'ClientError', status: 401 })
    })

    test('changes that are no longer kept are 410, and later ones follow', async () => {
      const { next: old } = await changes('sue')
      await add({})
      await settle()
      const log = createChangeLog(api().database)
      await log.sweep(new Date(Date.now() + 8 * 24 * 60 * 60 * 1000))
      assert.equal((await changes('sue', `?since=${old}`)).status, 410)
      const feed = await open('/books/feed/', 'sue', { 'last-event-id': old })
      assert.equal((await feed.next()).event, 'reset')
      const { next } = await changes('sue')
      const id = await add({})
      assert.deepEqual(
        (await changesSince('sue', next)).changes.map(({ key }: { readonly key: unknown }) => key),
        [id],
      )
      assert.equal((await feed.next()).key, id)
    })

    test('more than 1000 changes come in parts', async () => {
      const start = await changes('sue')
      await api().insert(
        'books',
        Array.from({ length: 1001 }, (_, index) => row({ title: `B${index}`, owner_id: 1 })),
      )
      const first = await changesSince('sue', start.next)
      assert.deepEqual([first.changes.length, first.has_more], [1000, true])
      const second = await changesSince('sue', first.next)
      assert.deepEqual([second.changes.length, second.has_more], [1, false])
    })
  },
  { socket: true, owners: [feedMigrations] },
)

test('a step on SQLite changes a table with a feed, and clients then read their list again', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'feeds-'))
  t.after(() => rm(folder, { recursive: true }))
  const database = openDatabase(`sqlite:${folder}/feeds.db`)
  const steps: Migrations = {
    '0001_notes': step({
      change: [{ createTable: 'notes', columns: { id: 'key', name: 'text', old: { type: 'text', nullable: true } } }],
    }),
  }
  const start = async (migrations: Migrations) => {
    await migrate(database, [{ owner: 'notes', steps: migrations }, feedMigrations])
    const notes = resource('notes', { table: 'notes', fields: { id: key(), name: text({ max: 20 }) }, feed: true })
    return startApi({ database, resources: [notes] })
  }
  const read = async ({ client }: TestApi, since = '') => {
    const { status, text: body } = await client.get(`/notes/changes/?since=${since}`.replace(/\?since=$/, ''))
    return { status, ...JSON.parse(body) }
  }
  const first = await start(steps)
  const { next } = await read(first)
  await first.client.post('/notes/', { json: { name: 'a' } })
  assert.equal((await read(first, next)).changes.length, 1)
  await first.stop()
  const same = await start(steps)
  assert.equal((await read(same, next)).changes.length, 1)
  await same.stop()
  const changed = await start({
    ...steps,
    '0002_old': step({ change: [{ table: 'notes', dropColumn: 'old' }] }),
  })
  assert.equal((await read(changed, next)).status, 410)
  const { next: later } = await read(changed)
  await changed.client.patch('/notes/1/', { json: { name: 'b' } })
  const { changes: found } = await read(changed, later)
  assert.deepEqual(found, [{ event: 'changed', key: 1, object: { id: 1, name: 'b' } }])
  await changed.stop()
  await database.close()
})

const row = (values: object) => ({
  title: 'T',
  subtitle: '',
  pages: 1,
  in_print: true,
  genre: 'other',
  contact: '',
  ...values,
})

test('the client goes on trying while the server is away', async t => {
  t.mock.method(Math, 'random', () => 0)
  let calls = 0
  const fetch = async () => {
    if (++calls <= 5) throw new TypeError('fetch failed')
    return new Response('id: 0-0-1\nevent: ready\ndata: {}\n\n')
  }
  const client = createClient<readonly [typeof books]>({ baseUrl: 'http://localhost/', fetch })
  assert.deepEqual((await client.books.feed().next()).value, { event: 'ready' })
  assert.equal(calls, 6)
})

test('a feed needs the list', async () => {
  const fields = { id: key(), name: text({ max: 20 }) }
  assert.throws(
    () => resource('tags', { table: 'tags', fields, actions: ['create'], feed: true }),
    /feed: it sends the changes of a list: add the action "list", or remove it/,
  )
})
