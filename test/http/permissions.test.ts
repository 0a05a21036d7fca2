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
} from 'resource-api'
import { asUser, type LibraryApi, onEachDatabase, people, userScheme } from '../support/own-api.ts'

const owner = ownerOrReadOnly('owner_id')
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

const allowAsync: Permission = { allows: async () => true }
// Returns nothing, as a policy in untyped JavaScript might.
const returnNothing = (() => undefined) as unknown as () => boolean
const allRows: NonNullable<Permission['filter']> = { where: () => sql`true`, values: () => ({}) }

/** The permissions of one resource each, by its name. */
const policies: Record<string, readonly Permission[]> = {
  any: [allowAny],
  none: [],
  authenticated: [authenticated],
  reader: [authenticatedOrReadOnly],
  owner: [authenticatedOrReadOnly, owner],
  'owner-only': [owner],
  staff: [staff],
  anonymous: [not(authenticated)],
  'staff-or-owner': [or(staff, owner)],
  'staff-or-authenticated-owner': [or(staff, and(authenticated, owner))],
  'authenticated-owner': [and(authenticated, owner)],
  'not-owner': [not(owner)],
  'owner-and-titled': [and(owner, isTitled)],
  several: [allowAsync, authenticated, allowAsync, staff],
  'returns-nothing': [{ allows: returnNothing }],
  'returns-nothing-for-objects': [{ allowsObject: returnNothing }],
  'not-returns-nothing': [not({ allows: returnNothing }), not({ allowsObject: returnNothing })],
  'filter-or-returns-nothing': [or({ filter: allRows }, { allows: returnNothing })],
  'with-message': [{ message: 'Not on Sundays.', code: 'sunday', allows: ({ user }) => !user.isAuthenticated }],
  'object-with-message': [{ message: 'Not this one.', allowsObject: async () => false }],
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
    let annsHiddenBook: number

    before(async () => {
      const values = { subtitle: '', pages: 1, genre: '', contact: '', owner_id: people.ann.id }
      const in_print = api().database.dialect.name === 'sqlite' ? 1 : true
      const books = ['A', 'Hidden'].map(title => ({ title, in_print, ...values }))
      ;[annsBook, annsHiddenBook] = (await api().insert('books', books)) as [number, number]
    })

    type Caller = keyof typeof people | undefined
    const options = (caller: Caller) => (caller ? asUser(caller) : {})
    const list = async (name: string, caller: Caller) => (await api().client.get(`/${name}/`, options(caller))).status
    const read = async (name: string, caller: Caller, id = annsBook) =>
      (await api().client.get(`/${name}/${id}/`, options(caller))).status
    const write = async (name: string, caller: Caller, id = annsBook) => {
      const { client } = api()
      return (await client.patch(`/${name}/${id}/`, { ...options(caller), json: {} })).status
    }

    // Resource → the statuses of list, read and write for an anonymous caller, the owner, another user, and staff.
    const table: Record<string, readonly [list: string, read: string, write: string]> = {
      any: ['200 200 200 200', '200 200 200 200', '200 200 200 200'],
      none: ['200 200 200 200', '200 200 200 200', '200 200 200 200'],
      authenticated: ['401 200 200 200', '401 200 200 200', '401 200 200 200'],
      reader: ['200 200 200 200', '200 200 200 200', '401 200 200 200'],
      owner: ['200 200 200 200', '200 200 200 200', '401 200 403 403'],
      'owner-only': ['200 200 200 200', '200 200 200 200', '401 200 403 403'],
      staff: ['401 403 403 200', '401 403 403 200', '401 403 403 200'],
      anonymous: ['200 403 403 403', '200 403 403 403', '200 403 403 403'],
      'staff-or-owner': ['200 200 200 200', '200 200 200 200', '401 200 403 200'],
      'staff-or-authenticated-owner': ['401 200 200 200', '401 200 200 200', '401 200 403 200'],
      'authenticated-owner': ['401 200 200 200', '401 200 200 200', '401 200 403 403'],
      several: ['401 403 403 200', '401 403 403 200', '401 403 403 200'],
      'returns-nothing': ['401 403 403 403', '401 403 403 403', '401 403 403 403'],
      'not-returns-nothing': ['401 403 403 403', '401 403 403 403', '401 403 403 403'],
      'filter-or-returns-nothing': ['200 200 200 200', '200 200 200 200', '200 200 200 200'],
      'returns-nothing-for-objects': ['200 200 200 200', '401 403 403 403', '401 403 403 403'],
      'not-owner': ['200 200 200 200', '401 403 403 403', '200 403 200 200'],
    }

    for (const [name, [lists, reads, writes]] of Object.entries(table)) {
      test(`SVC-3, AUTH-PERM-r1, AUTH-PERM-r2, AUTH-PERM-r3: ${name}`, async () => {
        const callers = [undefined, 'ann', 'bob', 'sue'] as const
        const statuses = async (request: typeof list) =>
          (await Promise.all(callers.map(caller => request(name, caller)))).join(' ')
        assert.deepEqual([await statuses(list), await statuses(read), await statuses(write)], [lists, reads, writes])
      })
    }

    test('SVC-3: and() of object policies passes each policy its own columns', async () => {
      assert.equal(await write('owner-and-titled', 'ann'), 200)
      assert.equal(await write('owner-and-titled', 'bob'), 403)
      assert.equal(await read('owner-and-titled', 'ann', annsHiddenBook), 403)
      assert.equal(await write('owner-and-titled', 'ann', annsHiddenBook), 403)
    })

    test('SVC-3: an object policy gets columns in the representation of their fields, on every database and view', async () => {
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

    test('ERR-EXC-r5: authenticated callers get the error message of the policy', async () => {
      const { client } = api()
      const response = await client.get('/with-message/', asUser('ann'))
      assert.deepEqual([response.status, response.json()], [403, { detail: 'Not on Sundays.' }])
      const object = await client.get(`/object-with-message/${annsBook}/`, asUser('ann'))
      assert.deepEqual([object.status, object.json()], [403, { detail: 'Not this one.' }])
      const anonymous = await client.get(`/object-with-message/${annsBook}/`)
      assert.deepEqual(
        [anonymous.status, anonymous.json().detail],
        [401, 'Authentication credentials were not provided.'],
      )
    })

    test('SVC-3: a refused update or delete changes nothing', async () => {
      const { client, rows } = api() as LibraryApi
      const rowsBefore = await rows('books')
      const changed = await client.patch(`/owner/${annsBook}/`, { ...asUser('bob'), json: { title: 'Mine' } })
      const deleted = await client.delete(`/owner/${annsBook}/`, asUser('bob'))
      assert.deepEqual([changed.status, deleted.status], [403, 403])
      assert.deepEqual(await rows('books'), rowsBefore)
    })

    test('AUTH-PERM-r3: the owner may delete the object', async () => {
      const { client } = api()
      const response = await client.delete(`/owner/${annsHiddenBook}/`, asUser('ann'))
      assert.deepEqual([response.status, response.text], [204, ''])
      assert.equal((await client.get(`/owner/${annsHiddenBook}/`)).status, 404)
    })
  },
)
