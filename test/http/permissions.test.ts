// Permission policies and their combinations on views and on objects (SVC-3, AUTH-PERM).

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import {
  allowAny,
  and,
  authenticated,
  authenticatedOrReadOnly,
  boolean,
  dateTime,
  key,
  not,
  or,
  ownerOrReadOnly,
  type Permission,
  resource,
  staff,
  text,
} from '../../src/framework/index.ts'
import { as, type LibraryApi, onEachDatabase, people, userScheme } from '../support/own-api.ts'

const own = ownerOrReadOnly('owner_id')
const isTitled: Permission = { columns: ['title'], allowsObject: (_, { title }) => title !== 'Hidden' }

const isPublic: Permission = {
  columns: ['in_print', 'published', 'owner_id'],
  allowsObject: (_, { in_print, published, owner_id }) =>
    in_print === true && published === '1815-12-23T00:00:00.000000Z' && owner_id === people.ann.id,
}

const papers = resource('papers', {
  table: 'books',
  permissions: [isPublic],
  actions: ['list', 'retrieve', 'update', 'destroy'],
  fields: { id: key(), title: text(), in_print: boolean(), published: dateTime({ nullable: true }) },
  objectViews: {
    title: { columns: ['title'], handlers: { GET: ({ object }) => ({ status: 200, body: object }) } },
  },
})

const later: Permission = { allows: async () => true }
// As whoever writes no types may forget it.
const silent = (() => undefined) as unknown as () => boolean
const everything: NonNullable<Permission['filter']> = { where: () => sql`true`, values: () => ({}) }

/** Each policy is that of a resource of its own. */
const policies: Record<string, readonly Permission[]> = {
  any: [allowAny],
  none: [],
  authenticated: [authenticated],
  reader: [authenticatedOrReadOnly],
  owner: [authenticatedOrReadOnly, own],
  'owner-alone': [own],
  staff: [staff],
  anonymous: [not(authenticated)],
  'staff-or-owner': [or(staff, own)],
  'staff-or-authenticated-owner': [or(staff, and(authenticated, own))],
  'authenticated-owner': [and(authenticated, own)],
  'not-owner': [not(own)],
  'owner-and-titled': [and(own, isTitled)],
  'one-after-the-other': [later, authenticated, later, staff],
  forgetful: [{ allows: silent }],
  'forgetful-of-objects': [{ allowsObject: silent }],
  'not-forgetful': [not({ allows: silent }), not({ allowsObject: silent })],
  'filtered-or-forgetful': [or({ filter: everything }, { allows: silent })],
  worded: [{ message: 'Not on Sundays.', code: 'sunday', allows: ({ user }) => !user.isAuthenticated }],
  'worded-object': [{ message: 'Not this one.', allowsObject: async () => false }],
}

const notes = (name: string, permissions: readonly Permission[]) =>
  resource(name, {
    table: 'books',
    permissions,
    actions: ['list', 'retrieve', 'update', 'destroy'],
    fields: { id: key(), title: text() },
    hookColumns: ['owner_id'],
  })

