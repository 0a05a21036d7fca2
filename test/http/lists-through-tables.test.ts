// Lists below a parent whose rows a table joins with it, with the fields, URLs and views of their own resource.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  boolean,
  browsable,
  forTypes,
  hyperlinkedIdentity,
  type Identity,
  integer,
  jsonRenderer,
  key,
  listView,
  pageNumber,
  resource as plainResource,
  text,
  ValidationError,
} from 'resource-api'
import { createClient } from 'resource-api/client'
import { owner, reference, table, tables, through } from 'resource-api/tables'
import { injectFetch } from '../support/client.ts'
import { asUser, onEachDatabase, userScheme } from '../support/own-api.ts'

const teamTable = table('teams', {
  columns: { id: key(), name: text({ max: 40 }), hidden: boolean({ default: false }) },
})
const roleTable = table('roles', {
  columns: { id: key(), name: text({ max: 40 }), owner: owner(integer()) },
  many: { teams: through('team_roles') },
})
const teamRoles = table('team_roles', {
  key: ['team', 'role'],
  columns: { team: reference('teams', { onDelete: 'cascade' }), role: reference('roles', { onDelete: 'cascade' }) },
})
const schema = tables({ owner: 'roles', tables: [teamTable, roleTable, teamRoles] })
const { resource, rowFilter } = forTypes<Identity & { readonly id: number }, typeof schema>()

const renderers = [jsonRenderer, browsable()]
const shared = {
  table: roleTable,
  fields: { url: hyperlinkedIdentity(), ...roleTable.pick('id', 'name') },
  orderingFields: ['name'],
  filters: { name: true },
  renderers,
} as const

const teams = resource('teams', {
  table: teamTable,
  permissions: [rowFilter({ hidden: false })],
  renderers,
  fields: teamTable.pick('id', 'name'),
})
const roles = resource('roles', { ...shared })
// GET lists the roles of the team, POST attaches one, or detaches it.
const rolesOfTeam = resource('team_roles', {
  ...shared,
  path: 'roles',
  actions: ['list'],
  fields: roleTable.pick('id', 'name'),
  nestedUnder: [{ parent: teams, through: 'teams', only: true }],
  listMethods: listView({
    body: { id: integer({ nullable: true }), disassociate: boolean({ default: false }) },
    handlers: {
      POST: async ({ parent, body, database }) => {
        if (body.id === null) throw new ValidationError({ msg: '"id" is required' })
        const joined = { team_id: parent as number, role_id: body.id }
        await database.transaction(async ({ kysely }) => {
          const found = await kysely
            .selectFrom('roles')
            .select('id')
            .where('id', '=', joined.role_id)
            .executeTakeFirst()
          if (found === undefined) throw new ValidationError({ id: 'no such role' })
          if (body.disassociate)
            return kysely
              .deleteFrom('team_roles')
              .where('team_id', '=', joined.team_id)
              .where('role_id', '=', joined.role_id)
              .execute()
          return kysely
            .insertInto('team_roles')
            .values(joined)
            .onConflict(conflict => conflict.doNothing())
            .execute()
        })
        return { status: 204 }
      },
    },
  }),
})
// A role is at the top level, and below each of its teams.
const everywhere = resource('everywhere', {
  ...shared,
  actions: ['list', 'retrieve', 'update', 'destroy'],
  nestedUnder: [{ parent: teams, through: { table: 'team_roles', own: 'role_id', other: 'team_id' } }],
  objectViews: ({ objectView }) => ({
    parent: objectView({ handlers: { GET: ({ parent }) => ({ status: 200, body: { parent } }) } }),
  }),
})
const onlyBelow = resource('below', {
  ...shared,
  actions: ['list', 'retrieve'],
  nestedUnder: [{ parent: teams, through: 'teams', only: true }],
})

type Tested = readonly [typeof teams, typeof roles, typeof rolesOfTeam, typeof everywhere, typeof onlyBelow]

