// Writes that meet: each begins again on what the other left, and nobody sees a server error.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Database,
  integer,
  key,
  type Permission,
  primaryKeyRelated,
  resource,
  text,
} from '../../src/framework/index.ts'
import { authors } from '../support/library.ts'
import { as, onEachDatabase, people, userScheme } from '../support/own-api.ts'

/** What happens between the judgement of a write and the write itself. */
let meanwhile: ((database: Database) => Promise<unknown>) | undefined

async function happen(database: Database) {
  const act = meanwhile
  await act?.(database)
}

const isOwned: Permission = {
  columns: ['owner_id'],
  allowsObject: ({ user }, { owner_id }) => owner_id === user.id,
}

const notes = (database: Database) =>
  resource('notes', {
    table: 'books',
    permissions: [isOwned],
    fields: { id: key(), title: text(), pages: integer() },
    hookColumns: ['subtitle', 'genre', 'contact', 'in_print', 'owner_id'],
    async prepare({ title, pages }, { action, user }) {
      await happen(database)
      const first = { genre: '', contact: '', in_print: true, owner_id: user.id }
      return { ...(action === 'create' && first), subtitle: `${title} of ${pages}` }
    },
    async beforeDestroy() {
      const act = meanwhile
      meanwhile = undefined
      await act?.(database)
    },
  })

const translations = (database: Database) =>
  resource('translations', {
    table: 'books',
    fields: {
      id: key(),
      title: text(),
      isbn: text({ unique: 'This field must be unique.', nullable: true }),
      translator: primaryKeyRelated({ to: authors, column: 'translator_id', nullable: true }),
    },
    hookColumns: ['subtitle', 'genre', 'contact', 'in_print', 'pages'],
    async prepare() {
      await happen(database)
      return { subtitle: '', genre: '', contact: '', in_print: true, pages: 1 }
    },
  })

onEachDatabase(
  database => ({ authentication: [userScheme], resources: [notes(database), translations(database), authors] }),
  api => {
    const create = async () => {
      const response = await api().client.post('/notes/', { ...as('ann'), json: { title: 'A', pages: 1 } })
      return response.json().id as number
    }
    const set = (id: number, values: object) => (database: Database) =>
      database.transaction(({ kysely }) => kysely.updateTable('books').set(values).where('id', '=', id).execute())
    const once = (act: (database: Database) => Promise<unknown>) => {
      meanwhile = database => {
        meanwhile = undefined
        return act(database)
      }
    }
    const row = async (id: number) => (await api().rows('books')).find(row => Number(row.id) === id)!

    test('a change between prepare and write begins the write again, on the new values', async () => {
      const id = await create()
      once(set(id, { title: 'B' }))
      const response = await api().client.patch(`/notes/${id}/`, { ...as('ann'), json: { pages: 2 } })
      assert.deepEqual([response.status, response.json()], [200, { id, title: 'B', pages: 2 }])
      assert.equal((await row(id)).subtitle, 'B of 2')
    })

    test('AUTH-PERM-r3: the owner is judged again when the object changed hands meanwhile', async () => {
      const id = await create()
      once(set(id, { owner_id: people.bob.id }))
      const response = await api().client.patch(`/notes/${id}/`, { ...as('ann'), json: { pages: 2 } })
      assert.equal(response.status, 403)
      assert.deepEqual([(await row(id)).pages, Number((await row(id)).owner_id)], [1, people.bob.id])
    })

    test('ERR-EXC-r6: an object that is deleted meanwhile is 404, not made again', async () => {
      const id = await create()
      once(database => database.transaction(({ kysely }) => kysely.deleteFrom('books').where('id', '=', id).execute()))
      const response = await api().client.put(`/notes/${id}/`, { ...as('ann'), json: { title: 'B', pages: 2 } })
      assert.deepEqual([response.status, response.json()], [404, { detail: 'Not found.' }])
      assert.equal(await row(id), undefined)
    })

    test('ERR-GAP-b1: a write that loses every time is 409, and changes nothing', async () => {
      const id = await create()
      let times = 0
      meanwhile = set(id, {})
      meanwhile = database => set(id, { title: `B${++times}` })(database)
      const response = await api().client.patch(`/notes/${id}/`, { ...as('ann'), json: { pages: 2 } })
      meanwhile = undefined
      const detail = 'The resource was changed by another request. Try again.'
      assert.deepEqual([response.status, response.json()], [409, { detail }])
      assert.deepEqual([(await row(id)).title, (await row(id)).pages, times > 1], [`B${times}`, 1, true])
    })

    test('many writers of one object all succeed, and the last one stays', async () => {
      const id = await create()
      const responses = await Promise.all(
        Array.from({ length: 5 }, (_, index) =>
          api().client.patch(`/notes/${id}/`, { ...as('ann'), json: { pages: index + 10 } }),
        ),
      )
      const { pages, subtitle } = await row(id)
      for (const { status } of responses) assert.ok(status === 200 || status === 409)
      assert.ok(responses.some(({ status }) => status === 200))
      assert.equal(subtitle, `A of ${pages}`)
    })

    test('ERR-EXC-r2, ERR-GAP-b1: of parallel creates with one unique value exactly one succeeds', async () => {
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

    test('ERR-GAP-b1: a unique value may be kept, not taken; null is no value', async () => {
      const { client } = api()
      const json = { title: 'A', isbn: '0000000001' }
      const { id } = (await client.post('/translations/', { json })).json()
      assert.equal((await client.put(`/translations/${id}/`, { json })).status, 200)
      const other = (await client.post('/translations/', { json: { title: 'B', isbn: null } })).json()
      assert.equal((await client.post('/translations/', { json: { title: 'C' } })).status, 201)
      const response = await client.patch(`/translations/${other.id}/`, { json: { isbn: '0000000001' } })
      assert.deepEqual([response.status, response.json()], [400, { isbn: ['This field must be unique.'] }])
      assert.equal((await client.get(`/translations/${other.id}/`)).json().isbn, null)
    })

    test('ERR-EXC-r2, ERR-GAP-b1: a related object that is deleted meanwhile does not exist', async () => {
      const [author] = await api().insert('authors', [{ name: 'Gone' }])
      once(({ transaction }) =>
        transaction(({ kysely }) => kysely.deleteFrom('authors').where('id', '=', author!).execute()),
      )
      const response = await api().client.post('/translations/', { json: { title: 'A', translator: author } })
      const message = `Invalid pk "${author}" - object does not exist.`
      assert.deepEqual([response.status, response.json()], [400, { translator: [message] }])
    })

    test('a delete that meets a change judges the object again', async () => {
      const id = await create()
      const other = await create()
      if (api().database.dialect.name === 'postgres') {
        meanwhile = set(id, { owner_id: people.bob.id })
        assert.equal((await api().client.delete(`/notes/${id}/`, as('ann'))).status, 403)
        assert.equal(Number((await row(id)).owner_id), people.bob.id)
      }
      const responses = await Promise.all([1, 2, 3].map(() => api().client.delete(`/notes/${other}/`, as('ann'))))
      assert.deepEqual(responses.map(({ status }) => status).toSorted(), [204, 404, 404])
    })
  },
)