onEachDatabase(
  () => ({
    authentication: [userScheme],
    resources: [papers, ...Object.entries(policies).map(([name, permissions]) => notes(name, permissions))],
  }),
  api => {
    let annsBook: number
    let hiddenBook: number

    before(async () => {
      const rest = { subtitle: '', pages: 1, genre: '', contact: '', owner_id: people.ann.id }
      const in_print = api().database.dialect.name === 'sqlite' ? 1 : true
      const books = ['A', 'Hidden'].map(title => ({ title, in_print, ...rest }))
      ;[annsBook, hiddenBook] = (await api().insert('books', books)) as [number, number]
    })

    type Caller = keyof typeof people | undefined
    const options = (caller: Caller) => (caller ? as(caller) : {})
    const list = async (name: string, caller: Caller) => (await api().client.get(`/${name}/`, options(caller))).status
    const read = async (name: string, caller: Caller, id = annsBook) =>
      (await api().client.get(`/${name}/${id}/`, options(caller))).status
    const write = async (name: string, caller: Caller, id = annsBook) => {
      const { client } = api()
      return (await client.patch(`/${name}/${id}/`, { ...options(caller), json: {} })).status
    }

    // Policy → what list, read and write answer to nobody, to the owner, to another, and to the staff.
    const table: Record<string, readonly [list: string, read: string, write: string]> = {
      any: ['200 200 200 200', '200 200 200 200', '200 200 200 200'],
      none: ['200 200 200 200', '200 200 200 200', '200 200 200 200'],
      authenticated: ['401 200 200 200', '401 200 200 200', '401 200 200 200'],
      reader: ['200 200 200 200', '200 200 200 200', '401 200 200 200'],
      owner: ['200 200 200 200', '200 200 200 200', '401 200 403 403'],
      'owner-alone': ['200 200 200 200', '200 200 200 200', '401 200 403 403'],
      staff: ['401 403 403 200', '401 403 403 200', '401 403 403 200'],
      anonymous: ['200 403 403 403', '200 403 403 403', '200 403 403 403'],
      'staff-or-owner': ['200 200 200 200', '200 200 200 200', '401 200 403 200'],
      'staff-or-authenticated-owner': ['401 200 200 200', '401 200 200 200', '401 200 403 200'],
      'authenticated-owner': ['401 200 200 200', '401 200 200 200', '401 200 403 403'],
      'one-after-the-other': ['401 403 403 200', '401 403 403 200', '401 403 403 200'],
      forgetful: ['401 403 403 403', '401 403 403 403', '401 403 403 403'],
      'not-forgetful': ['401 403 403 403', '401 403 403 403', '401 403 403 403'],
      'filtered-or-forgetful': ['200 200 200 200', '200 200 200 200', '200 200 200 200'],
      'forgetful-of-objects': ['200 200 200 200', '401 403 403 403', '401 403 403 403'],
      'not-owner': ['200 200 200 200', '401 403 403 403', '200 403 200 200'],
    }

    for (const [name, [lists, reads, writes]] of Object.entries(table)) {
      test(`SVC-3, AUTH-PERM-r1, AUTH-PERM-r2, AUTH-PERM-r3: ${name}`, async () => {
        const callers = [undefined, 'ann', 'bob', 'sue'] as const
        const statuses = async (ask: typeof list) =>
          (await Promise.all(callers.map(caller => ask(name, caller)))).join(' ')
        assert.deepEqual([await statuses(list), await statuses(read), await statuses(write)], [lists, reads, writes])
      })
    }

    test('SVC-3: and() of object policies asks every one of them for its own columns', async () => {
      assert.equal(await write('owner-and-titled', 'ann'), 200)
      assert.equal(await write('owner-and-titled', 'bob'), 403)
      assert.equal(await read('owner-and-titled', 'ann', hiddenBook), 403)
      assert.equal(await write('owner-and-titled', 'ann', hiddenBook), 403)
    })

    test('SVC-3: an object policy reads columns as their fields show them, on every database and every view', async () => {
      const { client } = api()
      const urls = [`/papers/${annsBook}/`, `/papers/${annsBook}/title/`]
      const statuses = () => Promise.all(urls.map(async url => (await client.get(url)).status))
      assert.deepEqual(await statuses(), [401, 401])
      const published = '1815-12-23T00:00:00.000000Z'
      await api().database.transaction(({ kysely }) =>
        kysely.updateTable('books').set({ published }).where('id', '=', annsBook).execute(),
      )
      assert.deepEqual(await statuses(), [200, 200])
      assert.deepEqual((await client.get(urls[1]!)).json(), { title: 'A' })
      assert.equal((await client.patch(urls[0]!, { json: { in_print: false } })).status, 200)
      assert.equal((await client.patch(urls[0]!, { json: { in_print: true } })).status, 401)
      assert.deepEqual(await statuses(), [401, 401])
    })

    test('ERR-EXC-r5: a policy has its own words, for authenticated callers', async () => {
      const { client } = api()
      const response = await client.get('/worded/', as('ann'))
      assert.deepEqual([response.status, response.json()], [403, { detail: 'Not on Sundays.' }])
      const object = await client.get(`/worded-object/${annsBook}/`, as('ann'))
      assert.deepEqual([object.status, object.json()], [403, { detail: 'Not this one.' }])
      const nobody = await client.get(`/worded-object/${annsBook}/`)
      assert.deepEqual([nobody.status, nobody.json().detail], [401, 'Authentication credentials were not provided.'])
    })

    test('SVC-3: a refused write changes nothing, a refused delete deletes nothing', async () => {
      const { client, rows } = api() as LibraryApi
      const before = await rows('books')
      const changed = await client.patch(`/owner/${annsBook}/`, { ...as('bob'), json: { title: 'Mine' } })
      const deleted = await client.delete(`/owner/${annsBook}/`, as('bob'))
      assert.deepEqual([changed.status, deleted.status], [403, 403])
      assert.deepEqual(await rows('books'), before)
    })

    test('AUTH-PERM-r3: the owner deletes', async () => {
      const { client } = api()
      const response = await client.delete(`/owner/${hiddenBook}/`, as('ann'))
      assert.deepEqual([response.status, response.text], [204, ''])
      assert.equal((await client.get(`/owner/${hiddenBook}/`)).status, 404)
    })
  },
)
