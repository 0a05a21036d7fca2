// Concurrent writes: a write that conflicts with another one is retried with the new values, without a server error.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Database, integer, key, type Permission, related, resource, text } from 'resource-api'
import { authors } from '../support/library.ts'
import { asUser, onEachDatabase, people, userScheme } from '../support/own-api.ts'

/** Runs between the permission check of a write and the write itself. */
let beforeWrite: ((database: Database) => Promise<unknown>) | undefined

async function runBeforeWrite(database: Database) {
  const callback = beforeWrite
  await callback?.(database)
}

/** Before a delete, another request can run after this permission has allowed it. */
const isOwned = (database: Database): Permission => ({
  columns: ['owner_id'],
  async allowsObject({ user, method }, { owner_id }) {
    if (owner_id !== user.id) return false
    if (method === 'DELETE') await runBeforeWrite(database)
    return true
  },
})

const notes = (database: Database) =>
  resource('notes', {
    table: 'books',
    permissions: [isOwned(database)],
    fields: { id: key(), title: text(), pages: integer() },
    hookColumns: ['subtitle', 'genre', 'contact', 'in_print', 'owner_id'],
    async prepare({ values: { title, pages }, action, user }) {
      await runBeforeWrite(database)
      const initialValues = { genre: '', contact: '', in_print: true, owner_id: user.id }
      return { ...(action === 'create' && initialValues), subtitle: `${title} of ${pages}` }
    },
    beforeDestroy: () => undefined,
  })

const translations = (database: Database) =>
  resource('translations', {
    table: 'books',
    fields: {
      id: key(),
      title: text(),
      isbn: text({ unique: 'This field must be unique.', nullable: true }),
      translator: related(authors, { nullable: true }),
    },
    hookColumns: ['subtitle', 'genre', 'contact', 'in_print', 'pages'],
    async prepare() {
      await runBeforeWrite(database)
      return { subtitle: '', genre: '', contact: '', in_print: true, pages: 1 }
    },
  })

