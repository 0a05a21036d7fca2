// The session in which steps of a migration run. One process at a time has it. Its transactions wait for locks only briefly, because
// whoever uses the table then waits behind them: they are rolled back and tried again.

import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Connection, RunStep, SchemaOptions, SchemaSession } from '../database.ts'
import type { PoolOptions } from './pool-options.ts'
import type { PostgresPool } from './postgres-pool.ts'

interface SchemaSessionOptions<Result> {
  readonly pool: PostgresPool
  readonly client: pg.PoolClient
  readonly pooler: PoolOptions['pooler']
  readonly options: SchemaOptions | undefined
  /** Runs a transaction without time limits on the client. */
  transaction<Inner>(work: (connection: Connection) => Promise<Inner>): Promise<Inner>
  work(session: SchemaSession): Promise<Result>
}

/** A transaction did not get a lock in any of its tries. */
class LockTimeout extends Error {
  override name = 'LockTimeout'
}

const maxTries = 10

export function runSchemaSession<Result>(session: SchemaSessionOptions<Result>): Promise<Result> {
  const { work } = session
  return holdLock(session, () =>
    work({
      transaction: inside =>
        tryAgain(session, () => session.transaction(connection => runWatched(session, connection, inside))),
      execute: text => executeAlone(session, text),
    }),
  )
}

const readTimeout = (options: SchemaOptions | undefined): number => options?.lockTimeout ?? 2000

type AnySession = Omit<SchemaSessionOptions<unknown>, 'work'>

async function runWatched<Result>(
  { pool, options }: AnySession,
  connection: Connection,
  work: (connection: Connection, runStep: RunStep) => Promise<Result>,
): Promise<Result> {
  const { kysely } = connection
  await sql.raw(`set local lock_timeout = ${readTimeout(options)}`).execute(kysely)
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(kysely)
  const watch = watchBlockers(pool, rows[0]!.pid, readTimeout(options))
  try {
    return await work(connection, step => step())
  } catch (error) {
    throw isLockTimeout(error) ? new LockTimeout(watch.describe(), { cause: error }) : error
  } finally {
    watch.stop()
  }
}

async function tryAgain<Result>({ options }: AnySession, attempt: () => Promise<Result>): Promise<Result> {
  const timeout = readTimeout(options)
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof LockTimeout)) throw error
      if (tries === maxTries)
        throw new LockTimeout(
          `it waited ${maxTries} times ${timeout / 1000} s for a lock that ${error.message}: end that session, or migrate when the table is used less`,
          { cause: error.cause },
        )
      options?.report?.(`Waited ${timeout / 1000} s for a lock that ${error.message}, and will try again.`)
      await delay((timeout / 2) * tries)
    }
  }
}

/** A lock timeout, and a deadlock, which PostgreSQL ends by rolling one of the transactions back. */
const lockCodes: ReadonlySet<string> = new Set(['55P03', '40P01'])

function isLockTimeout(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause)
    if (lockCodes.has((each as { readonly code?: string }).code ?? '')) return true
  return false
}

interface BlockerRow {
  readonly pid: number
  readonly name: string
  readonly state: string
  readonly query: string
}

/** Notes which sessions a backend waits for: after the timeout, nothing tells. */
function watchBlockers(pool: PostgresPool, pid: number, timeout: number): { describe(): string; stop(): void } {
  let blockers: readonly BlockerRow[] = []
  const read = async () => {
    const { rows } = await pool.use(client => pool.query(client, { text: blockersQuery, values: [pid] }))
    if (rows.length > 0) blockers = rows
  }
  // The other connection of the pool may be busy.
  const timer = pool.state().size > 1 ? setInterval(() => void read().catch(() => undefined), timeout / 4) : undefined
  return {
    describe: () => (blockers.length === 0 ? 'another session holds' : blockers.map(describeBlocker).join(' and ')),
    stop: () => clearInterval(timer),
  }
}

const blockersQuery = `
  select a.pid, coalesce(nullif(a.application_name, ''), a.usename, a.backend_type) as name, coalesce(a.state, 'active') as state,
    left(regexp_replace(coalesce(a.query, ''), '\\s+', ' ', 'g'), 80) as query
  from unnest(pg_blocking_pids($1)) as blocker(pid) join pg_stat_activity a on a.pid = blocker.pid`

const describeBlocker = ({ pid, name, state, query }: BlockerRow): string =>
  `the session ${pid} of "${name}" holds (${state}${query === '' ? '' : `, ${JSON.stringify(query)}`})`

const lockKey = `hashtext('resource-api migrate')`
const lockPause = 50
const silentWait = 2000

/**
 * Holds the lock of migrations. The lock belongs to the session; a pooler changes sessions, so there a second connection holds it in
 * a transaction. A statement that waits for the lock would hold up `create index concurrently`, so each try returns at once.
 */
async function holdLock<Result>(session: AnySession, work: () => Promise<Result>): Promise<Result> {
  const { pool, client, pooler } = session
  if (pooler === 'transaction')
    return pool.use(async guard => {
      await pool.begin(guard, true)
      try {
        await waitForLock(session, guard, `select pg_try_advisory_xact_lock(${lockKey}) as "isLocked"`)
        return await work()
      } finally {
        await pool.rollback(guard)
      }
    })
  await waitForLock(session, client, `select pg_try_advisory_lock(${lockKey}) as "isLocked"`)
  try {
    return await work()
  } finally {
    // Without its connection, the lock is gone.
    await pool.query(client, { text: `select pg_advisory_unlock(${lockKey})` }).catch(() => undefined)
  }
}

async function waitForLock({ pool, options }: AnySession, client: pg.PoolClient, text: string): Promise<void> {
  const start = performance.now()
  for (let isReported = false; ; await delay(lockPause)) {
    const { rows } = await pool.query(client, { text })
    if (rows[0].isLocked) return
    if (isReported || performance.now() - start < silentWait) continue
    isReported = true
    options?.report?.('Waiting for another process that migrates the database.')
  }
}

async function executeAlone({ pool, client, pooler }: AnySession, text: string): Promise<void> {
  // Behind a pooler, connections have no time limits of their own.
  if (pooler === 'transaction') return void (await pool.query(client, { text }, 0))
  await pool.query(client, { text: 'set statement_timeout = 0; set lock_timeout = 0' })
  try {
    await pool.query(client, { text }, 0)
  } finally {
    await pool.query(client, { text: 'reset statement_timeout; reset lock_timeout' }).catch(() => undefined)
  }
}
