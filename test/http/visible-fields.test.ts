// Fields with `visible` exist only for some callers: in responses, bodies, queries, errors, OPTIONS and pages.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import {
  boolean,
  browsable,
  computed,
  cursor,
  hyperlinkedIdentity,
  integer,
  jsonRenderer,
  key,
  list,
  listView,
  type Migrations,
  nested,
  objectView,
  pageNumber,
  readOnly,
  related,
  resource,
  text,
  ValidationError,
  writeOnly,
  zodField,
} from 'resource-api'
import { z } from 'zod'
import { asUser, onEachDatabase, startApi, userScheme } from '../support/own-api.ts'

const toStaff = { visible: ({ user }: { user: { isStaff: boolean } }) => user.isStaff }
const toUsers = { visible: ({ user }: { user: { isAuthenticated: boolean } }) => user.isAuthenticated }

const teams = resource('teams', {
  table: 'teams',
  fields: {
    id: key(),
    name: text(),
    budget: integer({ default: 0, ...toStaff }),
    loud: computed({ columns: ['name'], value: ({ name }) => `${name}!`, ...toStaff }),
    large: computed({ columns: ['budget'], values: rows => rows.map(({ budget }) => Number(budget) > 5), ...toStaff }),
  },
})

const fields = {
  url: hyperlinkedIdentity(),
  id: key(),
  name: text(),
  salary: integer({ default: 100, min: 10, label: 'Secret salary', ...toStaff }),
  email: text({ nullable: true, unique: 'This e-mail is taken.', ...toUsers }),
  hint: writeOnly(text({ nullable: true, ...toStaff })),
  rating: zodField(z.int().default(3), toStaff),
  badge: readOnly(integer({ column: 'rating', ...toUsers })),
  team_id: related(teams, { column: 'team_id', nullable: true, ...toStaff }),
  initial: computed({ columns: ['name'], value: ({ name }) => String(name).slice(0, 1), ...toUsers }),
  isRich: computed(boolean(toStaff), ({ row }) => sql`${row.salary} > 250`),
  rank: computed({ columns: ['salary'], values: async rows => rows.map(({ salary }) => salary), ...toStaff }),
  shown_team: readOnly(related(teams, { column: 'team_id', shows: ['name', 'budget'], nullable: true, ...toUsers })),
  staff_team: nested({ of: teams, fields: ['id'], column: 'team_id', ...toStaff }),
  team: nested({ of: teams, column: 'team_id' }),
}

const statements: string[] = []
/** The values that hooks got. */
let hooked: Readonly<Record<string, unknown>> = {}

const workers = resource('workers', {
  table: 'workers',
  fields,
  ordering: ['name'],
  searchFields: ['name', 'email'],
  filters: { salary: true, email: true, team_id: true },
  orderingFields: ['name', 'salary'],
  validate({ values }) {
    hooked = values
    if (values.name === 'refused') throw new ValidationError('Refused.')
  },
  listViews: {
    echo: listView({
      body: { name: text(), salary: integer({ default: 1, ...toStaff }) },
      handlers: { POST: ({ body }) => ({ status: 200, body }) },
    }),
  },
  objectViews: {
    shown: objectView({
      handlers: { GET: async ({ represent, key }) => ({ status: 200, body: await represent(key) }) },
    }),
  },
})

const lockers = resource('lockers', {
  table: 'lockers',
  fields: { id: key(), number: integer({ default: 1, ...toStaff }) },
})

const squads = resource('squads', { table: 'teams', actions: ['list'], fields: { id: key(), name: text(toStaff) } })

const players = resource('players', {
  table: 'workers',
  actions: ['list'],
  objectName: 'name',
  pages: { columns: ['id'] },
  fields: { id: key(), name: text(), squad: related(squads, { column: 'team_id', nullable: true }) },
  searchFields: ['squad.name'],
})

const failures = [
  () => {
    throw new Error('broken')
  },
  () => undefined,
  () => 1,
  async () => true,
]

const faulty = failures.map((visible, index) =>
  resource(`faulty-${index}`, {
    table: 'teams',
    fields: { id: key(), name: text({ default: '', blank: true, visible: visible as never }) },
  }),
)

