// Tables whose deleted rows stay: they do not exist for resources, relations and conditions, and their unique values are free.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { allowAny, Conflict, key, nested, objectView, readOnly, related, resource, staff, text } from 'resource-api'
import { caller, count, created, deleted, reference, table, tables, value, where } from 'resource-api/tables'
import { asUser, onEachDatabase, userScheme } from '../support/own-api.ts'

const folders = table('folders', {
  columns: { id: key(), name: text({ unique: 'There is a folder with this name.' }), deleted_at: deleted() },
})
const notes = table('notes', {
  columns: {
    id: key(),
    folder: reference('folders', { onDelete: 'cascade' }),
    title: text(),
    created_at: created(),
    deleted_at: deleted(),
  },
  unique: [['folder', 'title']],
})
const schema = tables({ owner: 'notes', tables: [folders, notes] })

const folderResource = resource('folders', {
  table: folders,
  pagination: null,
  bulk: 'atomic',
  fields: {
    ...folders.pick('id', 'name'),
    notes: count('notes'),
    first: nested({ of: 'notes', many: { reverse: 'folder_id' }, fields: ['title'] }),
  },
  filters: { has: where({ 'notes.title': value(text()) }) },
})
const noteResource = resource('notes', {
  table: notes,
  pagination: null,
  ordering: ['id'],
  fields: { ...notes.pick('id', 'title'), folder: related('folders', { nullable: false }) },
  uniqueTogether: [['folder', 'title']],
})
const trash = resource('trash', {
  table: notes,
  pagination: null,
  rows: { deleted_at__isnull: false },
  fields: { ...notes.pick('id', 'title', 'deleted_at'), folder: readOnly(related('folders')) },
  actions: ['list', 'retrieve', 'destroy'],
  permissions: [allowAny],
  objectViews: {
    restore: objectView({ handlers: { POST: async ({ restore }) => ({ status: 200, body: await restore() }) } }),
  },
})

/** Deleted rows exist for staff, at the URLs of the others. */
const all = resource('all', {
  table: folders,
  pagination: null,
  ordering: ['id'],
  rows: { or: [{ deleted_at: null }, caller('isStaff')] },
  fields: folders.pick('id', 'name', 'deleted_at'),
  filters: { deleted: where({ not: { deleted_at: null } }) },
  validate: ({ values, action }) => {
    if (action === 'update' && values.name === 'cursed') throw new Conflict('It stays deleted.')
  },
  objectViews: {
    restore: objectView({
      permissions: [staff],
      handlers: {
        POST: { response: 'representation', handle: ({ restore }) => restore() },
      },
    }),
  },
})

