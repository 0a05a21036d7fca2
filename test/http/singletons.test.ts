// Resources with one object at a URL without a key: `/me/`, `/settings/`, and `/members/1/profile/` below a parent.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import {
  authenticated,
  dateTime,
  hyperlinkedIdentity,
  integerKey,
  key,
  type Migrations,
  objectView,
  related,
  resource,
  rowFilter,
  type SingletonContext,
  staff,
  text,
} from 'resource-api'
import { adminResource } from 'resource-api/accounts'
import { asUser, onEachDatabase, people, startApi, userScheme } from '../support/own-api.ts'

const migrations: Migrations = {
  async '0001_members'({ schema }, { key, reference, text, dateTime }) {
    await schema
      .createTable('members')
      .addColumn('id', key)
      .addColumn('name', text, column => column.notNull())
      .execute()
    for (const table of ['settings', 'profiles'])
      await schema
        .createTable(table)
        .addColumn('member_id', reference, column => column.primaryKey().references('members.id'))
        .addColumn('theme', text, column => column.notNull())
        .addColumn('language', text)
        .addColumn('changed', dateTime)
        .execute()
  },
}

const findCaller = ({ caller }: SingletonContext) => caller.id as number | null

const paths: string[] = []

const members = resource('members', {
  table: 'members',
  fields: { id: key(), name: text() },
  listViews: {
    rename: {
      handlers: {
        async POST(context) {
          await me.update(1, { name: 'called' }, context)
          return { status: 204 }
        },
      },
    },
  },
})

/** Only its key tells whose it is; it exists from the beginning, unless its name ends with `(gone)`. */
const me = resource('me', {
  table: 'members',
  fields: { url: hyperlinkedIdentity(), id: key(), name: text() },
  permissions: [rowFilter(({ row }) => sql`${row.name} not like '%(gone)'`)],
  singleton: findCaller,
  objectViews: {
    greet: objectView({
      body: { word: text() },
      columns: ['name'],
      handlers: { POST: ({ key, object, body }) => ({ status: 200, body: { key, name: object.name, ...body } }) },
    }),
  },
})

const contexts: unknown[] = []

/** A PUT creates them; only staff may create dark ones at first. */
const settings = resource('settings', {
  table: 'settings',
  key: integerKey({ column: 'member_id' }),
  fields: { theme: text({ max: 10 }), language: text({ nullable: true }) },
  actions: ['retrieve', 'update', 'create', 'destroy'],
  permissions: [authenticated, rowFilter(({ row }) => sql`${row.theme} <> 'hidden'`)],
  async singleton(context) {
    contexts.push(context)
    return findCaller(context)
  },
})

const guarded = resource('guarded', {
  ...settings,
  fields: { theme: text() },
  singleton: findCaller,
  perAction: { create: { permissions: [staff] } },
})

const careful = resource('careful', {
  ...settings,
  fields: { theme: text(), changed: dateTime({ nullable: true }) },
  permissions: [authenticated],
  singleton: findCaller,
  requireIfMatch: true,
  lastModified: 'changed',
})

/** Nobody may add one, as with modelPermissions() for callers who have only the permission to change. */
const unaddable = resource('unaddable', {
  ...settings,
  fields: { theme: text() },
  singleton: findCaller,
  permissions: [{ allows: ({ method }) => method !== 'POST' }],
})

const profiles = resource('profile', {
  table: 'profiles',
  key: integerKey({ column: 'member_id' }),
  fields: { url: hyperlinkedIdentity(), theme: text() },
  hookColumns: ['language', 'member_id'],
  prepare: ({ parameters }) => ({ language: parameters!.members_key ?? null }),
  actions: ['retrieve', 'update', 'create', 'destroy'],
  singleton: ({ parameters }) => Number(parameters.members_key),
  nestedUnder: [{ parent: members, column: 'member_id', only: true }],
})

const origin = 'http://localhost'

