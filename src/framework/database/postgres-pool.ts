// A pool of connections on which nothing waits without a bound: not for a connection, in number and time; not for a
// lock, a statement or a forgotten transaction, which the server ends; not for a server that no longer answers, whose
// connection is thrown away. Whatever the way to the server is up to rejects with ServiceUnavailable.

import { createRequire } from 'node:module'
import type pg from 'pg'
import { ServiceUnavailable } from '../errors/exceptions.ts'
import type { PoolState } from './database.ts'
import { isLost, translate, unavailable } from './postgres-errors.ts'
import { quietReporter } from './quiet-reporter.ts'

// Only where there is a PostgreSQL: to load it would be a part of every start.
const loadDriver = () => createRequire(import.meta.url)('pg') as typeof pg

/** Times are in milliseconds. */
export interface PoolOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string
  /** The most connections of this process; default 10. */
  readonly poolSize?: number
  /** How many may wait for a connection; further ones are refused at once. Default 500. */
  readonly maxWaiting?: number
  /** How long one waits for a connection; default 5000. */
  readonly connectionTimeout?: number
  /** How long a statement may run; default 15000. */
  readonly statementTimeout?: number
  /** How long a statement waits for a lock; default 5000. */
  readonly lockTimeout?: number
  /** How long a transaction may do nothing; default 30000. */
  readonly idleInTransactionTimeout?: number
  /** A pooler that gives each transaction another server connection stands between (decision 024); default `none`. */
  readonly pooler?: 'none' | 'transaction'
  /** Told of what needs an operator: connections that fail or are lost. The same text once in ten seconds. */
  readonly onError?: (error: Error) => void
}

export interface Query extends pg.QueryConfig {
  readonly rowMode?: 'array'
}

export interface PostgresPool {
  /** Runs `work` with a connection of its own. What `work` rejects with is handed on as it is. */
  use<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result>
  /**
   * Asks the server on a connection, and waits so many milliseconds: by default a little longer than a statement may
   * run; 0 for as long as it takes. Rejects with what the server's error means; where the connection is lost, it is
   * thrown away after its use.
   */
  ask(client: pg.PoolClient, query: Query, timeout?: number): Promise<pg.QueryResult>
  /** Begins a transaction with the bounds of this pool, or with none. */
  begin(client: pg.PoolClient, unbounded: boolean): Promise<void>
  /** Ends a transaction that failed; where that fails too, the connection is lost. */
  rollback(client: pg.PoolClient): Promise<void>
  isLost(client: pg.PoolClient): boolean
  /** Tells the operator. */
  report(error: Error): void
  state(): PoolState
  close(): Promise<void>
}

// The server's own timeout comes first, so that it ends the statement and the connection remains.
const slack = 1000
const keepAliveDelay = 10_000

export function createPool(options: PoolOptions): PostgresPool {
  const { poolSize = 10, maxWaiting = 500 } = options
  const timeouts = timeoutsOf(options)
  const report = quietReporter(options.onError)
  const { Pool, types } = loadDriver()
  const pool = new Pool({ ...poolConfig(options), types: parsers(types) })
  // Without listeners, a connection that is lost, idle or not, would end the process.
  pool.on('error', report)
  pool.on('connect', client => client.on('error', () => undefined))
  const lost = new WeakSet<pg.PoolClient>()
  let wanted = 0

  const ask: PostgresPool['ask'] = async (client, query, timeout) => {
    try {
      return await client.query(timeout === undefined ? query : withTimeout(query, timeout))
    } catch (error) {
      if (isLost(error)) lost.add(client)
      throw translate(error)
    }
  }
  return {
    ask,
    report,
    isLost: client => lost.has(client),
    async use(work) {
      if (wanted >= poolSize + maxWaiting) throw new ServiceUnavailable()
      wanted++
      try {
        const client = await connect(pool, report)
        try {
          return await work(client)
        } finally {
          client.release(lost.has(client))
        }
      } finally {
        wanted--
      }
    },
    async begin(client, unbounded) {
      if (unbounded) await ask(client, { text: beginWith(withoutTimeouts) })
      // A pooler refuses them as parameters of the connection.
      else await ask(client, { text: options.pooler === 'transaction' ? beginWith(timeouts) : 'begin' })
    },
    async rollback(client) {
      if (lost.has(client)) return
      await ask(client, { text: 'rollback' }).catch(() => lost.add(client))
    },
    state: () => ({ size: poolSize, open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  }
}

type Timeouts = Readonly<Record<`${'statement' | 'lock' | 'idle_in_transaction_session'}_timeout`, number>>

const withoutTimeouts: Timeouts = { statement_timeout: 0, lock_timeout: 0, idle_in_transaction_session_timeout: 0 }

const timeoutsOf = (options: PoolOptions): Timeouts => ({
  statement_timeout: options.statementTimeout ?? 15_000,
  lock_timeout: options.lockTimeout ?? 5000,
  idle_in_transaction_session_timeout: options.idleInTransactionTimeout ?? 30_000,
})

// One round trip.
const beginWith = (timeouts: Timeouts): string =>
  ['begin', ...Object.entries(timeouts).map(([name, value]) => `set local ${name} = ${value}`)].join('; ')

const poolConfig = (options: PoolOptions): pg.PoolConfig => ({
  connectionString: options.url,
  max: options.poolSize ?? 10,
  connectionTimeoutMillis: options.connectionTimeout ?? 5000,
  keepAlive: true,
  keepAliveInitialDelayMillis: keepAliveDelay,
  query_timeout: (options.statementTimeout ?? 15_000) + slack,
  application_name: 'resource-api',
  ...(options.pooler !== 'transaction' && timeoutsOf(options)),
})

// Keys are bigint; none exceeds 2^53 - 1, so that a number holds them.
const parsers = (types: typeof pg.types): pg.CustomTypesConfig => ({
  getTypeParser: ((oid: number, format: 'text') =>
    oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
})

// Nothing has been asked yet, so whatever goes wrong here (a name that is not found, a refusal, a wrong password, a
// certificate) says nothing about the request.
function connect(pool: pg.Pool, report: (error: Error) => void): Promise<pg.PoolClient> {
  const { promise, resolve, reject } = Promise.withResolvers<pg.PoolClient>()
  pool.connect((error, client) => {
    if (client !== undefined) return resolve(client)
    const cause = readable(error!)
    report(cause)
    reject(unavailable(cause))
  })
  return promise
}

function readable(error: Error & { code?: string }): Error {
  const { message, code } = error
  if (/startup parameter/.test(message)) return new Error(`${message}: ${poolerAdvice}`, { cause: error })
  // Where a name has several addresses, the error of all of them says nothing.
  return message === '' ? new Error(`cannot connect: ${code}`, { cause: error }) : error
}

const poolerAdvice = 'behind a pooler in transaction mode, set DATABASE_POOLER=transaction'

const longest = 2 ** 31 - 1

const withTimeout = (query: Query, timeout: number): Query & { query_timeout: number } => ({
  ...query,
  query_timeout: timeout === 0 ? longest : timeout,
})
