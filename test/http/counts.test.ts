// The count of a paginated list is exact, whoever writes, and is not made again while nothing has changed.

import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { sql } from 'kysely'
import {
  compile,
  type Database,
  key,
  limitOffset,
  linkHeader,
  openDatabase,
  pageNumber,
  resource,
  text,
} from '../../src/framework/index.ts'
import { compileList } from '../../src/framework/resources/sql/list.ts'
import { bookRow } from '../support/library.ts'
import { as, onEachDatabase, people, userScheme } from '../support/own-api.ts'

const fields = { id: key(), title: text() }
const hookColumns = ['subtitle', 'contact', 'genre', 'in_print', 'pages', 'owner_id'] as const
const prepare = (_: unknown, { user }: { user: { id: number | null } }) => ({
  subtitle: '',
  contact: '',
  genre: '',
  in_print: true,
  pages: 1,
  owner_id: user.id,
})

const all = resource('all', { table: 'books', fields, hookColumns, prepare, pagination: pageNumber({ pageSize: 2 }) })

const own = resource('own', {
  ...all,
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

/** A condition that is decided by chance shows whether it was asked again: the name is quoted, so no check finds it. */
const byChance = (database: Database) =>
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

/** An open transaction of another connection, and how to end it. */
interface Open {
  end(outcome: 'commit' | 'rollback'): Promise<void>
}

async function openTransaction(
  database: Database,
  work: (kysely: Database['kysely']) => Promise<unknown>,
): Promise<Open> {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<'commit' | 'rollback'>()]
  const rolledBack = new Error('rolled back')
  const transaction = database.transaction(async ({ kysely }) => {
    await work(kysely)
    begun.resolve()
    if ((await ended.promise) === 'rollback') throw rolledBack
  })
  transaction.catch(begun.reject)
  await begun.promise
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
    act: fc.constantFrom(
      'post',
      'delete',
      'here',
      'elsewhere',
      'leave',
      'move',
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
  database => ({ authentication: [userScheme], resources: [all, own, byChance(database)] }),
  api => {
    let other: Database
    let open: Open | undefined

    before(() => {
      other = openDatabase(api().url)
    })
    after(async () => {
      await end('rollback')
      await other?.close()
    })
    beforeEach(() => api().database.transaction(({ kysely }) => kysely.deleteFrom('books').execute()))

    const insert = (kysely: Database['kysely'], owner: keyof typeof people) =>
      kysely
        .insertInto('books')
        .values({ ...bookRow, owner_id: people[owner].id })
        .execute()
    const newest = (kysely: Database['kysely']) =>
      kysely.selectFrom('books').select(sql<number | null>`max(id)`.as('id')).executeTakeFirstOrThrow()
    const removeNewest = async (kysely: Database['kysely']) => {
      const { id } = await newest(kysely)
      await kysely
        .deleteFrom('books')
        .where('id', '=', id ?? 0)
        .execute()
    }

    const acts = {
      nothing: async () => undefined,
      post: owner => api().client.post('/all/', { ...as(owner), json: { title: 'A' } }),
      delete: async () => api().client.delete(`/all/${(await newest(api().database.kysely)).id ?? 1}/`),
      here: owner => api().database.transaction(({ kysely }) => insert(kysely, owner)),
      elsewhere: owner => other.transaction(({ kysely }) => insert(kysely, owner)),
      leave: () => other.transaction(({ kysely }) => removeNewest(kysely)),
      move: owner =>
        other.transaction(({ kysely }) => kysely.updateTable('books').set({ owner_id: people[owner].id }).execute()),
      async open(owner) {
        open ??= await openTransaction(other, kysely => insert(kysely, owner))
      },
      commit: () => end('commit'),
      rollback: () => end('rollback'),
    } satisfies Record<string, (owner: 'ann' | 'bob') => Promise<unknown>>

    async function end(outcome: 'commit' | 'rollback') {
      const ending = open
      open = undefined
      await ending?.end(outcome)
    }

    // SQLite has one writer at a time: what would wait for the open transaction is left out.
    const isPossible = (act: keyof typeof acts) =>
      open === undefined ||
      api().database.dialect.name === 'postgres' ||
      ['nothing', 'open', 'commit', 'rollback'].includes(act)

    async function truth() {
      const { rows } = await sql<{ owner_id: number | null }>`select owner_id from books`.execute(other.kysely)
      const of = (owner: keyof typeof people) => rows.filter(({ owner_id }) => owner_id === people[owner].id).length
      return [rows.length, of('ann'), of('bob')]
    }

    async function counts() {
      const { client } = api()
      const asked = [client.get('/all/'), client.get('/own/', as('ann')), client.get('/own/?offset=99', as('bob'))]
      return Promise.all(asked.map(async response => (await response).json().count))
    }

    test('END-LIST-r1: the count is the number of rows that are committed, whoever commits them', async () => {
      const property = fc.asyncProperty(steps, async steps => {
        try {
          for (const { act, owner } of steps) {
            if (!isPossible(act)) continue
            await acts[act](owner)
            // What is read is at most as old as the event loop's turn.
            await setImmediate()
            assert.deepEqual(await counts(), await truth(), act)
          }
        } finally {
          await end('rollback')
        }
      })
      await fc.assert(property, { numRuns: 12 })
    })

    test('a count that was asked for while a transaction was open is made again when that ends', async () => {
      await acts.here('ann')
      for (const writer of [other, api().database]) {
        for (const outcome of ['rollback', 'commit'] as const) {
          const rows = (await truth())[0]!
          open = await openTransaction(writer, kysely => insert(kysely, 'bob'))
          for (let time = 0; time < 3; time++) assert.equal((await counts())[0], rows)
          await end(outcome)
          await setImmediate()
          for (let time = 0; time < 3; time++) assert.equal((await counts())[0], rows + (outcome === 'commit' ? 1 : 0))
        }
      }
    })

    /** What `work` answers in a moment in which nobody writes: other tests share the PostgreSQL server, and its version. */
    async function whileNothingChanges<Result>(work: () => Promise<Result>): Promise<Result> {
      const { database } = api()
      const statement = compile<readonly [string]>(database, sql`select ${database.dialect.version}`)
      const version = async () => (await database.first(statement, {}))![0]
      for (let attempt = 0; attempt < 1000; attempt++) {
        const before = await version()
        const result = await work()
        if ((await version()) === before) return result
      }
      throw new Error('something changes all the time')
    }

    test('a count is not made again while nothing has changed, and is once something has', async () => {
      await api().insert(
        'books',
        Array.from({ length: 300 }, () => bookRow),
      )
      const count = async () => {
        const { headers } = await api().client.get('/by-chance/')
        return Number(/[?&]page=(\d+)[^>]*>; rel="last"/.exec(headers.link!)![1])
      }
      const seen = new Set<number>()
      for (let change = 0; change < 8; change++) {
        const [first, second, third] = await whileNothingChanges(async () => [
          await count(),
          await count(),
          await count(),
        ])
        assert.deepEqual([second, third], [first, first])
        seen.add(first!)
        await acts.elsewhere('ann')
        await setImmediate()
      }
      assert.ok(seen.size > 1, 'eight throws of 300 coins are not alike')
    })

    test('a statement takes the count that it is told for the version that still is, and no other', async () => {
      const { database } = api()
      await acts.here('ann')
      const { count, page } = compileList(
        database,
        all,
        { fields: all.fields, filter: undefined, related: { visible: () => undefined, isVolatile: () => false } },
        all.ordering,
      )
      const paging = { base: '', limit: 1, offset: 0 }
      const { version, answers } = await whileNothingChanges(async () => {
        const [[real, version] = []] = await database.run(count, { known_version: null, known_count: 0 })
        const lie = { known_version: version!, known_count: 4711 }
        const [told] = await database.run(count, lie)
        const [ofPage] = await database.run(page, { ...lie, ...paging })
        const [outdated] = await database.run(count, { ...lie, known_version: `${version}0` })
        return { version, answers: [real, told![0], ofPage![1], outdated![0]] }
      })
      assert.deepEqual(answers, [1, 4711, 4711, 1])
      await acts.elsewhere('ann')
      await setImmediate()
      const [[changed] = []] = await database.run(count, { known_version: version!, known_count: 4711 })
      assert.equal(changed, 2)
    })

    test('pages that are asked for together, while rows come, each say a count that was true', async () => {
      const before = (await truth())[0]!
      const pages = Array.from({ length: 20 }, async (_, index) => {
        if (index % 2 === 0) await acts.elsewhere('bob')
        return (await api().client.get('/all/')).json().count as number
      })
      for (const count of await Promise.all(pages)) assert.ok(count >= before && count <= before + 10, String(count))
      await setImmediate()
      assert.equal((await counts())[0], before + 10)
    })
  },
)
