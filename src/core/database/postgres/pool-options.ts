// The options of a pool. They have a file of their own so that the declarations of applications on SQLite do not need
// the types of pg.

import type { StatementObserver } from '../database.ts'

/** Times are in milliseconds. */
export interface PoolOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string
  /** The maximum number of connections of this process; default 10. */
  readonly poolSize?: number
  /** How many callers may wait for a connection; further ones are rejected at once. Default 500. */
  readonly maxWaiting?: number
  /** How long a caller waits for a connection; default 5000. */
  readonly connectionTimeout?: number
  /** How long a statement may run; default 15000. */
  readonly statementTimeout?: number
  /** How long a statement waits for a lock; default 5000. */
  readonly lockTimeout?: number
  /** How long a transaction may be idle; default 30000. */
  readonly idleInTransactionTimeout?: number
  /** `transaction`: a pooler assigns a server connection per transaction (decision 024); default `none`. */
  readonly pooler?: 'none' | 'transaction'
  /** Called for connections that fail or are lost, at most once in ten seconds for the same message. */
  readonly onError?: (error: Error) => void
}

/** How the pool's connections run statements. */
export interface RunnerOptions extends Pick<PoolOptions, 'pooler'> {
  readonly observe?: StatementObserver
}