onEachDatabase(
  () => ({
    authentication: [userScheme],
    resources: [members, me, settings, guarded, careful, unaddable, profiles],
    observe: ({ calls }) => void paths.push(...calls.map(({ path }) => path)),
  }),
  api => {
    const send = (method: string, url: string, json?: unknown, caller: Parameters<typeof asUser>[0] = 'ann') =>
      api().client.request(method, url, { ...asUser(caller), ...(json !== undefined && { json }) })

    beforeEach(async () => {
      await api().database.transaction(async ({ kysely }) => {
        for (const table of ['settings', 'profiles', 'members']) await kysely.deleteFrom(table).execute()
        for (const { id, username: name } of Object.values(people))
          await kysely.insertInto('members').values({ id, name }).execute()
      })
      contexts.length = 0
    })

    test('retrieve, update and destroy act on the object of the caller', async () => {
      const url = `${origin}/me/`
      assert.deepEqual((await send('GET', '/me/')).json(), { url, id: 1, name: 'ann' })
      assert.deepEqual((await send('GET', '/me/', undefined, 'bob')).json(), { url, id: 2, name: 'bob' })
      assert.deepEqual((await send('PATCH', '/me/', { name: 'Ann' })).json(), { url, id: 1, name: 'Ann' })
      assert.deepEqual((await send('PUT', '/me/', { name: 'Anna' })).json(), { url, id: 1, name: 'Anna' })
      assert.equal((await send('HEAD', '/me/')).status, 200)
      assert.equal((await send('GET', '/me/1/')).status, 404)
      assert.equal((await send('DELETE', '/me/')).status, 204)
      for (const method of ['GET', 'PATCH', 'PUT', 'DELETE'])
        assert.equal((await send(method, '/me/', { name: 'x' })).status, 404, method)
      assert.equal((await send('POST', '/me/', {})).headers.allow, 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS')
      assert.equal((await send('GET', '/members/2/')).json().name, 'bob')
    })

    test('a caller without a key, and a hidden row, are 404', async () => {
      assert.equal((await api().client.request('GET', '/me/')).status, 404)
      await send('PATCH', '/me/', { name: 'Ann (gone)' })
      for (const method of ['GET', 'PATCH', 'PUT', 'DELETE'])
        assert.equal((await send(method, '/me/', { name: 'x' })).status, 404, method)
      assert.equal((await send('GET', '/members/1/')).json().name, 'Ann (gone)')
    })

    test('a called action has the path of the singleton', async () => {
      assert.equal((await send('POST', '/members/rename/')).status, 204)
      assert.equal(paths.at(-1), '/me/')
    })

    test('views below a singleton get its key and its columns', async () => {
      const greeted = await send('POST', '/me/greet/', { word: 'Hello' }, 'bob')
      assert.deepEqual(greeted.json(), { key: 2, name: 'bob', word: 'Hello' })
      assert.equal((await send('POST', '/me/greet/', {})).status, 400)
      assert.equal((await api().client.request('POST', '/me/greet/', { json: { word: 'x' } })).status, 404)
    })

    test('If-None-Match: * creates and does not change; If-Match changes and does not create', async () => {
      const put = (headers: Readonly<Record<string, string>>) =>
        api().client.put('/settings/', { json: { theme: 'dark' }, headers: { ...asUser('ann').headers, ...headers } })
      for (const field of ['*', '"x"']) assert.equal((await put({ 'if-match': field })).status, 412, field)
      assert.equal((await send('GET', '/settings/')).status, 404)
      assert.equal((await put({ 'if-none-match': '*' })).status, 201)
      assert.equal((await put({ 'if-none-match': '*' })).status, 412)
      assert.equal((await put({ 'if-match': '*' })).status, 200)
    })

    test('requireIfMatch: a PUT names the state that it changes, or that there is none', async () => {
      const json = { theme: 'dark', changed: '2026-01-31T10:00:00Z' }
      const put = (headers: Readonly<Record<string, string>>, theme = 'dark') =>
        api().client.put('/careful/', { json: { ...json, theme }, headers: { ...asUser('ann').headers, ...headers } })
      assert.equal((await put({})).status, 428)
      assert.equal((await put({}, '')).status, 400)
      assert.equal((await put({ 'if-none-match': '"x"' })).status, 428)
      assert.equal((await put({ 'if-match': '*' })).status, 412)
      assert.equal((await put({ 'if-none-match': '*' })).status, 201)
      assert.equal((await put({})).status, 428)
      const read = (headers = {}) =>
        api().client.get('/careful/', { headers: { ...asUser('ann').headers, ...headers } })
      const { etag, 'last-modified': lastModified } = (await read()).headers
      assert.equal(lastModified, 'Sat, 31 Jan 2026 10:00:00 GMT')
      // Another caller may have had another object at this URL.
      assert.equal((await read({ 'if-modified-since': lastModified })).status, 200)
      assert.equal((await read({ 'if-none-match': etag! })).status, 304)
      assert.equal((await put({ 'if-match': etag! }, 'light')).status, 200)
      assert.equal((await put({ 'if-match': etag! }, 'blue')).status, 412)
      assert.equal((await read({ 'if-none-match': etag! })).json().theme, 'light')
    })

    test('of several PUTs with If-None-Match: *, one creates the object', async () => {
      const statuses = await Promise.all(
        Array.from({ length: 5 }, async () => {
          const headers = { ...asUser('bob').headers, 'if-none-match': '*' }
          return (await api().client.put('/careful/', { json: { theme: 'dark', changed: null }, headers })).status
        }),
      )
      assert.deepEqual(statuses.toSorted(), [201, 412, 412, 412, 412])
    })

    test('the permissions of a create see the method POST', async () => {
      assert.equal((await send('PUT', '/unaddable/', { theme: 'dark' })).status, 403)
      assert.equal((await send('PUT', '/settings/', { theme: 'dark' })).status, 201)
      assert.equal((await send('PUT', '/unaddable/', { theme: 'light' })).status, 200)
    })

    test('with the action "create", a PUT creates an object that does not exist', async () => {
      assert.equal((await send('GET', '/settings/')).status, 404)
      assert.equal((await send('PATCH', '/settings/', { theme: 'dark' })).status, 404)
      const invalid = await send('PUT', '/settings/', { theme: 'much too long' })
      assert.deepEqual(Object.keys(invalid.json()), ['theme'])
      assert.equal((await send('GET', '/settings/')).status, 404)
      const created = await send('PUT', '/settings/', { theme: 'dark', language: 'de' })
      assert.deepEqual([created.status, created.json()], [201, { theme: 'dark', language: 'de' }])
      const changed = await send('PUT', '/settings/', { theme: 'light' })
      assert.deepEqual([changed.status, changed.json().theme], [200, 'light'])
      assert.equal((await send('GET', '/settings/', undefined, 'bob')).status, 404)
      assert.equal((await send('POST', '/settings/', { theme: 'x' })).status, 405)
      assert.equal((await send('DELETE', '/settings/')).status, 204)
      assert.equal((await send('PUT', '/settings/', { theme: 'dark' })).status, 201)
      assert.equal((await api().client.request('PUT', '/settings/', { json: { theme: 'x' } })).status, 401)
    })

    test('a PUT does not create a row that is hidden from the caller', async () => {
      await send('PUT', '/settings/', { theme: 'hidden' })
      assert.equal((await send('PUT', '/settings/', { theme: 'dark' })).status, 404)
      const rows = await api().database.kysely.selectFrom('settings').select('theme').execute()
      assert.deepEqual(
        rows.map(({ theme }) => theme),
        ['hidden'],
      )
    })

    test('creation by PUT needs the permissions of the action "create"', async () => {
      assert.equal((await send('PUT', '/guarded/', { theme: 'dark' })).status, 403)
      assert.equal((await send('PUT', '/guarded/', { theme: 'dark' }, 'sue')).status, 201)
      await send('PUT', '/settings/', { theme: 'light' })
      assert.equal((await send('PUT', '/guarded/', { theme: 'dark' })).status, 200)
    })

    test('of several PUTs at the same time, one creates the object and the others change it', async () => {
      const themes = ['a', 'b', 'c', 'd', 'e']
      const responses = await Promise.all(themes.map(theme => send('PUT', '/settings/', { theme })))
      const statuses = responses.map(({ status }) => status).sort()
      assert.deepEqual(statuses, [200, 200, 200, 200, 201])
      assert.equal((await api().database.kysely.selectFrom('settings').select('theme').execute()).length, 1)
    })

    test('the function gets the caller, the parameters of the path and the time', async () => {
      await send('GET', '/settings/')
      const [{ caller, parameters, now }] = contexts as [SingletonContext]
      assert.deepEqual([caller, { ...parameters }], [people.ann, {}])
      assert.ok(Math.abs(Date.parse(now) - Date.now()) < 60_000)
    })

    test('a singleton below a parent belongs to that parent', async () => {
      const created = await send('PUT', '/members/2/profile/', { theme: 'dark' })
      assert.deepEqual([created.status, created.json()], [201, { url: `${origin}/members/2/profile/`, theme: 'dark' }])
      assert.deepEqual((await send('GET', '/members/2/profile/')).json(), created.json())
      assert.equal((await send('GET', '/members/1/profile/')).status, 404)
      for (const missing of ['99', 'x', '%00'])
        for (const method of ['GET', 'PUT'])
          assert.equal((await send(method, `/members/${missing}/profile/`, { theme: 'x' })).status, 404, missing)
      const rows = await api().database.kysely.selectFrom('profiles').select(['member_id', 'language']).execute()
      assert.deepEqual(
        rows.map(({ member_id, language }) => [Number(member_id), language]),
        [[2, '2']],
      )
    })

    test('OPTIONS offers a PUT that would create the object, and the root lists the singletons', async () => {
      assert.deepEqual(Object.keys((await send('OPTIONS', '/settings/')).json().actions), ['PUT'])
      assert.equal((await api().client.request('OPTIONS', '/me/')).json().actions, undefined)
      assert.equal((await send('GET', '/')).json().me, `${origin}/me/`)
    })
  },
  { migrations },
)

test('the administration lists all rows of the table of a singleton', () => {
  const { resource: administered } = adminResource(me)
  assert.deepEqual([administered.singleton, administered.actions.includes('list')], [undefined, true])
})

onEachDatabase(
  () => ({}),
  api => {
    test('a wrong singleton is refused', async () => {
      const fields = { id: key(), name: text() }
      const refuse = (options: object, message: string) =>
        assert.throws(() => resource('me', { table: 'members', fields, singleton: findCaller, ...options }), {
          message: `resource "me": ${message}`,
        })
      refuse({ actions: ['list'] }, 'singleton: it has no list: remove the action "list"')
      refuse(
        { actions: ['create'] },
        'singleton: a PUT creates and changes the object: add the action "update", or remove "create"',
      )
      refuse({ listViews: {} }, 'singleton: its URL has no list and no key: remove "listViews"')
      refuse({ singleton: 1 }, 'singleton: write a function that returns the key, such as ({ caller }) => caller.id')
      const { database } = api()
      const start = async (other: Parameters<typeof resource>[1]) => {
        const { app, stop } = await startApi({ database, resources: [me, resource('notes', other)] })
        try {
          await app.ready()
        } finally {
          await stop()
        }
      }
      await assert.rejects(
        start({
          table: 'settings',
          fields: { member: related(me, { form: 'url' }) },
          key: integerKey({ column: 'member_id' }),
          actions: ['list'],
        }),
        {
          message:
            'createApi(): field "member" of "notes" refers to "me" by URL, but it is a singleton, whose URL contains no key: relate to the resource that has its objects, or remove "form", "takes" and "shows"',
        },
      )
      await assert.rejects(
        start({
          table: 'settings',
          fields: { theme: text() },
          key: integerKey({ column: 'member_id' }),
          hookColumns: ['member_id'],
          actions: ['list'],
          nestedUnder: [{ parent: me, column: 'member_id' }],
        }),
        {
          message:
            'createApi(): "nestedUnder" of "notes" refers to "me", a singleton, whose path has no key: nest the resource under the one that has its objects, and give it a row filter',
        },
      )
    })
  },
  { migrations },
)
