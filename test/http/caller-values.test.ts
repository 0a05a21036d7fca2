// Values that depend on the caller: computed in the statement that reads the objects, in every place that shows them.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from 'kysely'
import {
  allowAny,
  boolean,
  computed,
  cursor,
  dateTime,
  decimal,
  duration,
  forTypes,
  type Identity,
  integer,
  json,
  key,
  type Migrations,
  nested,
  number,
  objectView,
  pageNumber,
  related,
  text,
} from 'resource-api'
import { type TestApi, type TestClient, testApi } from 'resource-api/testing'

interface Member extends Identity {
  readonly id: number | null
  readonly team?: string | undefined
  readonly roles: readonly string[]
}

const member = (id: number, username: string, rest: Partial<Member> = {}): Member => ({
  isAuthenticated: true,
  id,
  username,
  isStaff: false,
  roles: [],
  ...rest,
})
const ann = member(1, 'ann', { team: 'red' })
const bob = member(2, 'bob', { team: 'blue' })
const sue = member(3, 'sue', { isStaff: true })
const nobody: Member = { isAuthenticated: false, id: null, username: '', isStaff: false, roles: [] }

const migrations: Migrations = {
  async '0001_tables'(kysely, { key, reference, text, dateTime, decimal }) {
    await kysely.schema
      .createTable('lists')
      .addColumn('id', key)
      .addColumn('name', text, column => column.notNull())
      .addColumn('owner_id', reference)
      .execute()
    await kysely.schema
      .createTable('items')
      .addColumn('id', key)
      .addColumn('title', text, column => column.notNull())
      .addColumn('price', decimal(8, 2), column => column.notNull().defaultTo(1))
      .addColumn('due', dateTime)
      .addColumn('list_id', reference, column => column.references('lists.id'))
      .execute()
    await kysely.schema
      .createTable('favourites')
      .addColumn('item_id', reference, column => column.notNull())
      .addColumn('user_id', reference, column => column.notNull())
      .addPrimaryKeyConstraint('favourites_key', ['item_id', 'user_id'])
      .execute()
  },
}

const { resource, computed: computedForMember, rowFilter } = forTypes<Member>()

