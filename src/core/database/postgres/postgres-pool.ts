// A connection pool in which every wait is bounded. The pool limits how many callers wait for a connection, and for how
// long; the server's timeouts end statements, lock waits and idle transactions; a connection that does not respond in
// time is discarded. All of these failures reject with ServiceUnavailable.

import { createRequire } from 'node:module'
import type pg from 'pg'
import { ServiceUnavailable } from '../../errors/exceptions.ts'
import type { PoolState } from '../database.ts'
import { createErrorReporter } from '../error-reporter.ts'
import type { PoolOptions } from './pool-options.ts'
import { createUnavailable, isLost, translate } from './postgres-errors.ts'
import { createTimeParsers } from './postgres-times.ts'

/** Loads the package `pg`; on demand, because applications on SQLite do not need it. */
export function loadDriver(): typeof pg {
  try {
    return createRequire(import.meta.url)('pg')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    throw new Error('PostgreSQL needs the package pg: npm install pg@8', { cause: error })
  }
}

export interface Query extends pg.QueryConfig {
  readonly rowMode?: 'array'
}

export interface PostgresPool {
  /** Runs `work` with a connection that no other caller uses meanwhile. Rejects with the error of `work`. */
  use<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result>
  /**
   * Runs a query on a connection. `timeout` is in milliseconds; 0 means none, and the default is one second more than
   * the statement timeout. Rejects with the translated error. A connection that is lost is discarded after its use.
   */
  query(client: pg.PoolClient, query: Query, timeout?: number): Promise<pg.QueryResult>
  /** Begins a transaction with the timeouts of this pool; `unbounded` means without timeouts. */
  begin(client: pg.PoolClient, unbounded: boolean): Promise<void>
  /** Rolls back a transaction; if that fails, the connection is marked as lost. */
  rollback(client: pg.PoolClient): Promise<void>
  isLost(client: pg.PoolClient): boolean
  /** Calls `onError`, unless it was called with the same message in the last ten seconds. */
  report(error: Error): void
  state(): PoolState
  close(): Promise<void>
}

// The client waits longer than the server's statement timeout, so that the server ends the statement and the connection
// stays usable.
const slack = 1000
const keepAliveDelay = 10_000

export function createPool(options: PoolOptions): PostgresPool {
  const { poolSize = 10, maxWaiting = 500 } = options
  const timeouts = readTimeouts(options)
  const report = createErrorReporter(options.onError)
  const { Pool, types } = loadDriver()
  const pool = new Pool({ ...toPoolConfig(options), types: createParsers(types) })
  // Without listeners, the loss of a connection would end the process.
  pool.on('error', report)
  pool.on('connect', client => client.on('error', () => undefined))
  const lost = new WeakSet<pg.PoolClient>()
  let callerCount = 0

  const query: PostgresPool['query'] = async (client, config, timeout) => {
    try {
      return await client.query(timeout === undefined ? config : setQueryTimeout(config, timeout))
    } catch (error) {
      if (isLost(error)) lost.add(client)
      throw translate(error)
    }
  }
  return {
    query,
    report,
    isLost: client => lost.has(client),
    async use(work) {
      if (callerCount >= poolSize + maxWaiting) throw new ServiceUnavailable()
      callerCount++
      try {
        const client = await connect(pool, report)
        try {
          return await work(client)
        } finally {
          client.release(lost.has(client))
        }
      } finally {
        callerCount--
      }
    },
    async begin(client, unbounded) {
      if (unbounded) await query(client, { text: formatBegin(withoutTimeouts) })
      // A pooler rejects timeouts as startup parameters, so the transaction sets them.
      else await query(client, { text: options.pooler === 'transaction' ? formatBegin(timeouts) : 'begin' })
    },
    async rollback(client) {
      if (lost.has(client)) return
      await query(client, { text: 'rollback' }).catch(() => lost.add(client))
    },
    state: () => ({ size: poolSize, open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  }
}

type Timeouts = Readonly<Record<`${'statement' | 'lock' | 'idle_in_transaction_session'}_timeout`, number>>

const withoutTimeouts: Timeouts = { statement_timeout: 0, lock_timeout: 0, idle_in_transaction_session_timeout: 0 }

const readTimeouts = (options: PoolOptions): Timeouts => ({
  statement_timeout: options.statementTimeout ?? 15_000,
  lock_timeout: options.lockTimeout ?? 5000,
  idle_in_transaction_session_timeout: options.idleInTransactionTimeout ?? 30_000,
})

// Sends BEGIN and the settings in one round trip.
const formatBegin = (timeouts: Timeouts): string =>
  ['begin', ...Object.entries(timeouts).map(([name, value]) => `set local ${name} = ${value}`)].join('; ')

const toPoolConfig = (options: PoolOptions): pg.PoolConfig => ({
  connectionString: options.url,
  max: options.poolSize ?? 10,
  connectionTimeoutMillis: options.connectionTimeout ?? 5000,
  keepAlive: true,
  keepAliveInitialDelayMillis: keepAliveDelay,
  query_timeout: (options.statementTimeout ?? 15_000) + slack,
  application_name: 'resource-api',
  ...(options.pooler !== 'transaction' && readTimeouts(options)),
})

// Keys are bigint columns without values above 2^53 - 1, so they are parsed as numbers.
function createParsers(types: typeof pg.types): pg.CustomTypesConfig {
  const parsers = new Map<number, (text: string) => unknown>([
    [types.builtins.INT8, Number],
    ...createTimeParsers(types),
  ])
  return {
    getTypeParser: ((oid: number, format: 'text') =>
      parsers.get(oid) ?? types.getTypeParser(oid, format)) as typeof types.getTypeParser,
  }
}

// Errors while connecting (an unknown host, a refused connection, a wrong password, a bad certificate) are never caused
// by the request, so all of them become ServiceUnavailable.
function connect(pool: pg.Pool, report: (error: Error) => void): Promise<pg.PoolClient> {
  const { promise, resolve, reject } = Promise.withResolvers<pg.PoolClient>()
  pool.connect((error, client) => {
    if (client !== undefined) return resolve(client)
    const cause = explainConnectionError(error!)
    report(cause)
    reject(createUnavailable(cause))
  })
  return promise
}

function explainConnectionError(error: Error & { code?: string }): Error {
  const { message, code } = error
  if (/startup parameter/.test(message)) return new Error(`${message}: ${poolerAdvice}`, { cause: error })
  // If a host has several addresses, Node's AggregateError has no message.
  return message === '' ? new Error(`cannot connect: ${code}`, { cause: error }) : error
}

const poolerAdvice = 'behind a pooler in transaction mode, set DATABASE_POOLER=transaction'

const maxTimeout = 2 ** 31 - 1

const setQueryTimeout = (query: Query, timeout: number): Query & { query_timeout: number } => ({
  ...query,
  query_timeout: timeout === 0 ? maxTimeout : timeout,
})
