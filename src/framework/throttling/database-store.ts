// Counts in a table of SQLite or PostgreSQL: exact among all processes on one database. A rate alone is one statement,
// several are a transaction that takes them in the order of their keys, so that no two wait for each other. Times come
// from the processes' clocks, never from the database's.

import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import { compile, type Database, parameter, type Statement } from '../database/database.ts'
import type { MigrationStep, Migrations } from '../database/migrate.ts'
import { freshWindow, type KeyedRate, latestEnd, type RateStore, refused, windowOf } from './rate-store.ts'

/** The table of the counts. A crash of PostgreSQL empties it. */
export const throttleMigrations: Migrations = {
  // No step of an application has this name, and it does not depend on the application's steps.
  'resource-api/throttling/0001_rates': Object.assign(createRates, { formerName: '0004_rates' }),
}

async function createRates(...[kysely, { text }, { unlogged }]: Parameters<MigrationStep>): Promise<void> {
  await kysely.schema
    .createTable('rates')
    .modifyFront(unlogged)
    .addColumn('key', text, column => column.primaryKey())
    .addColumn('used', 'bigint', column => column.notNull())
    .addColumn('ends', 'bigint', column => column.notNull())
    .execute()
  await kysely.schema.createIndex('rates_by_end').on('rates').column('ends').execute()
}

export interface DatabaseStoreOptions {
  readonly clock?: () => Date
  /** The table holds digests of the keys; with a secret, nobody finds out a key by trying. */
  readonly secret?: string
}

type Row = readonly [used: number, ends: number]
type DigestedRate = KeyedRate & { readonly digest: string }

// What so many takes leave behind is removed by one of them, so that each has little to do and the table does not grow.
const takesPerSweep = 100
const mostPerSweep = 1000

/**
 * The counts of a database that has the table of `throttleMigrations`. On SQLite, give them a file of their own
 * (decision 014): `databaseStore(openSqlite({ path: 'rates.db', durable: false }))`.
 */
export function databaseStore(database: Database, options: DatabaseStoreOptions = {}): RateStore {
  const { clock = () => new Date(), secret = '' } = options
  const statements = compileStatements(database)
  const toDigested = (rate: KeyedRate): DigestedRate => ({
    ...rate,
    digest: createHmac('sha256', secret).update(rate.key).digest('base64url'),
  })
  const find = async (rate: DigestedRate, now: number) => {
    const row = await database.latest(statements.find, { key: rate.digest, now, latest: latestEnd(rate, now) })
    return row === undefined ? freshWindow(rate) : windowOf(rate, toCount(row), now)
  }
  const giveBack = async (rates: readonly DigestedRate[], rows: readonly Row[]) => {
    for (const [index, [, ends]] of rows.entries())
      await database.write(statements.giveBack, { key: rates[index]!.digest, ends })
  }
  let takes = 0

  return {
    async take(given) {
      const now = clock().getTime()
      const rates = given.map(toDigested)
      takes += 1
      if (takes % takesPerSweep === 0) await database.write(statements.sweep, { now, most: mostPerSweep })
      const rows = await takeAll(database, statements.take, rates, now)
      if (rows === undefined) return refused(await Promise.all(rates.map(rate => find(rate, now))))
      return {
        allowed: true,
        windows: rates.map((rate, index) => windowOf(rate, toCount(rows[index]!), now)),
        giveBack: () => giveBack(rates, rows),
      }
    },
  }
}

const toCount = ([used, ends]: Row) => ({ used, ends })

const usedUp = new Error('a rate is used up')

// The rows in the order of the rates, or nothing where one of the rates is used up.
async function takeAll(
  database: Database,
  statement: Statement<Row>,
  rates: readonly DigestedRate[],
  now: number,
): Promise<readonly Row[] | undefined> {
  const argumentsOf = (rate: DigestedRate) => ({
    key: rate.digest,
    limit: rate.limit,
    now,
    ends: now + rate.period,
    latest: latestEnd(rate, now),
  })
  if (rates.length === 1) {
    const rows = await database.write(statement, argumentsOf(rates[0]!))
    return rows.length === 0 ? undefined : rows
  }
  const rows = new Map<DigestedRate, Row>()
  try {
    await database.transaction(async connection => {
      for (const rate of rates.toSorted((one, other) => (one.digest < other.digest ? -1 : 1))) {
        const row = await connection.first(statement, argumentsOf(rate))
        if (row === undefined) throw usedUp
        rows.set(rate, row)
      }
    })
  } catch (error) {
    if (error === usedUp) return undefined
    throw error
  }
  return rates.map(rate => rows.get(rate)!)
}

function compileStatements(database: Database) {
  const [key, now, ends, latest] = [parameter('key'), parameter('now'), parameter('ends'), parameter('latest')]
  const isOver = sql`(rates.ends <= ${now} or rates.ends > ${latest})`
  // Rows that are in use are removed another time: to wait for them here could be to wait for each other.
  return {
    take: compile<Row>(
      database,
      sql`insert into rates (key, used, ends) values (${key}, 1, ${ends})
        on conflict (key) do update set
          used = case when ${isOver} then 1 else rates.used + 1 end,
          ends = case when ${isOver} then excluded.ends else rates.ends end
        where ${isOver} or rates.used < ${parameter('limit')}
        returning used, ends`,
    ),
    find: compile<Row>(database, sql`select used, ends from rates where key = ${key} and not ${isOver}`),
    giveBack: compile(
      database,
      sql`update rates set used = used - 1 where key = ${key} and ends = ${ends} and used > 0`,
    ),
    sweep: compile(
      database,
      sql`delete from rates where key in (select key from rates where ends <= ${now} limit ${parameter('most')} ${database.dialect.skipLocked})`,
    ),
  }
}
