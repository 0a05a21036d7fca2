// The count of a paginated list is exact whichever connection writes, and is cached until the database changes.

import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { sql } from 'kysely'
import { type Database, key, limitOffset, linkHeader, openDatabase, pageNumber, resource, text } from 'resource-api'
import { compile } from '#core'
import { bookRow } from '../support/library.ts'
import { asUser, onEachDatabase, people, userScheme } from '../support/own-api.ts'

const fields = { id: key(), title: text() }
const hookColumns = ['subtitle', 'contact', 'genre', 'in_print', 'pages', 'owner_id'] as const
const prepare = ({ user }: { user: { id: number | string | null } }) => ({
  subtitle: '',
  contact: '',
  genre: '',
  in_print: true,
  pages: 1,
  owner_id: user.id,
})

const allBooks = resource('all', {
  table: 'books',
  fields,
  hookColumns,
  prepare,
  pagination: pageNumber({ pageSize: 2 }),
})

const ownBooks = resource('own', {
  ...allBooks,
  ordering: [],
  pagination: limitOffset({ defaultLimit: 2 }),
  permissions: [
    {
      filter: {
        where: ({ column, value }) => sql`${column('owner_id')} = ${value('caller')}`,
        values: ({ user }) => ({ caller: user.id }),
      },
    },
  ],
})

/** A random filter: a different count shows that the query ran again. Quotes hide `random` from the volatility check. */
const randomList = (database: Database) =>
  resource('by-chance', {
    table: 'books',
    fields: { id: key() },
    actions: ['list'],
    pagination: linkHeader({ pageSize: 1, pageSizeQueryParam: 'size' }),
    permissions: [
      {
        filter: {
          where: () => (database.dialect.name === 'sqlite' ? sql`abs("random"()) % 2 = 0` : sql`"random"() < 0.5`),
          values: () => ({}),
        },
      },
    ],
  })

/** An open transaction of another connection. */
interface OpenTransaction {
  end(outcome: 'commit' | 'rollback'): Promise<void>
}

async function openTransaction(
  database: Database,
  work: (kysely: Database['kysely']) => Promise<unknown>,
): Promise<OpenTransaction> {
  const [started, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<'commit' | 'rollback'>()]
  const rolledBack = new Error('rolled back')
  const transaction = database.transaction(async ({ kysely }) => {
    await work(kysely)
    started.resolve()
    if ((await ended.promise) === 'rollback') throw rolledBack
  })
  transaction.catch(started.reject)
  await started.promise
  return {
    async end(outcome) {
      ended.resolve(outcome)
      await transaction.catch(error => {
        if (error !== rolledBack) throw error
      })
    },
  }
}

const steps = fc.array(
  fc.record({
    action: fc.constantFrom(
      'post',
      'delete',
      'insertHere',
      'insertElsewhere',
      'deleteElsewhere',
      'changeOwner',
      'open',
      'commit',
      'rollback',
      'nothing',
    ),
    owner: fc.constantFrom('ann' as const, 'bob' as const),
  }),
  { minLength: 5, maxLength: 25 },
)

