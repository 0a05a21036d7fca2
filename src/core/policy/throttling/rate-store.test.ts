// Every store passes the same tests.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { anHour } from '../../../../test/support/patience.ts'
import { createDatabase, createFile, type Storage } from '../../../../test/support/service.ts'
import type { Database } from '../../database/database.ts'
import { migrate } from '../../database/migrations/migrate.ts'
import { openDatabase } from '../../database/open.ts'
import { databaseStore, throttleMigrations } from './database-store.ts'
import { memoryStore } from './memory-store.ts'
import type { KeyedRate, RateStore } from './rate-store.ts'

const minute = 60_000

let now = Date.UTC(2026, 0, 1)
const clock = () => new Date(now)
let keys = 0
const newRate = (limit: number, period = minute): KeyedRate => ({ key: `rate ${keys++}`, limit, period })

const times = <Result>(count: number, work: () => Promise<Result>) => Promise.all(Array.from({ length: count }, work))
const allowed = async (count: number, store: RateStore, ...rates: readonly KeyedRate[]) =>
  (await times(count, () => store.take(rates))).filter(taken => taken.allowed).length

/** `stores` simulate processes that share the same counts. */
function defineTests(stores: () => readonly RateStore[]): void {
  const [store, others] = [() => stores()[0]!, () => stores().slice(1)]

  test('LIM-THR-p1: a window begins with its first request and ends a period later', async () => {
    const rate = newRate(2)
    const take = async () => {
      const { allowed, windows } = await store().take([rate])
      return [allowed, windows[0]!.remaining, windows[0]!.resetsIn]
    }
    assert.deepEqual(await take(), [true, 1, minute])
    now += 20_000
    assert.deepEqual(await take(), [true, 0, 40_000])
    assert.deepEqual(await take(), [false, 0, 40_000])
    now += 39_999
    assert.deepEqual(await take(), [false, 0, 1])
    now += 1
    assert.deepEqual(await take(), [true, 1, minute])
  })

  test('LIM-THR-p1: of concurrent requests, exactly as many are allowed as the rate permits', async () => {
    const [rate, other] = [newRate(10), newRate(15, 10 * minute)]
    const counts = await Promise.all(stores().map(one => allowed(100, one, rate)))
    assert.equal(
      counts.reduce((sum, count) => sum + count),
      10,
    )
    const several = await Promise.all(stores().map(one => allowed(50, one, other, newRate(1000), newRate(1000))))
    assert.equal(
      several.reduce((sum, count) => sum + count),
      15,
    )
  })

  test('LIM-THR-p1: several requests are taken together, or none of them', async () => {
    const [rate, other] = [newRate(5), newRate(9)]
    const take = async (count: number) => {
      const { allowed, windows } = await store().take([rate, other], count)
      return [allowed, ...windows.map(({ remaining }) => remaining)]
    }
    assert.deepEqual(await take(6), [false, 5, 9])
    assert.deepEqual(await take(3), [true, 2, 6])
    assert.deepEqual(await take(3), [false, 2, 6])
    const refusal = await store().take([rate], 3)
    assert.equal('wait' in refusal && refusal.wait, minute)
    const taken = await store().take([rate], 2)
    assert.equal(taken.windows[0]!.remaining, 0)
    if (taken.allowed) await taken.giveBack()
    assert.deepEqual(await take(2), [true, 0, 4])
  })

  test('LIM-THR-p1: several rates are all taken or none, and the wait is the longest one', async () => {
    const [short, long, open] = [newRate(1), newRate(1, 10 * minute), newRate(5, 20 * minute)]
    await store().take([short])
    now += 1000
    await store().take([long])
    const refusal = await store().take([open, short, long])
    assert.deepEqual(refusal, {
      allowed: false,
      windows: [
        { remaining: 5, resetsIn: 20 * minute },
        { remaining: 0, resetsIn: minute - 1000 },
        { remaining: 0, resetsIn: 10 * minute },
      ],
      wait: 10 * minute,
    })
    assert.deepEqual((await store().take([open])).windows, [{ remaining: 4, resetsIn: 20 * minute }])
  })

  test('LIM-THR-p1: takes of the same rates in different order do not block each other', async () => {
    const [one, other] = [newRate(1000), newRate(1000)]
    await Promise.all(stores().flatMap(each => [allowed(50, each, one, other), allowed(50, each, other, one)]))
    const { windows } = await store().take([one, other])
    const left = 1000 - 100 * stores().length - 1
    assert.deepEqual(
      windows.map(({ remaining }) => remaining),
      [left, left],
    )
  })

  test('LIM-THR-p1: a take that is given back can be taken again, within its window only', async () => {
    const rates = [newRate(2), newRate(3)]
    const first = await store().take(rates)
    const second = await store().take(rates)
    assert.ok(first.allowed && second.allowed)
    await first.giveBack()
    assert.deepEqual(
      (await store().take(rates)).windows.map(({ remaining }) => remaining),
      [0, 1],
    )
    now += minute
    assert.equal(await allowed(3, store(), rates[0]!), 2)
    await second.giveBack()
    assert.equal(await allowed(1, store(), rates[0]!), 0)
  })

  test('LIM-THR-p1: after the clock is set back, windows of the later time are ignored', async () => {
    const rate = newRate(1)
    await store().take([rate])
    const start = now
    // The clocks of several processes may differ by this much.
    now = start - minute
    assert.equal((await store().take([rate])).allowed, false)
    now = start - 24 * 60 * minute
    assert.deepEqual((await store().take([rate])).windows, [{ remaining: 0, resetsIn: minute }])
    assert.equal((await store().take([rate])).allowed, false)
    now = start
  })

  test('LIM-THR-p1: processes share their counts', async () => {
    for (const other of others()) {
      const rate = newRate(1)
      assert.equal(await allowed(1, store(), rate), 1)
      assert.equal(await allowed(1, other, rate), 0)
    }
  })
}