const favourite = computed(
  boolean(),
  ({ row, caller }) =>
    sql`exists (select 1 from favourites where favourites.item_id = ${row.id} and favourites.user_id = ${caller.id})`,
)
const lists = resource('lists', {
  table: 'lists',
  actions: ['list', 'retrieve'],
  permissions: [rowFilter(({ row, caller }) => sql`${row.owner_id} = ${caller.id} or ${row.owner_id} is null`)],
  fields: {
    id: key(),
    name: text(),
    is_mine: computed(boolean(), ({ row, caller }) => sql`coalesce(${row.owner_id} = ${caller.id}, false)`),
  },
  pagination: null,
})
const itemOptions = {
  table: 'items',
  fields: { id: key(), title: text({ max: 100 }), favourite },
} as const
const items = resource('items', {
  ...itemOptions,
  pagination: pageNumber({ pageSize: 2 }),

  filters: { title: true },
  objectViews: {
    touch: objectView({
      handlers: { POST: async ({ key, represent }) => ({ status: 200, body: await represent(key) }) },
    }),
  },
})
const streamed = resource('streamed', { ...itemOptions, pagination: null })
const byCursor = resource('by-cursor', { ...itemOptions, pagination: cursor({ pageSize: 2, ordering: 'id' }) })
const short = resource('short', { ...itemOptions, perAction: { list: { shows: ['id', 'title'] } }, pagination: null })
const hooked = resource('hooked', { ...itemOptions, afterSave: () => undefined })
const placed = resource('placed', {
  ...itemOptions,
  fields: {
    id: key(),
    title: text(),
    list: related(lists, { column: 'list_id', nullable: true }),
    list_in_full: nested({ of: lists, column: 'list_id' }),
  },
  pagination: null,
})
const shelves = resource('shelves', {
  table: 'lists',
  actions: ['list'],
  fields: { id: key(), items: nested({ of: items, many: { reverse: 'list_id' } }) },
  pagination: null,
})
const greetings = resource('greetings', {
  table: 'lists',
  actions: ['list'],
  objectName: 'greeting',
  fields: {
    id: key(),
    greeting: computed(text(), ({ row, caller }) => sql`${row.name} || ' for ' || cast(${caller.username} as text)`),
  },
  pagination: null,
})
const greeted = resource('greeted', {
  table: 'items',
  actions: ['list'],
  fields: { id: key(), list: related(greetings, { nullable: true, shows: 'text' }) },
  pagination: null,
})
const teams = resource('teams', {
  table: 'items',
  actions: ['list', 'retrieve'],
  fields: {
    id: key(),
    team: computedForMember(text({ nullable: true }), ({ caller }) => sql`cast(${caller.team} as text)`),
    staff: computedForMember(boolean(), ({ caller }) => sql`cast(${caller.isStaff} as boolean)`),
  },
  pagination: null,
})
// The types do not allow this property.
const rolesOf = (caller: object) => (caller as Readonly<Record<string, ReturnType<typeof sql>>>).roles
const wrong = resource('wrong', {
  table: 'items',
  actions: ['list'],
  fields: { id: key(), roles: computed(text(), ({ caller }) => sql`${rolesOf(caller)}`) },
})
const wrongRows = resource('wrong-rows', {
  table: 'items',
  actions: ['list'],
  permissions: [rowFilter(({ row, caller }) => sql`${row.title} = ${rolesOf(caller)}`)],
  fields: { id: key() },
})
const late = resource('late', {
  table: 'items',
  actions: ['list', 'update'],
  fields: {
    id: key(),
    due: dateTime({ nullable: true }),
    late: computed(boolean({ nullable: true }), ({ row, now }) => sql`${row.due} < ${now}`),
  },
  pagination: pageNumber({ pageSize: 5 }),
})
const converted = resource('converted', {
  table: 'items',
  actions: ['list', 'retrieve'],
  fields: {
    id: key(),
    double: computed(number(), ({ row }) => sql`cast(${row.price} as double precision) * 2`),
    total: computed(decimal({ maxDigits: 10, decimalPlaces: 2 }), ({ row }) => sql`${row.price} + ${row.price}`),
    nothing: computed(decimal({ maxDigits: 10, decimalPlaces: 2, nullable: true }), ({ dialect }) =>
      dialect.name === 'sqlite' ? sql`null` : sql`cast(null as numeric)`,
    ),
    flag: computed(boolean(), ({ row }) => sql`${row.price} > 5`),
    same_due: computed(dateTime({ nullable: true }), ({ row }) => sql`${row.due}`),
    span: computed(duration(), () => sql`90000000 + 1`),
    count: computed(integer(), ({ row }) => sql`(select count(*) from favourites where item_id = ${row.id})`),
    parts: computed(json(), ({ dialect }) => dialect.array(sql`select 1 as value`)),
    name: computed(text(), ({ row }) => sql`${row.title} || '!'`),
  },
  pagination: null,
})
const resources = [
  items,
  streamed,
  byCursor,
  short,
  hooked,
  lists,
  placed,
  shelves,
  greetings,
  greeted,
  teams,
  wrong,
  wrongRows,
  late,
  converted,
]

