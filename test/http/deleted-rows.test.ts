// Tables whose deleted rows stay: they do not exist for resources, relations and conditions, and their unique values are free.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { allowAny, key, nested, readOnly, related, resource, text } from 'resource-api'
import { count, created, deleted, reference, table, tables, value, where } from 'resource-api/tables'
import { onEachDatabase } from '../support/own-api.ts'

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
})

onEachDatabase(
  () => ({ resources: [folderResource, noteResource, trash] }),
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
  },
  { migrations: {}, owners: [schema] },
)