suite('memoryStore', () => {
  const store = memoryStore({ clock })
  defineTests(() => [store])

  test('LIM-THR-p1: the number of keys is bounded: the oldest window is removed', async () => {
    const small = memoryStore({ clock, maxKeys: 2 })
    const [one, two, three] = [newRate(1), newRate(1), newRate(1)]
    for (const rate of [one, two, three]) assert.equal(await allowed(1, small, rate), 1)
    assert.equal(await allowed(1, small, two), 0)
    assert.equal(await allowed(1, small, one), 1)
    assert.throws(() => memoryStore({ maxKeys: 0 }), {
      message: 'memoryStore(): maxKeys is 0; give a whole number, 1 or more',
    })
  })
})

for (const [name, create] of [
  ['SQLite', createFile],
  ['PostgreSQL', createDatabase],
] as const) {
  suite(`databaseStore on ${name}`, () => {
    let storage: Storage
    let databases: readonly Database[] = []
    let stores: readonly RateStore[]
    before(async () => {
      storage = await create()
      // Hundreds of takes of the same rate wait for each other.
      const postgres = { lockTimeout: anHour, statementTimeout: anHour, connectionTimeout: anHour }
      databases = [openDatabase(storage.url, { postgres }), openDatabase(storage.url, { postgres })]
      await migrate(databases[0]!, [throttleMigrations])
      stores = databases.map(database => databaseStore(database, { clock, secret: 's'.repeat(32) }))
    })
    after(async () => {
      await Promise.all(databases.map(database => database.close()))
      await storage?.remove()
    })
    const rows = () => databases[0]!.kysely.selectFrom('rates').selectAll().execute()

    defineTests(() => stores)

    test('LIM-THR-p1: the table holds no keys, and expired rows are deleted', async () => {
      await stores[0]!.take([{ key: 'anon 192.0.2.1', limit: 1, period: minute }])
      assert.doesNotMatch(JSON.stringify(await rows()), /192|anon/)
      now += 100 * minute
      for (let count = 0; count < 100; count++) await stores[0]!.take([newRate(1)])
      const left = await rows()
      assert.ok(left.length <= 101 && left.every(({ ends }) => (ends as number) > now), `${left.length} rows`)
    })

    if (name === 'PostgreSQL') {
      test('LIM-THR-p1: a sweep skips a locked expired row and does not wait for it', async () => {
        await stores[0]!.take([newRate(1)])
        now += minute
        await databases[1]!.transaction(async ({ kysely }) => {
          await kysely.selectFrom('rates').selectAll().forUpdate().execute()
          for (let count = 0; count < 100; count++) await stores[0]!.take([newRate(1)])
        })
      })
    }
  })
}