onEachDatabase(
  (() => ({
    resources: [teams, roles, rolesOfTeam, everywhere, onlyBelow] as Tested,
    authentication: [userScheme],
    pagination: pageNumber({ pageSize: 2 }),
  })) as never,
  api => {
    const send = async (method: string, url: string, json?: unknown) => {
      const { status, text: body } = await api().client.request(method, url, {
        ...asUser('ann'),
        ...(json === undefined ? {} : { json }),
      })
      return { status, body: body === '' ? undefined : JSON.parse(body) }
    }
    const names = async (url: string) => {
      const { body } = await send('GET', url)
      return body.results.map(({ name }: { name: string }) => name)
    }

    test('the list contains the joined rows, page by page, with filters and orders', async () => {
      const [no, yes] = api().database.dialect.name === 'sqlite' ? [0, 1] : [false, true]
      await api().insert('teams', [
        { name: 'red', hidden: no },
        { name: 'blue', hidden: no },
        { name: 'secret', hidden: yes },
      ])
      for (const name of ['admin', 'reader', 'writer', 'guest'])
        assert.equal((await send('POST', '/roles/', { name })).status, 201)
      for (const id of [1, 2, 3]) assert.equal((await send('POST', '/teams/1/roles/', { id })).status, 204)
      assert.equal((await send('POST', '/teams/2/roles/', { id: 3 })).status, 204)
      assert.equal((await send('POST', '/teams/2/roles/', { id: 3 })).status, 204)
      const first = await send('GET', '/teams/1/roles/?ordering=-name')
      assert.deepEqual(first.body.results, [
        { id: 3, name: 'writer' },
        { id: 2, name: 'reader' },
      ])
      assert.deepEqual([first.body.count, await names('/teams/1/roles/?page=2')], [3, ['writer']])
      assert.deepEqual(await names('/teams/1/roles/?name=reader'), ['reader'])
      assert.deepEqual(await names('/teams/1/roles/?name=guest'), [])
      assert.deepEqual(await names('/teams/2/roles/'), ['writer'])
      assert.deepEqual(await names('/roles/?name=guest'), ['guest'])
    })

    test('a POST attaches and detaches', async () => {
      assert.equal((await send('POST', '/teams/2/roles/', { id: 4 })).status, 204)
      assert.deepEqual(await names('/teams/2/roles/'), ['writer', 'guest'])
      assert.equal((await send('POST', '/teams/2/roles/', { id: 4, disassociate: true })).status, 204)
      assert.deepEqual(await names('/teams/2/roles/'), ['writer'])
      assert.deepEqual(await send('POST', '/teams/2/roles/', {}), { status: 400, body: { msg: ['"id" is required'] } })
      assert.deepEqual(await send('POST', '/teams/2/roles/', { id: 99 }), {
        status: 400,
        body: { id: ['no such role'] },
      })
      assert.equal((await send('POST', '/teams/9/roles/', { id: 1 })).status, 404)
      assert.equal((await send('POST', '/teams/3/roles/', { id: 1 })).status, 404)
      assert.equal((await send('GET', '/teams/3/roles/')).status, 404)
      assert.equal((await send('PUT', '/teams/2/roles/', {})).status, 405)
    })

    test('an object is below each parent that is joined with it', async () => {
      assert.equal((await send('GET', '/teams/1/everywhere/1/')).body.name, 'admin')
      assert.equal((await send('GET', '/teams/2/everywhere/1/')).status, 404)
      assert.equal((await send('PATCH', '/teams/2/everywhere/1/', { name: 'x' })).status, 404)
      assert.equal((await send('PATCH', '/teams/1/everywhere/1/', { name: 'root' })).body.name, 'root')
      assert.deepEqual((await send('GET', '/teams/2/everywhere/3/parent/')).body, { parent: 2 })
      assert.deepEqual((await send('GET', '/teams/1/everywhere/3/parent/')).body, { parent: 1 })
      assert.equal((await send('POST', '/teams/1/everywhere/', { name: 'new' })).status, 405)
      assert.equal((await send('GET', '/everywhere/4/')).body.name, 'guest')
    })

    test('without URLs at the top level, links lead below the first parent that the caller sees', async () => {
      const { body } = await send('GET', '/teams/2/below/3/')
      assert.equal(body.url, 'http://localhost/teams/1/below/3/')
      await api().database.transaction(async ({ kysely }) => {
        await kysely.insertInto('team_roles').values({ team_id: 3, role_id: 4 }).execute()
      })
      assert.equal((await send('GET', '/teams/3/below/4/')).status, 404)
    })

    test('pages of the parent and of its list show the joined objects', async () => {
      const html = { headers: { accept: 'text/html', 'x-user': 'ann' } }
      const list = await api().client.get('/teams/2/roles/', html)
      assert.equal(list.status, 200)
      assert.match(list.text, /writer/)
      assert.doesNotMatch(list.text, /reader/)
      const parent = await api().client.get('/teams/2/', html)
      assert.equal(parent.status, 200)
      assert.match(parent.text, /\/teams\/2\/roles\//)
      assert.equal((await api().client.get('/teams/2/everywhere/3/', html)).status, 200)
    })

    test('the typed client and the document know the lists', async () => {
      const client = createClient<Tested>({
        baseUrl: 'http://localhost/',
        fetch: injectFetch(api().client),
        headers: { 'x-user': 'ann' },
      })
      const page = await client.teams(2).roles.list()
      assert.deepEqual((page as { results?: unknown }).results, [{ id: 3, name: 'writer' }])
      await client.teams(2).roles.post({ id: 4 })
      await client.teams(2).roles.post({ id: 4, disassociate: true })
      const { body } = await send('GET', '/openapi.json')
      const path = body.paths['/teams/{teams_key}/roles/']
      assert.deepEqual([typeof path.get, typeof path.post, typeof path.put], ['object', 'object', 'undefined'])
      assert.deepEqual(body.paths['/teams/{teams_key}/roles/{key}/'], undefined)
    })
  },
  { migrations: {}, owners: [schema] as never },
)

test('wrong declarations name the fix', () => {
  const declare = (options: object) => () =>
    plainResource('wrong', { table: roleTable, fields: roleTable.pick('id', 'name'), ...options } as never)
  const nested = { nestedUnder: [{ parent: teams, through: 'teams' }] }
  assert.throws(declare(nested), /a list through a table cannot create: leave out the action "create"/)
  assert.throws(
    declare({ actions: ['list'], nestedUnder: [{ parent: teams, through: 'teams', column: 'name' }] }),
    /nestedUnder: "through" names the joining table: remove "field" and "column"/,
  )
  assert.throws(
    declare({ actions: ['list'], nestedUnder: [{ parent: teams, through: 'team' }] }),
    /nestedUnder: .*"team"/,
  )
  assert.throws(
    declare({ ...nested, actions: ['list'], feed: true }),
    /a feed does not see the changes of the joining table/,
  )
})