onEachDatabase(
  database => ({ authentication: [userScheme], resources: [notes(database), translations(database), authors] }),
  api => {
    const create = async () => {
      const response = await api().client.post('/notes/', { ...asUser('ann'), json: { title: 'A', pages: 1 } })
      return response.json().id as number
    }
    const updateRow = (id: number, values: object) => (database: Database) =>
      database.transaction(({ kysely }) => kysely.updateTable('books').set(values).where('id', '=', id).execute())
    const beforeNextWrite = (write: (database: Database) => Promise<unknown>) => {
      beforeWrite = database => {
        beforeWrite = undefined
        return write(database)
      }
    }
    const readRow = async (id: number) => (await api().rows('books')).find(row => Number(row.id) === id)!

    test('a write is retried with the new values if the object changes between prepare and write', async () => {
      const id = await create()
      beforeNextWrite(updateRow(id, { title: 'B' }))
      const response = await api().client.patch(`/notes/${id}/`, { ...asUser('ann'), json: { pages: 2 } })
      assert.deepEqual([response.status, response.json()], [200, { id, title: 'B', pages: 2 }])
      assert.equal((await readRow(id)).subtitle, 'B of 2')
    })

    test('AUTH-PERM-r3: the owner is checked again if the object gets another owner during the write', async () => {
      const id = await create()
      beforeNextWrite(updateRow(id, { owner_id: people.bob.id }))
      const response = await api().client.patch(`/notes/${id}/`, { ...asUser('ann'), json: { pages: 2 } })
      assert.equal(response.status, 403)
      assert.deepEqual([(await readRow(id)).pages, Number((await readRow(id)).owner_id)], [1, people.bob.id])
    })

    test('ERR-EXC-r6: an object that is deleted during the write is 404, and is not created again', async () => {
      const id = await create()
      beforeNextWrite(database =>
        database.transaction(({ kysely }) => kysely.deleteFrom('books').where('id', '=', id).execute()),
      )
      const response = await api().client.put(`/notes/${id}/`, { ...asUser('ann'), json: { title: 'B', pages: 2 } })
      assert.deepEqual([response.status, response.json()], [404, { detail: 'Not found.' }])
      assert.equal(await readRow(id), undefined)
    })

    test('ERR-GAP-b1: a write that conflicts on every retry is 409, and changes nothing', async () => {
      const id = await create()
      let times = 0
      beforeWrite = updateRow(id, {})
      beforeWrite = database => updateRow(id, { title: `B${++times}` })(database)
      const response = await api().client.patch(`/notes/${id}/`, { ...asUser('ann'), json: { pages: 2 } })
      beforeWrite = undefined
      const detail = 'The resource was changed by another request. Try again.'
      assert.deepEqual([response.status, response.json()], [409, { detail }])
      assert.deepEqual([(await readRow(id)).title, (await readRow(id)).pages, times > 1], [`B${times}`, 1, true])
    })

    test('concurrent writes of one object succeed or are 409, and the last one is stored', async () => {
      const id = await create()
      const responses = await Promise.all(
        Array.from({ length: 5 }, (_, index) =>
          api().client.patch(`/notes/${id}/`, { ...asUser('ann'), json: { pages: index + 10 } }),
        ),
      )
      const { pages, subtitle } = await readRow(id)
      for (const { status } of responses) assert.ok(status === 200 || status === 409)
      assert.ok(responses.some(({ status }) => status === 200))
      assert.equal(subtitle, `A of ${pages}`)
    })

    test('ERR-EXC-r2, ERR-GAP-b1: exactly one of several concurrent creates with the same unique value succeeds', async () => {
      for (const [url, name, json] of [
        ['/authors/', 'name', { name: 'Jane' }],
        ['/translations/', 'isbn', { title: 'A', isbn: '1234567890' }],
      ] as const) {
        const responses = await Promise.all(Array.from({ length: 8 }, () => api().client.post(url, { json })))
        const statuses = responses.map(({ status }) => status).toSorted()
        assert.deepEqual(statuses, [201, 400, 400, 400, 400, 400, 400, 400])
        for (const response of responses.filter(({ status }) => status === 400))
          assert.deepEqual(response.json(), { [name]: ['This field must be unique.'] })
      }
    })

    test('ERR-GAP-b1: an object may keep its unique value but not take that of another object; null is not unique', async () => {
      const { client } = api()
      const json = { title: 'A', isbn: '0000000001' }
      const { id } = (await client.post('/translations/', { json })).json()
      assert.equal((await client.put(`/translations/${id}/`, { json })).status, 200)
      const withoutIsbn = (await client.post('/translations/', { json: { title: 'B', isbn: null } })).json()
      assert.equal((await client.post('/translations/', { json: { title: 'C' } })).status, 201)
      const response = await client.patch(`/translations/${withoutIsbn.id}/`, { json: { isbn: '0000000001' } })
      assert.deepEqual([response.status, response.json()], [400, { isbn: ['This field must be unique.'] }])
      assert.equal((await client.get(`/translations/${withoutIsbn.id}/`)).json().isbn, null)
    })

    test('ERR-EXC-r2, ERR-GAP-b1: a related object that is deleted during the write is an error of its field', async () => {
      const [author] = await api().insert('authors', [{ name: 'Gone' }])
      beforeNextWrite(({ transaction }) =>
        transaction(({ kysely }) => kysely.deleteFrom('authors').where('id', '=', author!).execute()),
      )
      const response = await api().client.post('/translations/', { json: { title: 'A', translator: author } })
      const message = `Invalid pk "${author}" - object does not exist.`
      assert.deepEqual([response.status, response.json()], [400, { translator: [message] }])
    })

    test('a delete checks the permissions again if the object changes meanwhile', async () => {
      const id = await create()
      const deletedId = await create()
      beforeNextWrite(updateRow(id, { owner_id: people.bob.id }))
      assert.equal((await api().client.delete(`/notes/${id}/`, asUser('ann'))).status, 403)
      assert.equal(Number((await readRow(id)).owner_id), people.bob.id)
      const responses = await Promise.all(
        [1, 2, 3].map(() => api().client.delete(`/notes/${deletedId}/`, asUser('ann'))),
      )
      assert.deepEqual(responses.map(({ status }) => status).toSorted(), [204, 404, 404])
    })
  },
)
