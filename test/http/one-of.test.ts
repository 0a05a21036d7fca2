// Objects of several resources in one field, and rows of several kinds in one list.

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import Fastify from 'fastify'
import { sql } from 'kysely'
import {
  browsable,
  choice,
  computed,
  createApi,
  findDocument,
  integer,
  jsonRenderer,
  key,
  nested,
  oneOf,
  openDatabase,
  resource,
  rowFilter,
  text,
} from 'resource-api'
import { createClient } from 'resource-api/client'
import { caller, reference, table, tables } from 'resource-api/tables'
import { injectFetch } from '../support/client.ts'
import { asUser, onEachDatabase, userScheme } from '../support/own-api.ts'

const users = table('users', { columns: { id: key(), name: text(), secret_of: text({ nullable: true }) } })
const teams = table('teams', { columns: { id: key(), title: text(), lead: reference('users', { nullable: true }) } })
const credentials = table('credentials', {
  columns: { id: key(), name: text(), owner_type: text({ nullable: true }), owner_id: integer({ nullable: true }) },
})
const applications = table('applications', {
  columns: { id: key(), name: text(), type: choice(['database', 'builder']), theme: text({ nullable: true }) },
})
const pages = table('pages', { columns: { id: key(), path: text(), application: reference('applications') } })
const schema = tables({ owner: 'one-of', tables: [users, teams, credentials, applications, pages] })

const userResource = resource('users', {
  table: users,
  permissions: [rowFilter({ or: [{ secret_of: null }, { secret_of: caller('username') }] })],
  fields: {
    ...users.pick('id', 'name'),
    greeting: computed({ columns: ['name'], value: ({ name }, { user }) => `${name} for ${user.username}` }),
    length: computed({ columns: ['name'], values: async rows => rows.map(({ name }) => String(name).length) }),
  },
})
const teamResource = resource('teams', {
  table: teams,
  fields: {
    ...teams.pick('id', 'title'),
    lead: nested({ of: userResource, column: 'lead_id', fields: ['name'] }),
    credentials: nested({ of: 'credentials', many: { reverse: 'owner_id' }, fields: ['name'] }),
  },
})
const named = oneOf(
  'owner_type',
  {
    user: nested({ of: userResource, column: 'owner_id', fields: ['id', 'name'] }),
    team: nested({ of: 'teams', column: 'owner_id', fields: ['title', 'credentials'] }),
  },
  { discriminator: 'kind' },
)
const owner = oneOf('owner_type', {
  user: nested({ of: userResource, column: 'owner_id', fields: ['id', 'name', 'greeting', 'length'] }),
  team: nested({ of: teamResource, column: 'owner_id', fields: ['id', 'title', 'lead'] }),
})
const credentialResource = resource('credentials', {
  table: credentials,
  fields: { ...credentials.pick('id', 'name', 'owner_type', 'owner_id'), owner, named },
  filters: { owner_type: true },
  sparseFields: true,
  pagination: null,
})
const pageResource = resource('pages', {
  table: pages,
  actions: ['list', 'retrieve'],
  fields: pages.pick('id', 'path'),
})
const applicationResource = resource('applications', {
  table: applications,
  pagination: null,
  fields: {
    ...applications.pick('id', 'name', 'type'),
    pages: nested({
      of: pageResource,
      many: { reverse: 'application_id' },
      fields: ['path'],
      visible: { type: 'builder' },
    }),
    loud: computed(text({ visible: { type: 'database' } }), ({ row }) => sql`upper(${row.name})`),
  },
})
const resources = [userResource, teamResource, credentialResource, pageResource, applicationResource] as const

