// Callers of an application's own type, whose ids are texts, on both databases.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import {
  type Anonymous,
  and,
  authenticated,
  authenticatedOrReadOnly,
  browsable,
  cursor,
  forTypes,
  type Identity,
  jsonRenderer,
  key,
  type Migrations,
  not,
  or,
  ownerOrReadOnly,
  type Permission,
  pageNumber,
  related,
  resource,
  staff,
  text,
  ValidationError,
} from 'resource-api'
import { type Scheme, skip, success, type Throttle } from 'resource-api/extend'
import type { RowFilter } from '../../src/core/policy/permissions/row-filter.ts'
import { onEachDatabase } from '../support/own-api.ts'

interface Member extends Identity {
  readonly isAuthenticated: true
  readonly id: string
  readonly tenant: string
}

const createMember = (id: string, tenant: string): Member => ({
  isAuthenticated: true,
  id,
  tenant,
  username: `<${id}>`,
  isStaff: false,
})

const members = {
  ann: createMember('auth0|ann', 'acme'),
  bob: createMember('0192f0c4-7a4b-7c1e-9b1a-5d3c8a2f4e10', 'acme'),
  eve: createMember("1' or '1'='1", 'evil'),
  one: createMember('1', 'acme'),
}
type Name = keyof typeof members

const memberScheme: Scheme<Member> = {
  name: 'member',
  challenge: 'Member',
  varyOn: ['x-member'],
  authenticate({ headers }) {
    const name = headers['x-member']
    return name === undefined ? skip : success(members[name as Name])
  },
}

const asMember = (name: Name) => ({ headers: { 'x-member': name } })

const migrations: Migrations = {
  async '0001_notes'(kysely, { key, reference, text }) {
    await kysely.schema
      .createTable('notes')
      .addColumn('id', key)
      .addColumn('owner_id', text)
      .addColumn('tenant', text)
      .addColumn('text', text, column => column.notNull())
      .addColumn('parent_id', reference)
      .execute()
  },
}

const { resource: memberResource, listView, objectView } = forTypes<Member>()

/** The hooks that ran, with the tenant of their caller. */
const calls: string[] = []

const ownFilter: RowFilter = {
  where: ({ column, value }) => sql`${column('owner_id')} = ${value('caller')}`,
  values: ({ user }) => ({ caller: user.id }),
}
const ownRows: Permission = { filter: ownFilter }
const tenantRows: Permission<Member> = {
  filter: {
    where: ({ column, value }) => sql`${column('tenant')} = ${value('tenant')}`,
    values: ({ user }) => ({ tenant: user.tenant }),
  },
}
const sameTenant: Permission<Member> = {
  columns: ['tenant'],
  allows: ({ user }) => user.tenant !== '',
  allowsObject: ({ user }, object) => object.tenant === user.tenant,
}

const options = { table: 'notes', fields: { id: key(), text: text() } }
const ownerColumns = { hookColumns: ['owner_id', 'tenant'] } as const

const notes = memberResource('notes', {
  ...options,
  ...ownerColumns,
  permissions: [authenticatedOrReadOnly, ownerOrReadOnly('owner_id')],
  prepare: ({ user, action }) => (action === 'create' ? { owner_id: user.id, tenant: user.tenant } : {}),
  validate({ values, user }) {
    if (values.text === user.tenant) throw new ValidationError({ text: [`"${user.tenant}" is the tenant.`] })
  },
  beforeSave: ({ user }) => void calls.push(`before ${user.tenant}`),
  afterSave: ({ user }) => void calls.push(`after ${user.tenant}`),
  beforeDestroy: ({ user }) => void calls.push(`before destroy ${user.tenant}`),
  afterDestroy: ({ user }) => void calls.push(`after destroy ${user.tenant}`),
  listMethods: { handlers: { PUT: ({ user }) => ({ status: 200, body: { tenant: user.tenant } }) } },
  listViews: { mine: listView({ handlers: { GET: ({ user }) => ({ status: 200, body: { caller: user.id } }) } }) },
  objectViews: {
    share: objectView({
      body: { with: text() },
      handlers: {
        POST: ({ user, body, key: id }) => ({ status: 200, body: { id, from: user.tenant, with: body.with } }),
      },
    }),
  },
})
const own = resource('own', { ...options, permissions: [authenticated, ownRows] })
const others = resource('others', { ...options, permissions: [authenticated, not(ownRows)] })
const tenants = memberResource('tenants', { ...options, permissions: [and(authenticated, tenantRows)] })
const either = memberResource('either', { ...options, permissions: [or({ ...ownRows, ...staff }, tenantRows)] })
const paged = resource('paged', { ...options, permissions: [ownRows], pagination: pageNumber({ pageSize: 1 }) })
const continued = resource('continued', {
  ...options,
  permissions: [ownRows],
  pagination: cursor({ pageSize: 1, ordering: 'id' }),
})
const strict = memberResource('strict', { ...options, permissions: [sameTenant] })
const children = resource('children', {
  table: 'notes',
  permissions: [ownRows],
  fields: { id: key(), text: text(), parent: related(own, { nullable: true }) },
  nestedUnder: [{ parent: own, column: 'parent_id' }],
})
const parents = resource('parents', {
  table: 'notes',
  actions: ['retrieve'],
  fields: { id: key(), children: related(children, { many: { reverse: 'parent_id' } }) },
})