onEachDatabase(
  () => ({ resources: [folderResource, noteResource, trash, all], authentication: [userScheme], permissions: [] }),
  api => {
    const send = (method: string, url: string, json?: unknown) =>
      api().client.request(method, url, json === undefined ? {} : { json })
    const get = async (url: string) => (await send('GET', url)).json()
    const create = async (url: string, json: object) => {
      const response = await send('POST', url, json)
      assert.equal(response.status, 201, response.text)
      return response.json().id as number
    }

    beforeEach(async () => {
      await api().database.transaction(async ({ kysely }) => {
        for (const name of ['notes', 'folders']) await kysely.deleteFrom(name).execute()
      })
    })

    test('a deleted object is 404 and in no list, and its row stays', async () => {
      const folder = await create('/folders/', { name: 'a' })
      const note = await create('/notes/', { title: 'tea', folder })
      assert.equal((await send('DELETE', `/notes/${note}/`)).status, 204)
      for (const method of ['GET', 'PATCH', 'DELETE'])
        assert.equal((await send(method, `/notes/${note}/`, method === 'PATCH' ? {} : undefined)).status, 404, method)
      assert.deepEqual(await get('/notes/'), [])
      const [row] = await api().rows('notes')
      assert.deepEqual([row!.id, row!.deleted_at !== null], [note, true])
    })

    test('a deleted row counts nowhere', async () => {
      const folder = await create('/folders/', { name: 'a' })
      const note = await create('/notes/', { title: 'tea', folder })
      await create('/notes/', { title: 'mate', folder })
      await send('DELETE', `/notes/${note}/`)
      const [shown] = await get('/folders/')
      assert.deepEqual([shown.notes, shown.first], [1, [{ title: 'mate' }]])
      assert.deepEqual(await get('/folders/?has=tea'), [])
      assert.equal((await get('/folders/?has=mate')).length, 1)
    })

    test('a reference to a deleted row cannot be made, and is shown as null', async () => {
      const folder = await create('/folders/', { name: 'a' })
      await create('/notes/', { title: 'tea', folder })
      assert.equal((await send('DELETE', `/folders/${folder}/`)).status, 204)
      assert.deepEqual(
        (await get('/notes/')).map(({ folder }: { folder: unknown }) => folder),
        [null],
      )
      const refused = await send('POST', '/notes/', { title: 'mate', folder })
      assert.deepEqual([refused.status, Object.keys(refused.json())], [400, ['folder']])
    })

    test('unique values of deleted rows are free, and those of the others are not', async () => {
      const folder = await create('/folders/', { name: 'a' })
      const taken = await send('POST', '/folders/', { name: 'a' })
      assert.deepEqual([taken.status, taken.json()], [400, { name: ['There is a folder with this name.'] }])
      await send('DELETE', `/folders/${folder}/`)
      const second = await create('/folders/', { name: 'a' })
      const note = await create('/notes/', { title: 'tea', folder: second })
      assert.equal((await send('POST', '/notes/', { title: 'tea', folder: second })).status, 400)
      await send('DELETE', `/notes/${note}/`)
      await create('/notes/', { title: 'tea', folder: second })
    })

    test('many objects are deleted in the same way', async () => {
      const ids = [await create('/folders/', { name: 'a' }), await create('/folders/', { name: 'b' })]
      assert.equal((await send('DELETE', '/folders/', ids)).status, 204)
      assert.deepEqual(await get('/folders/'), [])
      assert.equal((await api().rows('folders')).length, 2)
    })

    test('a resource of the deleted rows shows them, and removes them', async () => {
      const folder = await create('/folders/', { name: 'a' })
      const note = await create('/notes/', { title: 'tea', folder })
      assert.deepEqual(await get('/trash/'), [])
      await send('DELETE', `/notes/${note}/`)
      const [shown] = await get('/trash/')
      assert.deepEqual([shown.title, Date.parse(shown.deleted_at) <= Date.now() + 1000], ['tea', true])
      assert.equal((await send('DELETE', `/trash/${note}/`)).status, 204)
      assert.deepEqual(await api().rows('notes'), [])
    })

    const as = async (user: 'ann' | 'sue', method: string, url: string) => {
      const { status, text } = await api().client.request(method, url, asUser(user))
      return [status, text === '' ? undefined : JSON.parse(text)]
    }

    test('a view of a deleted row brings it back', async () => {
      const folder = await create('/folders/', { name: 'a' })
      const note = await create('/notes/', { title: 'tea', folder })
      assert.equal((await send('POST', `/trash/${note}/restore/`)).status, 404)
      await send('DELETE', `/notes/${note}/`)
      const restored = await send('POST', `/trash/${note}/restore/`)
      assert.deepEqual([restored.status, restored.json().deleted_at], [200, null])
      assert.deepEqual(
        (await get('/notes/')).map(({ title }: { title: string }) => title),
        ['tea'],
      )
      assert.deepEqual(await get('/trash/'), [])
      assert.equal((await send('POST', `/trash/${note}/restore/`)).status, 404)
    })

    test('what has the unique values of a living row is not brought back', async () => {
      const folder = await create('/folders/', { name: 'a' })
      await send('DELETE', `/folders/${folder}/`)
      await create('/folders/', { name: 'a' })
      const unique = { name: ['There is a folder with this name.'] }
      assert.deepEqual(await as('sue', 'POST', `/all/${folder}/restore/`), [400, unique])
      const second = await create('/folders/', { name: 'b' })
      const note = await create('/notes/', { title: 'tea', folder: second })
      await send('DELETE', `/notes/${note}/`)
      await create('/notes/', { title: 'tea', folder: second })
      const refused = await send('POST', `/trash/${note}/restore/`)
      assert.deepEqual([refused.status, refused.json()], [400, { non_field_errors: ['These values are not allowed.'] }])
      assert.equal((await get('/trash/')).length, 1)
    })

    test('rows of a caller may contain the deleted ones, and a deletion leaves them', async () => {
      const [a] = [await create('/folders/', { name: 'a' }), await create('/folders/', { name: 'b' })]
      assert.equal((await as('ann', 'DELETE', `/all/${a}/`))[0], 204)
      const list = async (user: 'ann' | 'sue', query = '') =>
        ((await as(user, 'GET', `/all/${query}`))[1] as { name: string }[]).map(({ name }) => name)
      assert.deepEqual([await list('ann'), await list('sue')], [['b'], ['a', 'b']])
      assert.deepEqual([await list('sue', '?deleted=true'), await list('sue', '?deleted=false')], [['a'], ['b']])
      assert.deepEqual([await list('ann', '?deleted=true'), await list('ann')], [[], ['b']])
      for (const method of ['GET', 'DELETE']) assert.equal((await as('ann', method, `/all/${a}/`))[0], 404)
      const [status, shown] = await as('sue', 'POST', `/all/${a}/restore/`)
      assert.deepEqual([status, shown], [200, { id: a, name: 'a', deleted_at: null }])
      assert.equal((await as('sue', 'POST', `/all/${a}/restore/`))[0], 200)
      assert.deepEqual(await list('ann'), ['a', 'b'])
    })

    test('only who may restore a row does so, and the checks of an update hold', async () => {
      const cursed = await create('/folders/', { name: 'cursed' })
      await send('DELETE', `/folders/${cursed}/`)
      assert.equal((await as('ann', 'POST', `/all/${cursed}/restore/`))[0], 403)
      assert.equal((await as('sue', 'POST', `/all/${cursed}/restore/`))[0], 409)
      const living = await create('/folders/', { name: 'a' })
      assert.equal((await as('ann', 'POST', `/all/${living}/restore/`))[0], 403)
      assert.equal((await as('sue', 'POST', '/all/999999/restore/'))[0], 404)
    })
  },
  { migrations: {}, owners: [schema] },
)
