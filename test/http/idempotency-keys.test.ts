// Idempotency-Key: a repeated create, or a repeated request of a view that asks for it, takes effect once.

import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { sql } from 'kysely'
import {
  createApi,
  idempotencyMigrations,
  key,
  listView,
  migrate,
  objectView,
  openDatabase,
  related,
  resource,
  text,
} from 'resource-api'
import type { AuditEvent } from 'resource-api/accounts'
import { success } from 'resource-api/extend'
import { createAudit } from '../../src/accounts/audit/audit.ts'
import { withBuiltPackage } from '../support/built-program.ts'
import { authors, libraryMigrations } from '../support/library.ts'
import { onEachDatabase, people, startApi, userScheme } from '../support/own-api.ts'
import { repetitions } from '../support/repetitions.ts'
import { createDatabase } from '../support/service.ts'

/** What happens in the transaction of a create. */
let beforeCreate: (() => Promise<unknown>) | undefined
let isReservable = true
let now = new Date('2026-01-01T00:00:00Z')
let events: AuditEvent[] = []
const audit = createAudit(event => events.push(event))

const tags = resource('tags', {
  table: 'tags',
  fields: { id: key(), name: text() },
  async beforeSave() {
    await beforeCreate?.()
  },
  listViews: {
    copy: listView({
      idempotent: true,
      body: { name: text() },
      handlers: {
        async POST({ database, body: { name }, represent }) {
          const { id } = await database.transaction(({ kysely }) =>
            kysely.insertInto('tags').values({ name }).returning('id').executeTakeFirstOrThrow(),
          )
          return { status: 201, headers: { 'x-copy': 'yes' }, body: await represent(id as number) }
        },
        GET: () => ({ status: 200, body: { time: Math.random() } }),
      },
    }),
  },
  objectViews: {
    rename: objectView({
      idempotent: true,
      handlers: {
        async POST({ database, key: id }) {
          await database.transaction(({ kysely }) =>
            kysely
              .updateTable('tags')
              .set(({ eb }) => ({ name: eb('name', '||', '!') }))
              .where('id', '=', id)
              .execute(),
          )
          return { status: 204 }
        },
      },
    }),
    reserve: objectView({
      idempotent: true,
      handlers: {
        async POST({ database, key: id }) {
          await database.transaction(({ kysely }) =>
            kysely.updateTable('tags').set({ name: 'reserved' }).where('id', '=', id).execute(),
          )
          return isReservable ? { status: 204 } : { status: 409, body: { detail: 'Try again later.' } }
        },
      },
    }),
  },
})

let wrongResponses = 0

/** Its responses hold secrets. */
const secrets = resource('secrets', { table: 'tags', noStore: true, fields: { id: key(), name: text() } })

/** A row filter hides some objects from those who have created them. */
const vouchers = resource('vouchers', {
  table: 'tags',
  permissions: [{ filter: { where: ({ column }) => sql`${column('name')} not like 'hidden%'`, values: () => ({}) } }],
  fields: { id: key(), name: text() },
  listViews: {
    wrong: listView({
      idempotent: true,
      handlers: {
        POST: () => {
          wrongResponses += 1
          return { status: 999 }
        },
      },
    }),
  },
})

const books = resource('books', {
  table: 'books',
  actions: ['list', 'create'],
  nestedUnder: [{ parent: authors, column: 'author_id' }],
  fields: { id: key(), title: text() },
  hookColumns: ['author_id', 'subtitle', 'genre', 'contact', 'in_print', 'pages'],
  prepare: () => ({ subtitle: '', genre: '', contact: '', in_print: true, pages: 1 }),
})