const perTenant: Throttle<Member> = {
  check: ({ user, method }) => ({ allowed: method !== 'OPTIONS' || user.tenant !== 'evil' }),
}
const observed: (string | undefined)[] = []
const guest = { ...createMember('guest', ''), isAuthenticated: true } as const

onEachDatabase<Member>(
  () => ({
    authentication: [memberScheme],
    anonymous: { user: guest, auth: null },
    throttles: [perTenant],
    resources: [notes, own, others, tenants, either, paged, continued, strict, children, parents],
    secret: 's'.repeat(32),
    renderers: [jsonRenderer, browsable()],
    views: {
      '/tenant/': { name: 'Tenant', handlers: { GET: ({ user }) => ({ status: 200, body: { tenant: user.tenant } }) } },
    },
    observe: ({ user }) => void observed.push(user?.tenant),
  }),
  api => {
    let ids: Readonly<Record<Name | 'nobody', number>>
    beforeEach(async () => {
      await api().database.transaction(({ kysely }) => kysely.deleteFrom('notes').execute())
      const rows = Object.entries(members).map(([name, { id, tenant }]) => ({ text: name, owner_id: id, tenant }))
      const orphan = { text: 'nobody', owner_id: null, tenant: null }
      const [ann, bob, eve, one, nobody] = await api().insert('notes', [...rows, orphan])
      ids = { ann: ann!, bob: bob!, eve: eve!, one: one!, nobody: nobody! }
      calls.length = 0
      observed.length = 0
    })
    const names = Object.keys(members) as Name[]
    const read = async (path: string, name: Name) => {
      const response = await api().client.get(path, asMember(name))
      assert.equal(response.status, 200, response.text)
      return response.json()
    }
    const readTexts = async (path: string, name: Name): Promise<readonly string[]> =>
      (await read(path, name)).map((note: { text: string }) => note.text)

    test('AUTH-PERM-r3: only the owner of a row may write it, if ids are texts', async () => {
      for (const caller of names)
        for (const [owner, id] of Object.entries(ids)) {
          const response = await api().client.patch(`/notes/${id}/`, { ...asMember(caller), json: { text: 'new' } })
          assert.equal(response.status, caller === owner ? 200 : 403, `${caller} ${owner}`)
        }
    })

    test('a row filter compares a text column with the text id of the caller', async () => {
      // Twice: the second list may come from the cache.
      for (let time = 0; time < 2; time++)
        for (const name of names) {
          assert.deepEqual(await readTexts('/own/', name), [name])
          assert.equal((await api().client.get(`/own/${ids.nobody}/`, asMember(name))).status, 404)
          assert.equal((await api().client.delete(`/own/${ids.nobody}/`, asMember(name))).status, 404)
          const { count, results } = await read('/paged/', name)
          assert.deepEqual([count, results], [1, [{ id: ids[name], text: name }]])
        }
      assert.deepEqual(await readTexts('/others/', 'ann'), ['bob', 'eve', 'one', 'nobody'])
    })

    test('a cursor continues the rows of a caller with a text id', async () => {
      await api().insert('notes', [{ text: 'second', owner_id: members.eve.id }])
      const first = await read('/continued/', 'eve')
      const { pathname, search } = new URL(first.next)
      const second = await read(pathname + search, 'eve')
      assert.deepEqual(
        [...first.results, ...second.results].map(({ text }) => text),
        ['eve', 'second'],
      )
      assert.equal(second.next, null)
      assert.deepEqual((await read(pathname + search, 'ann')).results, [])
    })

    test('permissions and row filters receive the user type of the application', async () => {
      assert.deepEqual(await readTexts('/tenants/', 'bob'), ['ann', 'bob', 'one'])
      assert.deepEqual(await readTexts('/tenants/', 'eve'), ['eve'])
      assert.deepEqual(await readTexts('/either/', 'eve'), ['eve'])
      const patch = async (name: Name, id: number) =>
        (await api().client.patch(`/strict/${id}/`, { ...asMember(name), json: { text: 'x' } })).status
      assert.deepEqual([await patch('bob', ids.ann), await patch('eve', ids.ann)], [200, 403])
      assert.equal((await api().client.get('/strict/')).status, 403)
    })

    test('hooks receive the user type, and write the text id into a text column', async () => {
      const { client } = api()
      const created = await client.post('/notes/', { ...asMember('ann'), json: { text: 'new' } })
      assert.equal(created.status, 201, created.text)
      const { id } = created.json()
      const { owner_id, tenant } = (await api().rows('notes')).find(row => row.id === id)!
      assert.deepEqual([owner_id, tenant], ['auth0|ann', 'acme'])
      assert.deepEqual(calls.splice(0), ['before acme', 'after acme'])
      const refused = await client.post('/notes/', { ...asMember('ann'), json: { text: 'acme' } })
      assert.deepEqual([refused.status, refused.json()], [400, { text: ['"acme" is the tenant.'] }])
      assert.equal((await client.delete(`/notes/${id}/`, asMember('ann'))).status, 204)
      assert.deepEqual(calls, ['before destroy acme', 'after destroy acme'])
      assert.deepEqual(observed, ['acme', 'acme', 'acme'])
    })

    test('handlers, throttles and the anonymous caller have the user type', async () => {
      const { client } = api()
      assert.deepEqual(await read('/tenant/', 'eve'), { tenant: 'evil' })
      assert.deepEqual(await read('/notes/mine/', 'one'), { caller: '1' })
      assert.deepEqual((await client.put('/notes/', { ...asMember('one'), json: {} })).json(), { tenant: 'acme' })
      const shared = await client.post(`/notes/${ids.ann}/share/`, { ...asMember('ann'), json: { with: 'bob' } })
      assert.deepEqual(shared.json(), { id: ids.ann, from: 'acme', with: 'bob' })
      const describe = async (name: Name) => (await client.request('OPTIONS', '/tenant/', asMember(name))).status
      assert.deepEqual([await describe('eve'), await describe('ann')], [429, 200])
      assert.deepEqual((await client.get('/tenant/')).json(), { tenant: '' })
    })

    test('reverse relations and nested lists have only the rows of the caller', async () => {
      const rows = names.map(name => ({ text: `of ${name}`, owner_id: members[name].id, parent_id: ids.ann }))
      const [child] = await api().insert('notes', [...rows, { text: 'orphan', owner_id: null, parent_id: ids.ann }])
      const { children } = await read(`/parents/${ids.ann}/`, 'ann')
      assert.deepEqual(children, [child])
      assert.deepEqual(await readTexts(`/own/${ids.ann}/children/`, 'ann'), ['of ann'])
      assert.equal((await api().client.get(`/own/${ids.ann}/children/`, asMember('one'))).status, 404)
      const json = { text: 'x', parent: ids.ann }
      assert.equal((await api().client.post('/children/', { ...asMember('one'), json })).status, 400)
    })

    test('pages escape the name of a caller with a text id', async () => {
      const { headers } = asMember('eve')
      const { text: page } = await api().client.get('/own/', { headers: { ...headers, accept: 'text/html' } })
      assert.match(page, /eve/)
      assert.ok(!page.includes('<1'))
    })
  },
  { migrations },
)

onEachDatabase<Member | Anonymous>(
  () => ({
    authentication: [memberScheme],
    permissions: [authenticatedOrReadOnly],
    views: {
      '/tenant/': {
        name: 'Tenant',
        handlers: { GET: ({ user }) => ({ status: 200, body: { tenant: user.isAuthenticated ? user.tenant : null } }) },
      },
    },
  }),
  api => {
    test('isAuthenticated tells the user type from the default anonymous caller', async () => {
      const { client } = api()
      assert.deepEqual((await client.get('/tenant/')).json(), { tenant: null })
      assert.deepEqual((await client.get('/tenant/', asMember('ann'))).json(), { tenant: 'acme' })
    })
  },
  { migrations },
)
