// Null matches nobody: a caller without a primary key does not own an object without an owner (HARDENING).

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import {
  type Identity,
  type Migrations,
  not,
  or,
  ownerOrReadOnly,
  type Permission,
  resource,
  staff,
  text,
} from 'resource-api'
import { createAuthority } from 'resource-api/accounts'
import { type Scheme, success } from 'resource-api/extend'
import { createPeople, type People } from '../support/administration.ts'
import { onEachDatabase } from '../support/own-api.ts'
import { onEveryDatabase } from '../support/service.ts'

/** Authenticates every caller; the header `x-key` is the primary key, which is null without the header. */
const keyScheme: Scheme = Object.freeze({
  name: 'key',
  challenge: 'Key',
  varyOn: ['x-key'],
  authenticate({ headers }: { headers: Readonly<Record<string, unknown>> }) {
    const header = headers['x-key']
    const id = header === undefined ? null : header === 'undefined' ? (undefined as never) : Number(header)
    return success({ isAuthenticated: true, id, username: 'somebody', isStaff: false })
  },
})

const migrations: Migrations = {
  async '0001_notes'(kysely, { key, reference, text }) {
    await kysely.schema
      .createTable('notes')
      .addColumn('id', key)
      .addColumn('owner_id', reference)
      .addColumn('text', text, column => column.notNull())
      .execute()
  },
}

const notes = (name: string, permissions: readonly Permission[]) =>
  resource(name, { table: 'notes', permissions, fields: { text: text() } })

onEachDatabase(
  database => ({
    database,
    authentication: [keyScheme],
    resources: [
      notes('notes', [ownerOrReadOnly('owner_id')]),
      notes('either', [or(staff, ownerOrReadOnly('owner_id'))]),
      notes('others', [not(ownerOrReadOnly('owner_id'))]),
    ],
  }),
  api => {
    const writeStatuses = async (path: string, key?: string) => {
      const options = { json: { text: 'x' }, ...(key !== undefined && { headers: { 'x-key': key } }) }
      const { client } = api()
      const headers = key === undefined ? {} : { headers: { 'x-key': key } }
      const responses = [
        await client.patch(path, options),
        await client.put(path, options),
        await client.delete(path, headers),
      ]
      return responses.map(({ status }) => status)
    }

    for (const name of ['notes', 'either'])
      test(`AUTH-PERM-r3: a caller without a primary key does not own an object without an owner (${name})`, async () => {
        const [orphan, owned] = await api().insert('notes', [
          { text: 'orphan', owner_id: null },
          { text: 'owned', owner_id: 3 },
        ])
        for (const key of [undefined, 'undefined', 'NaN', '0'])
          for (const id of [orphan, owned])
            assert.deepEqual(await writeStatuses(`/${name}/${id}/`, key), [403, 403, 403], `${key} ${id}`)
        assert.equal((await api().client.get(`/${name}/${orphan}/`)).status, 200)
        assert.deepEqual(await writeStatuses(`/${name}/${orphan}/`, '3'), [403, 403, 403])
        assert.deepEqual(await writeStatuses(`/${name}/${owned}/`, '3'), [200, 200, 204])
      })

    test('AUTH-PERM-r3: not(ownerOrReadOnly()) permits a caller who is not the owner', async () => {
      const [orphan] = await api().insert('notes', [{ text: 'orphan', owner_id: null }])
      assert.deepEqual(await writeStatuses(`/others/${orphan}/`), [200, 200, 204])
    })
  },
  { migrations },
)

onEveryDatabase({}, service => {
  let people: People
  beforeEach(async () => {
    people = await createPeople(service())
  })

  test('AUTH-PERM-r1: a caller without a primary key has no permission, and no authority over users and groups', async () => {
    const { database, grantedPermissions: granted } = service().services.accounts
    const authority = createAuthority(database, granted)
    const caller: Identity = { isAuthenticated: true, id: null, username: '', isStaff: true }
    const refusals = [people.root, people.stan, people.pam].map(({ id }) =>
      database.transaction(connection => authority.checkUser(caller, id, {}, connection)),
    )
    const checkGroup = (group: number) =>
      database.transaction(connection => authority.checkGroup(caller, group, [], connection))
    refusals.push(checkGroup(people.editors), checkGroup(people.readers))
    for (const result of await Promise.allSettled(refusals)) assert.equal(result.status, 'rejected')
    const context = { request: {} as never, user: caller }
    assert.equal(await granted.has(context, 'snippets.view'), false)
  })

  test('AUTH-SCH-r3: a missing password does not match a missing password hash, so no session starts', async () => {
    const { database, users, sessions } = service().services.accounts
    const id = await database.transaction(connection => users.create({ username: 'none' }, connection))
    assert.equal(await sessions.start(id, null as never), undefined)
    assert.ok(await sessions.start(id))
  })

  test('AUTH-SCH-r4: an empty or null remote identity does not match an account without one', async () => {
    const { users } = service().services.accounts
    for (const identity of ['', '\0', 'null']) assert.equal(await users.findByRemoteIdentity(identity), undefined)
    assert.equal(await users.findByRemoteIdentity(null as never).catch(() => undefined), undefined)
  })
})