onEachDatabase(
  () => ({
    authentication: [userScheme],
    resources: [tags, authors, books, secrets, vouchers],
    idempotencyKeys: true,
    clock: () => now,
    observe: audit.observe,
  }),
  api => {
    let count = 0
    const newName = () => `tag ${++count}`
    const send = (path: string, json: object | undefined, idempotencyKey: string, headers = {}) =>
      api().client.post(path, { ...(json && { json }), headers: { 'idempotency-key': idempotencyKey, ...headers } })
    const countTags = async (name: string) => (await api().rows('tags')).filter(tag => tag.name === name).length

    test('a repeated create is one audit event', async () => {
      const name = newName()
      events = []
      for (let count = 0; count < 3; count++) await send('/tags/', { name }, 'audited')
      assert.deepEqual(
        events.map(({ event, target }) => [event, target]),
        [['object created', 'POST /tags/']],
      )
    })

    test('a repeated create has one row, and the same response byte for byte', async () => {
      const name = newName()
      const [first, second, other] = [
        await send('/tags/', { name }, 'a'),
        await send('/tags/', { name }, 'a'),
        await send('/tags/', { name: newName() }, 'b'),
      ]
      assert.equal(first.status, 201)
      assert.deepEqual([second.status, second.text], [first.status, first.text])
      for (const field of ['location', 'etag', 'content-type'])
        assert.equal(second.headers[field], first.headers[field])
      assert.equal(await countTags(name), 1)
      assert.notEqual(other.text, first.text)
    })

    test('the same key with another body is 422, and belongs to its caller, method and URL', async () => {
      const name = newName()
      const first = await send('/tags/', { name }, 'c')
      const refused = await send('/tags/', { name: newName() }, 'c')
      assert.equal(refused.status, 422)
      assert.deepEqual(refused.json(), { detail: 'This Idempotency-Key was used with another request body.' })
      const byAnn = await send('/tags/', { name: newName() }, 'c', { 'x-user': 'ann' })
      assert.deepEqual([byAnn.status, byAnn.text === first.text], [201, false])
      const byBob = await send('/tags/', { name: newName() }, 'c', { 'x-user': 'bob' })
      assert.deepEqual([byBob.status, byBob.text === byAnn.text], [201, false])
      assert.equal((await send('/tags/?a=1', { name: newName() }, 'c')).status, 201)
    })

    test('a body is the same if its values are, whatever the order of its members or fields', async () => {
      const name = newName()
      const post = async (body: string, type: string, idempotencyKey: string) => {
        const headers = { 'content-type': type, 'idempotency-key': idempotencyKey }
        return (await api().client.post('/tags/', { headers, body })).status
      }
      const json = (body: string) => post(body, 'application/json', 'order')
      assert.equal(await json(`{"name":"${name}","more":{"a":[1,2],"b":9007199254740993}}`), 201)
      assert.equal(await json(` {"more":{"b":9007199254740993, "a":[1.0,2e0]}, "name":"${name}"}`), 201)
      for (const [a, b] of [
        ['[2,1]', '9007199254740993'],
        ['[1,2]', '9007199254740992'],
        ['[1,2]', '"9007199254740993"'],
        ['[1.1,2]', '9007199254740993'],
      ])
        assert.equal(await json(`{"name":"${name}","more":{"a":${a},"b":${b}}}`), 422, `${a} ${b}`)
      assert.equal(await json(`{"name":"${name}","b":9007199254740993,"more":{"a":[1,2]}}`), 422)

      const form = (body: URLSearchParams) => post(String(body), 'application/x-www-form-urlencoded', 'order of a form')
      const other = newName()
      const named: [string, string] = ['name', other]
      assert.equal(await form(new URLSearchParams([named, ['a', '1'], ['a', '2']])), 201)
      assert.equal(await form(new URLSearchParams([['a', '1'], named, ['a', '2']])), 201)
      assert.equal(await form(new URLSearchParams([named, ['a', '2'], ['a', '1']])), 422)
      assert.equal(
        await post(JSON.stringify({ name: other, a: ['1', '2'] }), 'application/json', 'order of a form'),
        422,
      )
      assert.deepEqual([await countTags(name), await countTags(other)], [1, 1])
    })

    test('while the first request runs, a repeated one is 409', async () => {
      const name = newName()
      const { promise: entered, resolve: enter } = Promise.withResolvers<void>()
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      beforeCreate = () => {
        beforeCreate = undefined
        enter()
        return released
      }
      const first = send('/tags/', { name }, 'd')
      await entered
      const refused = await send('/tags/', { name }, 'd')
      const other = await send('/tags/', { name: newName() }, 'd')
      release()
      assert.equal(other.status, 409)
      assert.deepEqual(
        [refused.status, refused.json()],
        [409, { detail: 'A request with this Idempotency-Key is still running. Try again later.' }],
      )
      assert.equal(refused.headers['retry-after'], '1')
      assert.equal((await first).status, 201)
      assert.equal((await send('/tags/', { name }, 'd')).text, (await first).text)
      assert.equal(await countTags(name), 1)
    })

    test('twenty requests at once in two processes have one row', async () => {
      const other = openDatabase(api().url)
      const { client, stop } = await startApi({
        database: other,
        authentication: [userScheme],
        resources: [tags],
        idempotencyKeys: true,
        clock: () => now,
      })
      const name = newName()
      const headers = { 'idempotency-key': 'e' }
      const responses = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (index % 2 === 0 ? client : api().client).post('/tags/', { json: { name }, headers }),
        ),
      )
      const statuses = new Set(responses.map(({ status }) => status))
      assert.ok(statuses.has(201) && statuses.isSubsetOf(new Set([201, 409])), [...statuses].join())
      const bodies = new Set(responses.filter(({ status }) => status === 201).map(response => response.text))
      assert.deepEqual([bodies.size, await countTags(name)], [1, 1])
      await stop()
      await other.close()
    })

    test('a failed request stores nothing, so the repeated one is tried again', async () => {
      const name = newName()
      assert.equal((await send('/tags/', { name: '' }, 'f')).status, 400)
      assert.equal((await send('/tags/', { name }, 'f')).status, 201)
      beforeCreate = async () => {
        beforeCreate = undefined
        throw new Error('a bug')
      }
      const next = newName()
      assert.equal((await send('/tags/', { name: next }, 'g')).status, 500)
      assert.equal((await send('/tags/', { name: next }, 'g')).status, 201)
      assert.equal(await countTags(next), 1)
    })

    test('a failure that a handler returns writes and stores nothing', async () => {
      const [id] = await api().insert('tags', [{ name: newName() }])
      isReservable = false
      const failed = await send(`/tags/${id}/reserve/`, undefined, 'm')
      assert.deepEqual([failed.status, failed.json()], [409, { detail: 'Try again later.' }])
      assert.equal(await countTags('reserved'), 0)
      isReservable = true
      assert.equal((await send(`/tags/${id}/reserve/`, undefined, 'm')).status, 204)
      assert.equal(await countTags('reserved'), 1)
    })

    test('a repeated create whose object is hidden by then gets its response', async () => {
      const first = await send('/vouchers/', { name: 'hidden voucher' }, 'n')
      const second = await send('/vouchers/', { name: 'hidden voucher' }, 'n')
      assert.deepEqual([first.status, second.status, second.text], [201, 201, first.text])
      assert.equal((await api().client.get(`/vouchers/${first.json().id}/`)).status, 404)
    })

    test('a create of a resource with noStore ignores the key, and stores nothing', async () => {
      const stored = async () =>
        (await api().database.kysely.selectFrom('idempotent_responses').select('key').execute()).length
      const before = await stored()
      const first = await send('/secrets/', { name: newName() }, 'o')
      const second = await send('/secrets/', { name: newName() }, 'o')
      assert.deepEqual([first.status, second.status, await stored()], [201, 201, before])
      assert.notEqual(first.text, second.text)
    })

    test('a response that cannot be sent is not stored', async () => {
      wrongResponses = 0
      assert.equal((await send('/vouchers/wrong/', undefined, 'p')).status, 500)
      assert.equal((await send('/vouchers/wrong/', undefined, 'p')).status, 500)
      assert.equal(wrongResponses, 2)
    })

    test('the id of a caller may be a bigint', async () => {
      const { client, stop } = await startApi({
        database: api().database,
        authentication: [{ ...userScheme, authenticate: () => success({ ...people.ann, id: 1n as never }, undefined) }],
        resources: [tags],
        idempotencyKeys: true,
        clock: () => now,
      })
      const create = () => client.post('/tags/', { json: { name: 'big' }, headers: { 'idempotency-key': 'q' } })
      const [first, second] = [await create(), await create()]
      assert.deepEqual([first.status, second.text], [201, first.text])
      await stop()
    })

    test('a stored response expires after a day', async () => {
      const name = newName()
      const first = await send('/tags/', { name }, 'h')
      now = new Date(now.getTime() + 24 * 60 * 60 * 1000 - 1)
      assert.equal((await send('/tags/', { name }, 'h')).text, first.text)
      now = new Date(now.getTime() + 1)
      const later = await send('/tags/', { name: newName() }, 'h')
      assert.deepEqual([later.status, later.text === first.text], [201, false])
    })

    test('a key of no or more than 255 characters is 400', async () => {
      for (const given of ['', 'x'.repeat(256), 'x'.repeat(10_000)]) {
        const refused = await send('/tags/', { name: newName() }, given)
        assert.deepEqual(
          [refused.status, refused.json()],
          [400, { detail: 'The Idempotency-Key must have 1 to 255 characters.' }],
        )
      }
      assert.equal((await send('/tags/', { name: newName() }, 'x'.repeat(255))).status, 201)
    })

    test('two header fields with a key are 400, and nothing is written', async () => {
      const name = newName()
      const headers = { 'idempotency-key': ['two-1', 'two-2'] }
      const refused = await api().client.post('/tags/', { json: { name }, headers })
      assert.deepEqual(
        [refused.status, refused.json()],
        [400, { detail: 'A request must not have more than one Idempotency-Key.' }],
      )
      assert.equal((await api().rows('tags')).filter(row => row.name === name).length, 0)
    })

    test('a repeated create gets the stored response, whatever it prefers', async () => {
      const minimal = { prefer: 'return=minimal' }
      for (const [key, first, second] of [
        ['prefer-1', {}, minimal],
        ['prefer-2', minimal, {}],
      ] as const) {
        const name = newName()
        const created = await send('/tags/', { name }, key, first)
        const repeated = await send('/tags/', { name }, key, second)
        assert.deepEqual([repeated.status, repeated.text], [201, created.text])
        assert.equal(repeated.headers['preference-applied'], created.headers['preference-applied'])
      }
    })

    test('creates below a parent object have one row too', async () => {
      const [id] = await api().insert('authors', [{ name: 'Jane' }])
      const first = await send(`/authors/${id}/books/`, { title: 'Emma' }, 'i')
      const second = await send(`/authors/${id}/books/`, { title: 'Emma' }, 'i')
      assert.deepEqual([first.status, second.text], [201, first.text])
      assert.equal((await api().rows('books')).filter(book => book.author_id === id).length, 1)
    })

    test('a view with idempotent: true takes effect once; its GET is not stored', async () => {
      const name = newName()
      const first = await send('/tags/copy/', { name }, 'j')
      const second = await send('/tags/copy/', { name }, 'j')
      assert.deepEqual([first.status, second.status, second.text], [201, 201, first.text])
      assert.equal(second.headers['x-copy'], 'yes')
      assert.equal(await countTags(name), 1)
      const { id } = first.json()
      for (let repeat = 0; repeat < 3; repeat++)
        assert.equal((await send(`/tags/${id}/rename/`, undefined, 'k')).status, 204)
      assert.equal(await countTags(`${name}!`), 1)
      assert.equal((await send(`/tags/${id}/rename/`, undefined, 'l')).status, 204)
      assert.equal(await countTags(`${name}!!`), 1)
      const headers = { 'idempotency-key': 'j' }
      const [one, two] = [
        await api().client.get('/tags/copy/', { headers }),
        await api().client.get('/tags/copy/', { headers }),
      ]
      assert.notEqual(one.text, two.text)
    })

    const program = new URL('../support/crashing-api.ts', import.meta.url)

    const startProcess = async () => {
      const child = fork(program, [api().url], withBuiltPackage)
      const exited = once(child, 'exit')
      const failed = exited.then(([code]) => assert.fail(`the process ended with ${code} before it listened`))
      const [origin] = (await Promise.race([once(child, 'message'), failed])) as [string]
      return {
        exited,
        post: (name: string, headers = {}) =>
          fetch(`${origin}/tags/`, {
            method: 'POST',
            body: JSON.stringify({ name }),
            headers: { 'content-type': 'application/json', 'idempotency-key': `kill ${name}`, ...headers },
          }),
        kill: () => child.kill('SIGKILL'),
      }
    }

    /** Kills `victim` during a create, and repeats the request at the process that `replace` returns. */
    const crashAndRepeat = async (
      victim: Awaited<ReturnType<typeof startProcess>>,
      moment: 'inside' | 'after',
      replace: () => ReturnType<typeof startProcess>,
    ) => {
      const name = newName()
      await assert.rejects(victim.post(name, { 'x-crash': moment }))
      await victim.exited
      assert.equal(await countTags(name), moment === 'inside' ? 0 : 1)
      const other = await replace()
      let second = await other.post(name)
      // PostgreSQL may not have noticed yet that the connection is closed.
      for (let tries = 0; second.status === 409 && tries < 100; tries++) second = await other.post(name)
      const third = await other.post(name)
      const [text, again] = [await second.text(), await third.text()]
      assert.deepEqual([second.status, again], [201, text])
      const rows = (await api().rows('tags')).filter(tag => tag.name === name)
      assert.deepEqual(
        rows.map(row => ({ ...row })),
        [JSON.parse(text)],
      )
      return other
    }
    const momentOf = (round: number) => (round % 4 === 0 ? 'inside' : 'after')

    test('kill -9 of a create, again and again: the repeated request has one row and one response', async () => {
      let running = await startProcess()
      try {
        for (let round = 0; round < repetitions({ usual: 1, thorough: 20 }); round++)
          running = await crashAndRepeat(running, momentOf(round), async () => {
            running = await startProcess()
            return running
          })
      } finally {
        running.kill()
      }
    })

    test('kill -9 of one of two processes: the other one repeats its response', async () => {
      let running = [await startProcess(), await startProcess()] as const
      try {
        for (let round = 0; round < repetitions({ usual: 1, thorough: 4 }); round++) {
          const [victim, other] = running
          await crashAndRepeat(victim, momentOf(round), async () => other)
          running = [other, await startProcess()]
        }
      } finally {
        for (const { kill } of running) kill()
      }
    })
  },
  { owners: [idempotencyMigrations] },
)

