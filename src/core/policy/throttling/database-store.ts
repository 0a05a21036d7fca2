// Counts requests in a table of SQLite or PostgreSQL; the counts are exact across all processes that share the
// database. A single rate takes one statement. Several rates take a transaction that locks them in order of their keys,
// to prevent deadlocks. Times come from the clocks of the processes, not from the database.

import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import { compile, type Database, parameter, type Statement } from '../../database/database.ts'
import type { StepFunction } from '../../database/migrations/declared-step.ts'
import type { LoadedMigrations } from '../../database/migrations/migrations.ts'
import { compileSweep } from '../../database/sweep.ts'
import { createRefusedTake, type KeyedRate, latestEnd, type RateStore, toFullWindow, toWindow } from './rate-store.ts'

/** The migrations of the table. PostgreSQL empties the table after a crash. */
export const throttleMigrations: LoadedMigrations = {
  owner: 'throttles',
  steps: {
    '0001_rates': Object.assign(createRates, { formerNames: ['resource-api/throttling/0001_rates', '0004_rates'] }),
  },
}

async function createRates(...[kysely, { text }, { unlogged }]: Parameters<StepFunction>): Promise<void> {
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
  /**
   * The table holds digests of the keys, made with this secret. Without a secret, anyone who reads the table can find a
   * key by trying candidates.
   */
  readonly secret?: string
}

type Row = readonly [used: number, ends: number]
type DigestedRate = KeyedRate & { readonly digest: string }

// Every 100th call of `take` deletes up to 1000 expired rows, so the table does not grow and each sweep is short.
const takesPerSweep = 100
const rowsPerSweep = 1000

/**
 * Creates a store in a database that has the table of `throttleMigrations`. On SQLite, use a separate file (decision
 * 014): `databaseStore(openSqlite({ path: 'rates.db', durable: false }))`.
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
    return row === undefined ? toFullWindow(rate) : toWindow(rate, toCount(row), now)
  }
  const giveBack = async (rates: readonly DigestedRate[], rows: readonly Row[], count: number) => {
    for (const [index, [, ends]] of rows.entries())
      await database.write(statements.giveBack, { key: rates[index]!.digest, ends, count })
  }
  let takes = 0

  return {
    async take(keyedRates, count = 1) {
      const now = clock().getTime()
      const rates = keyedRates.map(toDigested)
      takes += 1
      if (takes % takesPerSweep === 0) await database.write(statements.sweep, { now, maxRows: rowsPerSweep })
      const isTooMany = rates.some(({ limit }) => limit < count)
      const rows = isTooMany ? undefined : await takeAll(database, statements.take, rates, { now, count })
      if (rows === undefined) return createRefusedTake(await Promise.all(rates.map(rate => find(rate, now))), count)
      return {
        allowed: true,
        windows: rates.map((rate, index) => toWindow(rate, toCount(rows[index]!), now)),
        giveBack: () => giveBack(rates, rows, count),
      }
    },
  }
}

const toCount = ([used, ends]: Row) => ({ used, ends })

const usedUp = new Error('a rate is used up')

// Returns the rows in the order of the rates, or undefined if a rate is used up.
async function takeAll(
  database: Database,
  statement: Statement<Row>,
  rates: readonly DigestedRate[],
  { now, count }: { readonly now: number; readonly count: number },
): Promise<readonly Row[] | undefined> {
  const toArguments = (rate: DigestedRate) => ({
    key: rate.digest,
    limit: rate.limit,
    count,
    now,
    ends: now + rate.period,
    latest: latestEnd(rate, now),
  })
  if (rates.length === 1) {
    const rows = await database.write(statement, toArguments(rates[0]!))
    return rows.length === 0 ? undefined : rows
  }
  const rows = new Map<DigestedRate, Row>()
  try {
    await database.transaction(async connection => {
      for (const rate of rates.toSorted((left, right) => (left.digest < right.digest ? -1 : 1))) {
        const row = await connection.first(statement, toArguments(rate))
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
  const count = parameter('count')
  const hasKey = sql`${sql.id('key')} = ${key}`
  const hasEnded = sql`(rates.ends <= ${now} or rates.ends > ${latest})`
  return {
    take: compile<Row>(
      database,
      database.kysely
        .insertInto('rates')
        .values({ key, used: count, ends })
        .onConflict(conflict =>
          conflict
            .column('key')
            .doUpdateSet({
              used: sql`case when ${hasEnded} then ${sql.ref('excluded.used')} else rates.used + ${count} end`,
              ends: sql`case when ${hasEnded} then ${sql.ref('excluded.ends')} else rates.ends end`,
            })
            .where(sql<boolean>`${hasEnded} or rates.used + ${count} <= ${parameter('limit')}`),
        )
        .returning(['used', 'ends']),
    ),
    find: compile<Row>(database, sql`select used, ends from rates where ${hasKey} and not ${hasEnded}`),
    giveBack: compile(
      database,
      sql`update rates set used = used - ${count} where ${hasKey} and ends = ${ends} and used >= ${count}`,
    ),
    sweep: compileSweep(database, 'rates', 'ends'),
  }
}
