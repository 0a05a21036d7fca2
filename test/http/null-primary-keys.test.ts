// Null matches nobody: a caller without a primary key does not own an object without an owner (HARDENING).

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import {
  authenticated,
  type Identity,
  key,
  type Migrations,
  not,
  or,
  ownerOrReadOnly,
  type Permission,
  related,
  resource,
  staff,
  text,
} from 'resource-api'
import { modelPermissions } from 'resource-api/accounts'
import { type Scheme, success } from 'resource-api/extend'
import { createAuthority } from '../../src/accounts/authority.ts'
import { createPeople, type People } from '../support/administration.ts'
import { onEachDatabase, startApi } from '../support/own-api.ts'
import { onEveryDatabase, password } from '../support/service.ts'

/**
 * Authenticates every caller; the header `x-key` is the primary key, which is null without the header. The header
 * `x-text-key` is a primary key that is a text.
 */
const keyScheme: Scheme = Object.freeze({
  name: 'key',
  challenge: 'Key',
  varyOn: ['x-key', 'x-text-key'],
  authenticate({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) {
    return success({ isAuthenticated: true, id: parseId(headers), username: 'somebody', isStaff: false })
  },
})

function parseId({ 'x-key': header, 'x-text-key': textKey }: Readonly<Record<string, unknown>>): Identity['id'] {
  if (textKey !== undefined) return String(textKey)
  return header === undefined ? null : header === 'undefined' ? (undefined as never) : Number(header)
}

const migrations: Migrations = {
  async '0001_notes'(kysely, { key, reference, text }) {
    await kysely.schema
      .createTable('notes')
      .addColumn('id', key)
      .addColumn('owner_id', reference)
      .addColumn('text', text, column => column.notNull())
      .addColumn('parent_id', reference)
      .execute()
  },
}

const ownRows: Permission = {
  filter: {
    where: ({ column, value }) => sql`${column('owner_id')} = ${value('caller')}`,
    values: ({ user }) => ({ caller: user.id }),
  },
}

const notes = (name: string, permissions: readonly Permission[]) =>
  resource(name, { table: 'notes', permissions, fields: { text: text() } })

const own = notes('own', [ownRows])
const children = resource('children', {
  table: 'notes',
  permissions: [ownRows],
  fields: { id: key(), text: text() },
  hookColumns: ['parent_id'],
  nestedUnder: [{ parent: own, column: 'parent_id' }],
})
const parents = resource('parents', {
  table: 'notes',
  actions: ['retrieve', 'update'],
  fields: {
    children: related(children, { many: { reverse: 'parent_id' } }),
    parent: related(own, { nullable: true }),
  },
})

onEachDatabase(
  database => ({
    database,
    authentication: [keyScheme],
    resources: [
      notes('notes', [ownerOrReadOnly('owner_id')]),
      notes('either', [or(staff, ownerOrReadOnly('owner_id'))]),
      notes('others', [not(ownerOrReadOnly('owner_id'))]),
      own,
      notes('or-own', [or({ ...ownRows, ...staff }, ownRows)]),
      notes('and-own', [authenticated, ownRows]),
      children,
      parents,
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

    for (const name of ['own', 'or-own', 'and-own'])
      test(`a row filter with the caller's primary key hides objects without an owner from a caller without one (${name})`, async () => {
        const [orphan, owned] = await api().insert('notes', [
          { text: 'orphan', owner_id: null },
          { text: 'owned', owner_id: 5 },
        ])
        for (const caller of [undefined, 'undefined', '0']) {
          const headers = caller === undefined ? {} : { 'x-key': caller }
          const listed = await api().client.get(`/${name}/`, { headers })
          assert.deepEqual([listed.status, listed.json()], [200, []], `${caller}`)
          for (const id of [orphan, owned]) {
            assert.equal((await api().client.get(`/${name}/${id}/`, { headers })).status, 404)
            assert.deepEqual(await writeStatuses(`/${name}/${id}/`, caller), [404, 404, 404])
          }
        }
        assert.deepEqual(await writeStatuses(`/${name}/${orphan}/`, '5'), [404, 404, 404])
        assert.deepEqual(await writeStatuses(`/${name}/${owned}/`, '5'), [200, 200, 204])
      })

    test('related and nested objects without an owner are hidden from a caller without a primary key', async () => {
      const [parent] = await api().insert('notes', [{ text: 'parent', owner_id: null }])
      const rows = [null, 6].map(owner_id => ({ text: 'child', owner_id, parent_id: parent! }))
      const [, owned] = await api().insert('notes', rows)
      for (const caller of [undefined, 'undefined', '6']) {
        const headers = caller === undefined ? {} : { 'x-key': caller }
        const { client } = api()
        const visible = caller === '6' ? [owned] : []
        assert.deepEqual((await client.get(`/parents/${parent}/`, { headers })).json().children, visible)
        assert.equal((await client.get(`/parents/${owned}/`, { headers })).json().parent, null)
        assert.equal((await client.get(`/own/${parent}/children/`, { headers })).status, 404)
        const responses = [
          await client.patch(`/parents/${owned}/`, { headers, json: { parent } }),
          await client.post(`/own/${parent}/children/`, { headers, json: { text: 'new' } }),
        ]
        assert.deepEqual(
          responses.map(({ status }) => status),
          [400, 404],
          `${caller}`,
        )
      }
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
    // A database would find the account of the last caller, because it converts the text to a number.
    for (const callerId of [null, undefined as never, Number.NaN, 'auth0|pam', String(people.pam.id)]) {
      const caller: Identity = { isAuthenticated: true, id: callerId, username: '', isStaff: true }
      const refusals = [people.root, people.stan, people.pam].map(({ id }) =>
        database.transaction(connection => authority.checkUser(caller, id, {}, connection)),
      )
      const checkGroup = (group: number) =>
        database.transaction(connection => authority.checkGroup(caller, group, [], connection))
      refusals.push(checkGroup(people.editors), checkGroup(people.readers))
      for (const result of await Promise.allSettled(refusals)) assert.equal(result.status, 'rejected')
      const context = { request: {} as never, user: caller }
      assert.equal(await granted.has(context, 'snippets.view'), false)
      assert.equal(
        await database.transaction(connection => granted.hasAll(caller, ['snippets.view'], connection)),
        false,
      )
    }
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

onEveryDatabase({ tokens: 'named', authentication: ['token'], schemes: [keyScheme] }, service => {
  test('a caller of a custom scheme without an account has no tokens, no permissions and no audit log', async context => {
    const { client, services, createUser } = service()
    const { id } = await createUser('ann')
    const { token } = (await client.post('/api-token-auth/', { json: { username: 'ann', password } })).json()
    const row = { user_id: id, permission: 'groups.view' }
    await services.database.transaction(({ kysely }) => kysely.insertInto('user_permissions').values(row).execute())
    const permissions = [modelPermissions(services.accounts.grantedPermissions, 'groups')]
    const api = await startApi({
      database: services.database,
      authentication: [keyScheme],
      resources: [resource('groups', { table: 'groups', permissions, fields: { name: text() } })],
    })
    context.after(() => api.stop())
    const callers: readonly Record<string, string>[] = [
      {},
      { 'x-key': 'undefined' },
      { 'x-text-key': 'auth0|ann' },
      { 'x-text-key': String(id) },
    ]
    for (const headers of callers) {
      const listed = await client.get('/api-token-auth/tokens/', { headers })
      assert.deepEqual([listed.status, listed.json()], [200, []])
      assert.equal((await client.get('/api-token-auth/tokens/1/', { headers })).status, 404)
      assert.equal((await client.delete('/api-token-auth/tokens/1/', { headers })).status, 404)
      assert.equal((await client.delete('/api-token-auth/tokens/', { headers })).status, 204)
      assert.equal((await client.get('/admin/audit-log/', { headers })).status, 403)
      assert.equal((await api.client.get('/groups/', { headers })).status, 403)
    }
    // The account itself has the permission.
    assert.equal((await api.client.get('/groups/', { headers: { 'x-key': String(id) } })).status, 200)
    assert.equal((await client.get('/api-token-auth/tokens/', { token })).json().length, 1)
  })

  test('a caller of a custom scheme without an account neither creates nor changes snippets', async () => {
    const { client, createUser } = service()
    const { id: userId, key } = await createUser('bob')
    const created = await client.post('/snippet/snippets/', { token: key, json: { code: 'x' } })
    const path = `/snippet/snippets/${created.json().id}/`
    for (const headers of [{}, { 'x-text-key': 'auth0|bob' }, { 'x-text-key': String(userId) }]) {
      const refused = await client.post('/snippet/snippets/', { headers, json: { code: 'x' } })
      const detail = 'You need an account to do this.'
      assert.deepEqual([refused.status, refused.json()], [403, { detail }])
      assert.equal((await client.patch(path, { headers, json: { code: 'y' } })).status, 403)
      assert.equal((await client.delete(path, { headers })).status, 403)
    }
  })
})