for (const database of ['sqlite', 'postgres'] as const)
  suite(database, () => {
    let api: TestApi<Member>
    const log: string[] = []
    before(async () => {
      api = await testApi<Member>(
        ({ clock }) => ({
          resources,
          permissions: [allowAny],
          migrations,
          anonymous: { user: nobody, auth: null },
          secret: 'x'.repeat(40),
          clock,
        }),
        {
          database,
          clock: '2026-03-01T00:00:00Z',
          fastify: { logger: { stream: { write: line => void log.push(line) } } },
        },
      )
      await api.database.transaction(async ({ kysely }) => {
        const owners = [ann.id, bob.id, null]
        for (const [index, owner_id] of owners.entries())
          await kysely
            .insertInto('lists')
            .values({ name: `list ${index}`, owner_id })
            .execute()
        for (const [title, list_id] of [
          ['tea', 1],
          ['jam', 2],
          ['oats', 3],
        ] as const)
          await kysely
            .insertInto('items')
            .values({ title, list_id, price: 3, due: '2026-03-01T00:00:10.000000Z' })
            .execute()
        const pairs = [
          { item_id: 1, user_id: 1 },
          { item_id: 2, user_id: 2 },
          { item_id: 3, user_id: 1 },
        ]
        await kysely.insertInto('favourites').values(pairs).execute()
      })
    })
    after(() => api?.close())

    /** Requests a path as this caller; the response must take one statement, or none if it is cached. */
    const read = async (caller: Member | undefined, path: string) => {
      const client: TestClient = caller === undefined ? api : api.as(caller)
      let body: unknown
      const statements = await api.statements(async () => {
        body = (await client.get(path).expect(200)).json()
      })
      assert.ok(statements.length <= 1, statements.join('\n'))
      return body as never
    }
    const favourites = (body: readonly { readonly favourite: boolean }[]) => body.map(({ favourite: value }) => value)

    for (const [path, pick] of [
      ['/streamed/', (body: never) => body],
      ['/items/', ({ results }: { readonly results: never }) => results],
      ['/by-cursor/', ({ results }: { readonly results: never }) => results],
    ] as const)
      test(`each caller sees their own values in ${path}, however often it is requested`, async () => {
        for (const round of [1, 2]) {
          const shown = async (caller: Member | undefined) =>
            favourites(pick((await read(caller, path)) as never)).slice(0, 2)
          assert.deepEqual(await shown(ann), [true, false], `round ${round}`)
          assert.deepEqual(await shown(bob), [false, true], `round ${round}`)
          assert.deepEqual(await shown(undefined), [false, false], `round ${round}`)
        }
      })

    test('concurrent requests of several callers each get their own values', async () => {
      const callers = Array.from({ length: 12 }, (_, index) => [ann, bob, sue][index % 3]!)
      const bodies = await Promise.all(
        callers.map(async caller => (await api.as(caller).get('/streamed/').expect(200).json()) as Item[]),
      )
      for (const [index, body] of bodies.entries())
        assert.deepEqual(
          favourites(body),
          [
            [true, false, true],
            [false, true, false],
            [false, false, false],
          ][index % 3],
        )
    })

    test('an object shows the values of its caller, in one statement', async () => {
      const { length } = await api.statements(() => api.as(ann).get('/items/1/').expect(200))
      assert.equal(length, 1)
      assert.deepEqual(await read(ann, '/items/1/'), { id: 1, title: 'tea', favourite: true })
      assert.deepEqual(await read(bob, '/items/1/'), { id: 1, title: 'tea', favourite: false })
    })

    for (const name of ['items', 'hooked'])
      test(`the responses to writes and to views contain the values of their caller: ${name}`, async () => {
        const created = (await api.as(ann).post(`/${name}/`, { title: 'rye' }).expect(201).json()) as Item
        assert.equal(created.favourite, false)
        await api.database.transaction(({ kysely }) =>
          kysely.insertInto('favourites').values({ item_id: created.id, user_id: 1 }).execute(),
        )
        const path = `/${name}/${created.id}/`
        const changed = { id: created.id, title: 'malt', favourite: true }
        assert.deepEqual((await api.as(ann).patch(path, { title: 'malt' }).expect(200)).json(), changed)
        assert.equal(((await api.as(bob).put(path, { title: 'malt' }).expect(200).json()) as Item).favourite, false)
        if (name === 'items')
          for (const [caller, expected] of [
            [ann, true],
            [bob, false],
          ] as const)
            assert.equal(((await api.as(caller).post(`${path}touch/`).expect(200).json()) as Item).favourite, expected)
        await api.as(ann).delete(path).expect(204)
      })

    test('nested objects at every level contain the values of their caller', async () => {
      type Placed = { readonly list: number | null; readonly list_in_full: { readonly is_mine: boolean } | null }
      const shown = async (caller: Member | undefined) =>
        ((await read(caller, '/placed/')) as Placed[]).map(({ list, list_in_full }) => [list, list_in_full?.is_mine])
      assert.deepEqual(await shown(ann), [
        [1, true],
        [null, undefined],
        [3, false],
      ])
      assert.deepEqual(await shown(bob), [
        [null, undefined],
        [2, true],
        [3, false],
      ])
      assert.deepEqual(await shown(undefined), [
        [null, undefined],
        [null, undefined],
        [3, false],
      ])
      const shelfItems = async (caller: Member) =>
        ((await read(caller, '/shelves/')) as { readonly items: never }[]).map(shelf => favourites(shelf.items))
      assert.deepEqual(await shelfItems(ann), [[true], [false], [true]])
      assert.deepEqual(await shelfItems(bob), [[false], [true], [false]])
    })

    test('the text of a related object may contain values of the caller', async () => {
      for (const caller of [ann, bob, ann]) {
        const texts = ((await read(caller, '/greeted/')) as { list: string | null }[]).map(({ list }) => list)
        assert.ok(texts.includes(`list 0 for ${caller.username}`), texts.join())
      }
    })

    test('a rowFilter hides rows in lists, objects, relations and bodies', async () => {
      const names = async (caller: Member | undefined) =>
        ((await read(caller, '/lists/')) as { readonly name: string }[]).map(({ name }) => name)
      assert.deepEqual(await names(ann), ['list 0', 'list 2'])
      assert.deepEqual(await names(bob), ['list 1', 'list 2'])
      assert.deepEqual(await names(undefined), ['list 2'])
      await api.as(bob).get('/lists/1/').expect(404)
      const refused = (await api.as(bob).patch('/placed/1/', { list: 1 }).expect(400)).json()
      assert.deepEqual(refused, { list: ['Invalid pk "1" - object does not exist.'] })
    })

    test('a list whose fields do not use the caller is cached for all callers', async () => {
      await api.as(ann).get('/short/').expect(200)
      assert.deepEqual(await read(bob, '/short/'), [
        { id: 1, title: 'tea' },
        { id: 2, title: 'jam' },
        { id: 3, title: 'oats' },
      ])
      const again = await api.statements(() => api.as(sue).get('/short/').expect(200))
      // PostgreSQL reports its version only in a statement, so its pages are not cached.
      assert.equal(again.length, database === 'sqlite' ? 0 : 1)
      const own = await api.statements(() => api.as(sue).get('/short/1/').expect(200))
      assert.equal(own.length, 1)
    })

    test('properties of an own user type are texts, booleans, or null if they are undefined', async () => {
      const [first] = (await read(ann, '/teams/')) as unknown[]
      assert.deepEqual(first, { id: 1, team: 'red', staff: false })
      assert.deepEqual(await read(sue, '/teams/1/'), { id: 1, team: null, staff: true })
      assert.deepEqual(await read(undefined, '/teams/1/'), { id: 1, team: null, staff: false })
    })

    test('a property that SQL cannot take is an error that names the field and the property', async () => {
      for (const [path, owner] of [
        ['/wrong/', 'resource "wrong": field "roles"'],
        ['/wrong-rows/', 'rowFilter()'],
      ] as const) {
        log.length = 0
        await api.as(ann).get(path).expect(500)
        const message = `${owner}: caller.roles is an array, which SQL cannot take: use a property that is a string, a number, a boolean or null`
        assert.ok(
          log.some(line => line.includes(JSON.stringify(message).slice(1, -1))),
          log.join(''),
        )
      }
    })

    test('a value that depends on the time of the request is not cached', async () => {
      const isLate = async () => ((await read(ann, '/late/')) as { results: { late: boolean }[] }).results[0]?.late
      assert.equal(await isLate(), false)
      api.clock.advance({ seconds: 11 })
      assert.equal(await isLate(), true)
      const created = (await api.as(ann).post('/hooked/', { title: 'x' }).expect(201).json()) as Item
      const due = '2020-01-01T00:00:00Z'
      const patched = await api.as(ann).patch(`/late/${created.id}/`, { due }).expect(200).json()
      assert.equal((patched as { readonly late: boolean }).late, true)
      await api.as(ann).delete(`/items/${created.id}/`).expect(204)
    })

    test('the field of a computed value converts it to the same JSON on both databases', async () => {
      assert.deepEqual(await read(undefined, '/converted/1/'), {
        id: 1,
        double: 6,
        total: '6.00',
        nothing: null,
        flag: false,
        same_due: '2026-03-01T00:00:10.000000Z',
        span: '00:01:30.000001',
        count: 1,
        parts: [1],
        name: 'tea!',
      })
    })

    test('the statement looks up one favourite by the index, however many there are', async () => {
      await api.database.transaction(async ({ kysely }) => {
        const values = sql.join(Array.from({ length: 10_000 }, (_, index) => sql`(1, ${sql.lit(index + 100)})`))
        await sql`insert into favourites (item_id, user_id) values ${values}`.execute(kysely)
        await sql`analyze`.execute(kysely)
      })
      const [statement] = await api.statements(() => api.as(sue).get('/streamed/').expect(200))
      const plan = await explain(api, statement!)
      if (database === 'sqlite') {
        assert.match(
          plan,
          /SEARCH favourites USING (?:COVERING INDEX|PRIMARY KEY|INDEX) .*\(item_id=\? AND user_id=\?\)/,
        )
        assert.doesNotMatch(plan, /SCAN favourites/)
      } else {
        assert.match(plan, /Index Cond: \(\(item_id = items\.id\) AND \(user_id = /)
        assert.doesNotMatch(plan, /Seq Scan on favourites|hashed SubPlan/)
      }
      assert.deepEqual(favourites(await read(ann, '/streamed/')), [true, false, true])
    })
  })

interface Item {
  readonly id: number
  readonly favourite: boolean
}

/** The plan of a statement that the API ran, as text. */
async function explain({ database }: TestApi<Member>, statement: string): Promise<string> {
  const isSqlite = database.dialect.name === 'sqlite'
  // The plan is that of any values: PostgreSQL replaces the parameters by unknown ones.
  const text = isSqlite ? `explain query plan ${statement}` : `explain (generic_plan) ${statement}`
  const { rows } = await sql.raw<Record<string, unknown>>(text).execute(database.kysely)
  return rows.map(row => String(isSqlite ? row.detail : row['QUERY PLAN'])).join('\n')
}