onEachDatabase(
  database => ({ authentication: [userScheme], resources: [allBooks, ownBooks, randomList(database)] }),
  api => {
    let otherDatabase: Database
    let open: OpenTransaction | undefined

    before(() => {
      otherDatabase = openDatabase(api().url)
    })
    after(async () => {
      await end('rollback')
      await otherDatabase?.close()
    })
    beforeEach(() => api().database.transaction(({ kysely }) => kysely.deleteFrom('books').execute()))

    const insert = (kysely: Database['kysely'], owner: keyof typeof people) =>
      kysely
        .insertInto('books')
        .values({ ...bookRow, owner_id: people[owner].id })
        .execute()
    const findNewest = (kysely: Database['kysely']) =>
      kysely.selectFrom('books').select(sql<number | null>`max(id)`.as('id')).executeTakeFirstOrThrow()
    const removeNewest = async (kysely: Database['kysely']) => {
      const { id } = await findNewest(kysely)
      await kysely
        .deleteFrom('books')
        .where('id', '=', id ?? 0)
        .execute()
    }

    const actions = {
      nothing: async () => undefined,
      post: owner => api().client.post('/all/', { ...asUser(owner), json: { title: 'A' } }),
      delete: async () => api().client.delete(`/all/${(await findNewest(api().database.kysely)).id ?? 1}/`),
      insertHere: owner => api().database.transaction(({ kysely }) => insert(kysely, owner)),
      insertElsewhere: owner => otherDatabase.transaction(({ kysely }) => insert(kysely, owner)),
      deleteElsewhere: () => otherDatabase.transaction(({ kysely }) => removeNewest(kysely)),
      changeOwner: owner =>
        otherDatabase.transaction(({ kysely }) =>
          kysely.updateTable('books').set({ owner_id: people[owner].id }).execute(),
        ),
      async open(owner) {
        open ??= await openTransaction(otherDatabase, kysely => insert(kysely, owner))
      },
      commit: () => end('commit'),
      rollback: () => end('rollback'),
    } satisfies Record<string, (owner: 'ann' | 'bob') => Promise<unknown>>

    async function end(outcome: 'commit' | 'rollback') {
      const ending = open
      open = undefined
      await ending?.end(outcome)
    }

    // SQLite has one writer at a time: skip the writes that would wait for the open transaction.
    const isPossible = (action: keyof typeof actions) =>
      open === undefined ||
      api().database.dialect.name === 'postgres' ||
      ['nothing', 'open', 'commit', 'rollback'].includes(action)

    async function countRows() {
      const { rows } = await sql<{ owner_id: number | string | null }>`select owner_id from books`.execute(
        otherDatabase.kysely,
      )
      const countOwned = (owner: keyof typeof people) =>
        rows.filter(({ owner_id }) => owner_id === people[owner].id).length
      return [rows.length, countOwned('ann'), countOwned('bob')]
    }

    async function requestCounts() {
      const { client } = api()
      const responses = [
        client.get('/all/'),
        client.get('/own/', asUser('ann')),
        client.get('/own/?offset=99', asUser('bob')),
      ]
      return Promise.all(responses.map(async response => (await response).json().count))
    }

    test('END-LIST-r1: the count is the number of committed rows, whichever connection commits them', async () => {
      const property = fc.asyncProperty(steps, async steps => {
        try {
          for (const { action, owner } of steps) {
            if (!isPossible(action)) continue
            await actions[action](owner)
            // A count may be stale until the next turn of the event loop.
            await setImmediate()
            assert.deepEqual(await requestCounts(), await countRows(), action)
          }
        } finally {
          await end('rollback')
        }
      })
      await fc.assert(property, { numRuns: 12 })
    })

    test('a count that was cached during an open transaction is refreshed when the transaction ends', async () => {
      await actions.insertHere('ann')
      for (const writer of [otherDatabase, api().database]) {
        for (const outcome of ['rollback', 'commit'] as const) {
          const rows = (await countRows())[0]!
          open = await openTransaction(writer, kysely => insert(kysely, 'bob'))
          for (let time = 0; time < 3; time++) assert.equal((await requestCounts())[0], rows)
          await end(outcome)
          await setImmediate()
          for (let time = 0; time < 3; time++)
            assert.equal((await requestCounts())[0], rows + (outcome === 'commit' ? 1 : 0))
        }
      }
    })

    /** Repeats `work` until no commit happens during it: other tests share the PostgreSQL server and its version. */
    async function whileNothingChanges<Result>(work: () => Promise<Result>): Promise<Result> {
      const { database } = api()
      const statement = compile<readonly [string]>(database, sql`select ${database.dialect.version}`)
      const version = async () => (await database.first(statement, {}))![0]
      for (let attempt = 0; attempt < 1000; attempt++) {
        const before = await version()
        const result = await work()
        if ((await version()) === before) return result
      }
      throw new Error('the database changed during every attempt')
    }

    test('a count is cached until the database changes', async () => {
      await api().insert(
        'books',
        Array.from({ length: 300 }, () => bookRow),
      )
      const count = async () => {
        const { headers } = await api().client.get('/by-chance/')
        return Number(/[?&]page=(\d+)[^>]*>; rel="last"/.exec(headers.link!)![1])
      }
      const counts = new Set<number>()
      for (let change = 0; change < 8; change++) {
        const [first, second, third] = await whileNothingChanges(async () => [
          await count(),
          await count(),
          await count(),
        ])
        assert.deepEqual([second, third], [first, first])
        counts.add(first!)
        await actions.insertElsewhere('ann')
        await setImmediate()
      }
      assert.ok(counts.size > 1, 'eight random counts of 300 rows differ')
    })

    test('concurrent requests during inserts each return a count that was valid', async () => {
      const before = (await countRows())[0]!
      const pages = Array.from({ length: 20 }, async (_, index) => {
        if (index % 2 === 0) await actions.insertElsewhere('bob')
        return (await api().client.get('/all/')).json().count as number
      })
      for (const count of await Promise.all(pages)) assert.ok(count >= before && count <= before + 10, String(count))
      await setImmediate()
      assert.equal((await requestCounts())[0], before + 10)
    })
  },
)