onEachDatabase(
  () => ({ resources, authentication: [userScheme], renderers: [jsonRenderer, browsable()], secret: 'x'.repeat(32) }),
  api => {
    let [ann, bob, team] = [0, 0, 0]
    const get = async (path: string) => {
      const response = await api().client.get(path, asUser('ann'))
      assert.equal(response.status, 200, response.text)
      return response.json()
    }

    before(async () => {
      ;[ann, bob] = (await api().insert('users', [{ name: 'Ann' }, { name: 'Bob', secret_of: 'bob' }])) as [
        number,
        number,
      ]
      ;[team] = (await api().insert('teams', [{ title: 'Tea', lead_id: ann }])) as [number]
      await api().insert('credentials', [
        { name: 'a', owner_type: 'user', owner_id: ann },
        { name: 'b', owner_type: 'team', owner_id: team },
        { name: 'c', owner_type: 'user', owner_id: bob },
        { name: 'd', owner_type: 'user', owner_id: 99 },
        { name: 'e', owner_type: 'robot', owner_id: ann },
        { name: 'f' },
      ])
      const [, builder] = await api().insert('applications', [
        { name: 'db', type: 'database' },
        { name: 'site', type: 'builder' },
      ])
      await api().insert('pages', [{ path: '/', application_id: builder }])
    })

    test('the column chooses the object, with its row filter and its computed values', async () => {
      const list = await get('/credentials/')
      const user = { type: 'user', id: ann, name: 'Ann', greeting: 'Ann for ann', length: 3 }
      const ofTeam = { type: 'team', id: team, title: 'Tea', lead: { name: 'Ann' } }
      assert.deepEqual(
        list.map((each: { owner: unknown }) => each.owner),
        [user, ofTeam, null, null, null, null],
      )
      assert.deepEqual((await get(`/credentials/${list[1].id}/`)).owner, ofTeam)
      assert.deepEqual(await get('/credentials/?owner_type=team&fields=owner'), [{ owner: ofTeam }])
      assert.deepEqual((await get('/credentials/?fields=named')).slice(0, 3), [
        { named: { kind: 'user', id: ann, name: 'Ann' } },
        { named: { kind: 'team', title: 'Tea', credentials: ['a', 'b', 'e'].map(name => ({ name })) } },
        { named: null },
      ])
    })

    test('bodies write the columns, and the response shows the object', async () => {
      const json = { name: 'g', owner_type: 'team', owner_id: team, owner: { type: 'user', id: bob } }
      const created = await api().client.post('/credentials/', { json, ...asUser('ann') })
      assert.deepEqual([created.status, created.json().owner.title], [201, 'Tea'])
      const url = `/credentials/${created.json().id}/`
      const patch = { json: { owner_type: 'user', owner_id: ann }, ...asUser('ann') }
      const changed = await api().client.request('PATCH', url, patch)
      assert.equal(changed.json().owner.greeting, 'Ann for ann')
      assert.equal((await api().client.request('DELETE', url, asUser('ann'))).status, 204)
    })

    test('the rows of a list have the members of their kind', async () => {
      const [database, builder] = await get('/applications/')
      assert.deepEqual(database, { id: database.id, name: 'db', type: 'database', loud: 'DB' })
      assert.deepEqual(builder, { id: builder.id, name: 'site', type: 'builder', pages: [{ path: '/' }] })
    })

    test('the document has the union, and pages show it', async () => {
      const { components } = findDocument(api().app)!
      const schemas = components!.schemas as Record<string, { properties: Record<string, unknown>; required: string[] }>
      assert.deepEqual(schemas.Credential!.properties.owner, {
        anyOf: [
          {
            oneOf: [
              { $ref: '#/components/schemas/UsersAsTypeUser' },
              { $ref: '#/components/schemas/TeamsAsTypeTeamWithIdTitleLead' },
            ],
            discriminator: {
              propertyName: 'type',
              mapping: {
                user: '#/components/schemas/UsersAsTypeUser',
                team: '#/components/schemas/TeamsAsTypeTeamWithIdTitleLead',
              },
            },
          },
          { type: 'null' },
        ],
        readOnly: true,
      })
      assert.deepEqual(schemas.TeamsAsTypeTeamWithIdTitleLead!.properties.type, {
        type: 'string',
        const: 'team',
        readOnly: true,
      })
      assert.deepEqual(schemas.Application!.required, ['id', 'name', 'type'])
      const html = { headers: { ...asUser('ann').headers, accept: 'text/html' } }
      for (const path of ['/credentials/', '/credentials/1/', '/applications/', '/applications/1/'])
        assert.equal((await api().client.get(path, html)).status, 200, path)
    })

    test('a client knows the union', async () => {
      const fetch = injectFetch(api().client)
      const client = createClient<typeof resources>({ baseUrl: 'http://localhost/', fetch })
      const [, second] = await client.credentials.list()
      const shown = second!.owner
      if (shown?.type !== 'team') return assert.fail()
      const title: string = shown.title
      // @ts-expect-error a team has none
      assert.deepEqual([title, shown.greeting], ['Tea', undefined])
    })
  },
  { migrations: {}, owners: [schema] },
)

suite('wrong declarations are errors', () => {
  const user = nested({ of: userResource, column: 'owner_id', fields: ['id'] })
  const wrong = '"a" must be a nested() with a "column", without "writable"'
  for (const [declare, message] of [
    [() => oneOf('', { user }), 'name the column whose value chooses the object'],
    [
      () => oneOf('a', {}),
      'give the objects by the value of the column, such as { user: nested({ of: users, column: "owner_id" }) }',
    ],
    [() => oneOf('a', { a: text() as never }), wrong],
    [() => oneOf('a', { a: nested({ of: userResource }) }), wrong],
    [() => oneOf('a', { a: nested({ of: userResource, many: { reverse: 'a' } }) }), wrong],
    [
      () => oneOf('a', { user }, { discriminator: 'id' }),
      '"user" has a field "id": name its "fields", or give the option "discriminator" another name',
    ],
  ] as const)
    test(message, () => {
      assert.throws(declare, new Error(`oneOf(): ${message}`))
    })

  test('a named resource is checked when the API finds it', async () => {
    const wrong = oneOf('owner_type', { a: nested({ of: 'users', one: { reverse: 'secret_of' } }) })
    const found = resource('credentials', { table: credentials, fields: { ...credentials.pick('id'), wrong } })
    const database = openDatabase('sqlite::memory:')
    const starting = async () => await Fastify().register(createApi({ database, resources: [userResource, found] }))
    await assert.rejects(starting, /oneOf\(\): "a" must be a nested\(\) with a "column"/)
    await database.close()
  })

  test('a name of the resource that is a column cannot be filtered by', () => {
    const fields = { ...credentials.pick('id', 'name'), owner }
    assert.throws(
      () => resource('credentials', { table: credentials, fields, filters: { owner: true } as never }),
      /filters: "owner"/,
    )
  })
})