const migrations: Migrations = {
  async '0001_workers'({ schema }, { key, text, reference }) {
    await schema
      .createTable('teams')
      .addColumn('id', key)
      .addColumn('name', text, column => column.notNull())
      .addColumn('budget', 'integer', column => column.notNull().defaultTo(0))
      .execute()
    await schema
      .createTable('workers')
      .addColumn('id', key)
      .addColumn('name', text, column => column.notNull())
      .addColumn('salary', 'integer', column => column.notNull())
      .addColumn('email', text, column => column.unique())
      .addColumn('hint', text)
      .addColumn('rating', 'integer', column => column.notNull())
      .addColumn('team_id', reference)
      .execute()
    await schema
      .createTable('lockers')
      .addColumn('id', key)
      .addColumn('number', 'integer', column => column.notNull().unique())
      .execute()
  },
}

const everyField = [
  'url',
  'id',
  'name',
  'salary',
  'email',
  'rating',
  'badge',
  'team_id',
  'initial',
  'isRich',
  'rank',
  'shown_team',
  'staff_team',
  'team',
]
const publicFields = ['url', 'id', 'name', 'team']

onEachDatabase(
  () => ({
    resources: [teams, workers, lockers, squads, players, ...faulty],
    authentication: [userScheme],
    permissions: [],
    renderers: [jsonRenderer, browsable()],
    pagination: pageNumber({ pageSize: 10 }),
  }),
  api => {
    const [staff, user, anyone] = [asUser('sue'), asUser('ann'), {}]
    const get = async (url: string, as: object) => (await api().client.get(url, as)).json()
    const names = async (query: string, as: object) =>
      (await get(`/workers/?${query}`, as)).results.map(({ name }: { name: string }) => name)

    before(async () => {
      const { insert } = api()
      await insert('teams', [{ name: 'Red', budget: 7 }])
      await insert('workers', [
        { name: 'A', salary: 300, email: 'a@x', rating: 1, team_id: 1 },
        { name: 'B', salary: 200, email: 'b@x', rating: 2, team_id: null },
      ])
    })

    test('each caller gets the visible fields, from the same URLs and in one statement', async () => {
      for (const isCached of [false, true])
        for (const [as, expected, team] of [
          [staff, everyField, { id: 1, name: 'Red', budget: 7, loud: 'Red!', large: true }],
          [user, ['url', 'id', 'name', 'email', 'badge', 'initial', 'shown_team', 'team'], { id: 1, name: 'Red' }],
          [anyone, publicFields, { id: 1, name: 'Red' }],
        ] as const) {
          const before = statements.length
          const [listed] = (await get('/workers/', as)).results
          assert.equal(statements.length - before, isCached && api().database.version ? 0 : 1)
          assert.deepEqual([Object.keys(listed), listed.team], [expected, team])
          const shownTeam = as === anyone ? undefined : { name: 'Red', ...('budget' in team && { budget: 7 }) }
          assert.deepEqual(listed.shown_team, shownTeam)
          const retrieved = await get('/workers/1/', as)
          assert.deepEqual(retrieved, listed)
          assert.deepEqual(await get('/workers/1/shown/', as), listed)
        }
    })

    test('a filter, search or order by a hidden field is ignored like an unknown parameter', async () => {
      assert.deepEqual(await names('salary=200', staff), ['B'])
      assert.deepEqual(await names('ordering=salary', staff), ['B', 'A'])
      assert.deepEqual(await names('search=b@x', user), ['B'])
      for (const query of [
        'salary=200',
        'salary=x',
        'salary=1&salary=2',
        'ordering=salary',
        'ordering=-salary',
        'team_id=1',
      ])
        assert.deepEqual(await names(query, user), ['A', 'B'], query)
      for (const query of ['search=b@x', 'email=b@x']) {
        assert.deepEqual(await names(query, anyone), query.startsWith('search') ? [] : ['A', 'B'], query)
      }
      assert.deepEqual(await names('ordering=salary,-name', user), ['B', 'A'])
    })

    test('the page of a list has a search for callers who can search, although all get the same objects', async () => {
      const headers = { accept: 'text/html' }
      for (const [as, isSearchable] of [
        [staff, true],
        [user, false],
      ] as const) {
        const { text } = await api().client.get('/players/', { ...as, headers: { ...headers, ...as.headers } })
        assert.match(text, />A<\/th>|>A<\/a>/)
        assert.equal(text.includes('id="list-search"'), isSearchable)
      }
    })

    test('a body cannot set a hidden field, which keeps its value or gets its default', async () => {
      const { client, rows } = api()
      const body = { name: 'C', salary: 'x', email: 5, hint: {}, rating: null, team_id: 'x' }
      const created = await client.post('/workers/', { json: body })
      assert.deepEqual([created.status, Object.keys(created.json())], [201, publicFields])
      assert.deepEqual([hooked.salary, hooked.email, hooked.rating], [100, null, 3])
      const id = created.json().id
      assert.equal((await client.put(`/workers/${id}/`, { json: { name: 'D', salary: 999 }, ...user })).status, 200)
      const patched = await client.patch(`/workers/${id}/`, { json: { salary: 11, hint: 'x', team_id: 1 }, ...staff })
      assert.deepEqual([patched.json().salary, patched.json().team.budget], [11, 7])
      assert.equal((await client.patch(`/workers/${id}/`, { json: { salary: 12, hint: 'y' } })).status, 200)
      assert.equal(hooked.salary, 11)
      const stored = (await rows('workers')).at(-1)!
      assert.deepEqual([stored.name, stored.salary, stored.hint, stored.rating], ['D', 11, 'x', 3])
      const echo = (as: object) => client.post('/workers/echo/', { json: { name: 'a', salary: 5 }, ...as })
      assert.deepEqual(
        [(await echo(staff)).json(), (await echo(user)).json()],
        [
          { name: 'a', salary: 5 },
          { name: 'a', salary: 1 },
        ],
      )
      assert.equal((await client.delete(`/workers/${id}/`)).status, 204)
    })

    test('errors do not name hidden fields', async () => {
      const { client } = api()
      const send = (json: object, as: object) => client.post('/workers/', { json, ...as })
      assert.deepEqual(Object.keys((await send({ salary: 1, rating: 'x' }, staff)).json()), [
        'name',
        'salary',
        'rating',
      ])
      assert.deepEqual((await send({ salary: 1, rating: 'x' }, user)).json(), { name: ['This field is required.'] })
      assert.deepEqual((await send({ name: 'refused' }, anyone)).json(), { non_field_errors: ['Refused.'] })
      const taken = await send({ name: 'E', email: 'a@x' }, user)
      assert.deepEqual(taken.json(), { email: ['This e-mail is taken.'] })
    })

    test('a constraint of a hidden column is not explained', async () => {
      const { client } = api()
      assert.deepEqual((await client.post('/lockers/')).status, 201)
      const taken = (as: object) => client.post('/lockers/', as)
      assert.deepEqual((await taken(anyone)).json(), { non_field_errors: ['These values are not allowed.'] })
      assert.deepEqual((await taken(staff)).json(), { number: ['This field must be unique.'] })
    })

    test('a condition that fails shows the field to nobody', async () => {
      for (const index of failures.keys())
        for (const [method, path] of [
          ['GET', `/faulty-${index}/`],
          ['GET', `/faulty-${index}/1/`],
          ['POST', `/faulty-${index}/`],
          ['OPTIONS', `/faulty-${index}/`],
        ] as const) {
          const { status, text } = await api().client.request(method, path)
          assert.deepEqual([status, text.includes('Red')], [500, false], `${method} ${path}`)
        }
    })

    test('OPTIONS describes the visible fields', async () => {
      const { client } = api()
      const describe = async (path: string, as: object) =>
        Object.keys((await client.request('OPTIONS', path, as)).json().actions.POST ?? {})
      assert.deepEqual(await describe('/workers/', staff), Object.keys(fields))
      assert.deepEqual(await describe('/workers/', anyone), publicFields)
      for (const [as, children] of [
        [staff, ['id', 'name', 'budget', 'loud', 'large']],
        [anyone, ['id', 'name']],
      ] as const) {
        const { actions } = (await client.request('OPTIONS', '/workers/', as)).json()
        assert.deepEqual(Object.keys(actions.POST.team.children), children)
      }
      assert.deepEqual(await describe('/workers/echo/', user), ['name'])
      assert.deepEqual(await describe('/workers/echo/', staff), ['name', 'salary'])
    })

    test('pages of other callers do not contain a hidden field, also after staff have seen them', async () => {
      const { client } = api()
      const accept = { accept: 'text/html' }
      for (const path of ['/workers/', '/workers/?p=1', '/workers/1/', '/workers/echo/'])
        for (const [as, isStaff] of [
          [staff, true],
          [user, false],
          [staff, true],
          [anyone, false],
        ] as const) {
          const { headers = {} } = as as { headers?: Record<string, string> }
          const page = (await client.get(path, { headers: { ...headers, ...accept } })).text
          assert.equal(/salary/i.test(page), isStaff, path)
          if (path === '/workers/') assert.equal(/email/i.test(page), as !== anyone)
        }
    })

    test('a source that would show a hidden field of a related row is an error at start', async () => {
      const resources = [
        teams,
        resource('workers', {
          table: 'workers',
          fields: { team: related(teams), budget: integer({ source: 'team.budget' }) },
        }),
      ]
      await assert.rejects(async () => (await startApi({ resources, database: api().database })).stop(), {
        message:
          'resource "workers": field "budget": source "team.budget": field "budget" of "teams" is not visible to every caller, and this would reveal it',
      })
    })

    test('cursors that would contain the values of a hidden field are an error at start', async () => {
      const paginated = resource('workers', {
        table: 'workers',
        fields,
        pagination: cursor({ ordering: 'salary', secret: 's'.repeat(32) }),
      })
      await assert.rejects(async () => (await startApi({ resources: [paginated], database: api().database })).stop(), {
        message:
          'resource "workers": the ordering of its pagination: field "salary" is not visible to every caller, and this would reveal it: remove it',
      })
    })
  },
  { migrations, observe: text => statements.push(text) },
)

