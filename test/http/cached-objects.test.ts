// On SQLite, an object is read once until something is committed. The next requests get the same text, unless it depends on more than
// data. PostgreSQL cannot report commits without a round trip, so each request reads the object there.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { computed, type Database, type Identity, integer, key, type Permission, resource, text } from 'resource-api'
import { openDatabase } from '#core'
import { bookRow } from '../support/library.ts'
import { asUser, onEachDatabase, userScheme } from '../support/own-api.ts'

const statements: string[] = []
let isOpen = true

const ownTitles: Permission<Identity> = {
  filter: {
    where: ({ column, value }) => sql`${column('title')} = ${value('name')}`,
    values: ({ user }) => ({ name: user.isAuthenticated ? user.username : '' }),
  },
}
const gate: Permission = { columns: ['title'], allowsObject: () => isOpen }

const createResources = ({ dialect }: Database) => {
  const table = 'books'
  const actions = ['retrieve', 'update', 'destroy'] as const
  const fields = { id: key(), title: text() }
  const random = dialect.name === 'sqlite' ? sql`random()` : sql`random() * 1e9`
  return [
    resource('plain', { table, actions, fields }),
    resource('own', { table, actions, fields, permissions: [ownTitles] }),
    resource('greeting', {
      table,
      actions,
      fields: { ...fields, reader: computed(text({ nullable: true }), ({ caller }) => sql`${caller.username}`) },
    }),
    resource('secret', {
      table,
      actions,
      fields: {
        ...fields,
        pages: integer({ default: 1, visible: ({ user }: { user: Identity }) => user.isAuthenticated }),
      },
    }),
    resource('gated', { table, actions, fields, permissions: [gate] }),
    resource('random', {
      table,
      actions,
      fields: { ...fields, lucky: computed(text(), () => sql`cast(${random} as text)`, { volatile: true }) },
    }),
  ]
}

onEachDatabase(
  database => ({ authentication: [userScheme], resources: createResources(database) }),
  api => {
    let id: number
    beforeEach(async () => {
      const in_print = api().database.dialect.name === 'sqlite' ? 1 : true
      ;[id] = (await api().insert('books', [{ ...bookRow, in_print, title: 'ann', pages: 5 }])) as [number]
    })
    const read = async (name: string, caller: object = {}) => {
      const { status, text: body } = await api().client.get(`/${name}/${id}/`, caller)
      return status === 200 ? JSON.parse(body) : status
    }
    /** How many statements these requests take. */
    const countReads = async (work: () => Promise<unknown>) => {
      statements.length = 0
      await work()
      return statements.length
    }

    test('an object is read once until something is committed', async () => {
      const isCached = api().database.version !== undefined
      const readThrice = () => countReads(async () => [await read('plain'), await read('plain'), await read('plain')])
      assert.equal(await readThrice(), isCached ? 1 : 3)
      assert.equal(await readThrice(), isCached ? 0 : 3)
      await api().client.patch(`/plain/${id}/`, { json: { title: 'bob' } })
      assert.deepEqual(await read('plain'), { id, title: 'bob' })
      await api().client.delete(`/plain/${id}/`)
      assert.equal(await read('plain'), 404)
    })

    test('what another process commits is shown at once', async () => {
      assert.equal((await read('plain')).title, 'ann')
      const other = openDatabase(api().url)
      try {
        await other.transaction(({ kysely }) => kysely.updateTable('books').set({ title: 'eve' }).execute())
        // The reads of one turn of the event loop see one state; a request that follows a response arrives in a later one.
        await nextTurn()
        assert.equal((await read('plain')).title, 'eve')
        await other.transaction(({ kysely }) => kysely.deleteFrom('books').execute())
        await nextTurn()
        assert.equal(await read('plain'), 404)
      } finally {
        await other.close()
      }
    })

    test('callers share an object only if they see the same', async () => {
      for (let count = 0; count < 2; count++) {
        assert.deepEqual(
          [await read('own', asUser('ann')), await read('own', asUser('bob'))],
          [{ id, title: 'ann' }, 404],
        )
        assert.equal((await read('greeting', asUser('ann'))).reader, 'ann')
        assert.equal((await read('greeting', asUser('bob'))).reader, 'bob')
        assert.deepEqual(await read('secret', asUser('ann')), { id, title: 'ann', pages: 5 })
        assert.deepEqual(await read('secret'), { id, title: 'ann' })
      }
    })

    test('what depends on more than data is read and checked for each request', async () => {
      const lucky = new Set()
      for (let count = 0; count < 5; count++) lucky.add((await read('random')).lucky)
      assert.ok(lucky.size > 1)
      assert.equal((await read('gated')).title, 'ann')
      isOpen = false
      assert.equal(await read('gated'), 401)
      isOpen = true
    })
  },
  { observe: statement => void (/\bfrom "?books\b/i.test(statement) && statements.push(statement)) },
)