test('without idempotencyKeys, an idempotent view is refused at start', () => {
  const declared = resource('tags', {
    table: 'tags',
    fields: { id: key() },
    listViews: { copy: { idempotent: true, handlers: { POST: () => ({ status: 204 }) } } },
  })
  const database = openDatabase('sqlite::memory:')
  assert.throws(
    () => createApi({ database, resources: [declared] }),
    /view "copy" of resource "tags" is idempotent: set idempotencyKeys: true, and apply idempotencyMigrations/,
  )
  assert.throws(
    () => createApi({ idempotencyKeys: true }),
    /idempotencyKeys stores responses: give the option "database"/,
  )
})

test('an idempotent view of a resource with noStore is refused at start', () => {
  const declared = resource('tokens', {
    table: 'tags',
    noStore: true,
    fields: { id: key() },
    listViews: { copy: { idempotent: true, handlers: { POST: () => ({ status: 204 }) } } },
  })
  const database = openDatabase('sqlite::memory:')
  for (const idempotencyKeys of [true, false])
    assert.throws(
      () => createApi({ database, idempotencyKeys, resources: [declared] }),
      /view "copy" of resource "tokens" is idempotent: noStore: true forbids to store its responses: remove one of them/,
    )
})

test('without the migrations, the start fails', async () => {
  const database = openDatabase('sqlite::memory:')
  const { app, stop } = await startApi({ database, idempotencyKeys: true }, {})
  await assert.rejects(async () => app.ready(), /the database lacks the migrations idempotency\/0001_responses/)
  await stop()
})