test('options that would reveal a hidden field are errors at start', () => {
  const salary = integer({ default: 1, ...toStaff })
  const declared = { table: 'workers', fields: { id: key(), name: text(), salary } }
  const reveals = (option: string) =>
    `${option}: field "salary" is not visible to every caller, and this would reveal it: remove it`
  for (const [option, options] of [
    ['objectName', { objectName: 'salary' }],
    ['ordering', { ordering: ['-salary'] }],
    ['uniqueTogether', { uniqueTogether: [['name', 'salary']] }],
    ['nestedUnder', { nestedUnder: [{ parent: teams, column: 'salary' }] }],
  ] as const)
    assert.throws(() => resource('workers', { ...declared, ...(options as object) }), {
      message: `resource "workers": ${reveals(option)}`,
    })
  assert.throws(() => resource('workers', { table: 'workers', fields: { salary: integer(toStaff) } }), {
    message:
      'resource "workers": field "salary" is not visible to every caller: give it a default, or set nullable: true',
  })
  assert.throws(() => resource('workers', { table: 'workers', fields: { a: { ...salary, visible: true as never } } }), {
    message: 'resource "workers": field "a": visible must be a function of the caller',
  })
  const named = resource('named', {
    table: 'teams',
    fields: { id: key(), code: text({ default: 'a', unique: 'Taken.', ...toStaff }) },
  })
  const reason = 'field "code" cannot identify an object: it is not visible to every caller'
  // @ts-expect-error not every caller sees the field
  assert.throws(() => related(named, { by: 'code' }), {
    message: `related(): by: resource "named": ${reason}`,
  })
  // @ts-expect-error not every caller sees the field
  assert.throws(() => resource('named', { table: 'teams', fields: named.fields, lookup: 'code' }), {
    message: `resource "named": lookup: ${reason}`,
  })
  assert.throws(() => list({ of: integer(toStaff) }), /cannot have "visible"/)
})