test('row filters that query the database do not wait for the connection of the transaction', async context => {
  const storage = await createDatabase()
  const database = openDatabase(storage.url, { postgres: { poolSize: 1 } })
  await migrate(database, [{ owner: 'library', steps: libraryMigrations }, idempotencyMigrations])
  const writers = resource('writers', {
    table: 'authors',
    fields: { id: key(), name: text() },
    permissions: [
      {
        filter: {
          where: ({ column, value }) => sql`${column('name')} <> ${value('hidden')}`,
          async values() {
            const { rows } = await sql<{ readonly name: string }>`select 'Ann' as name`.execute(database.kysely)
            return { hidden: rows[0]!.name }
          },
        },
      },
    ],
  })
  const novels = resource('novels', {
    table: 'books',
    actions: ['list', 'create'],
    fields: { id: key(), title: text(), author: related(writers, { column: 'author_id' }) },
    hookColumns: ['subtitle', 'genre', 'contact', 'in_print', 'pages'],
    prepare: () => ({ subtitle: '', genre: '', contact: '', in_print: true, pages: 1 }),
    nestedUnder: [{ parent: writers, field: 'author' }],
  })
  const { client, stop } = await startApi({ database, resources: [writers, novels], idempotencyKeys: true })
  context.after(async () => {
    await stop()
    await database.close()
    await storage.remove()
  })
  const { id: author } = (await client.post('/writers/', { json: { name: 'Jane' } })).json()
  for (const path of ['/novels/', `/writers/${author}/novels/`]) {
    const json = { title: 'Emma', author }
    const created = await client.post(path, { json, headers: { 'idempotency-key': 'a' } })
    assert.deepEqual([created.status, created.json().author], [201, author], path)
  }
})
