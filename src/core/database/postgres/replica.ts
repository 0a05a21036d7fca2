// One replica. It runs a read if it has replayed the primary's log up to the position that the read requires; otherwise
// the caller uses the primary. After a failure, the replica is not used for some time; then one read tries it again.

import type pg from 'pg'
import type { Arguments, Statement } from '../database.ts'
import type { PoolOptions, RunnerOptions } from './pool-options.ts'
import { isLost, isPoolExhausted, isRecoveryConflict, isResponseTimeout } from './postgres-errors.ts'
import { createPool, type PostgresPool } from './postgres-pool.ts'
import { createRunner } from './postgres-statements.ts'

/** A position in the primary's write-ahead log, in bytes. */
export type LogPosition = number

export interface Replica {
  /** False for some time after a failure. */
  isReady(): boolean
  /** True if the replica was behind the required position in the last 50 ms. */
  isBehind(): boolean
  /** The rows as of `position` or later; undefined if the caller must use the primary. */
  read<Row extends readonly unknown[]>(
    position: LogPosition,
    statement: Statement<Row>,
    values: Arguments,
  ): Promise<readonly Row[] | undefined>
  close(): Promise<void>
}

/** The timeout of the query for the log position, in milliseconds. */
export const positionTimeout = 1000
/** How long `isBehind` is true after a read found the replica behind, in milliseconds. */
const behindTime = 50

export interface ReplicaOptions extends PoolOptions, RunnerOptions {
  /** How long a replica is not used after a failure, in milliseconds; default 5000. */
  readonly replicaRest?: number
}

export function createReplica(options: ReplicaOptions): Replica {
  const { connectionTimeout = positionTimeout, pooler, replicaRest = 5000 } = options
  const pool = createPool({ ...options, connectionTimeout: Math.min(connectionTimeout, positionTimeout) })
  const { runAlone } = createRunner(pool, options)
  const pause = createPause(pool, new URL(options.url).host, replicaRest)
  // The last known position per connection. Not used behind a pooler, which may change the server of a connection.
  const positions = new WeakMap<pg.PoolClient, LogPosition>()
  let lastBehind = 0

  const isFresh = async (client: pg.PoolClient, position: LogPosition): Promise<boolean> => {
    if (pooler !== 'transaction' && (positions.get(client) ?? -1) >= position) return true
    const replayed = await readPosition(pool, client)
    positions.set(client, replayed)
    if (replayed < position) lastBehind = Date.now()
    return replayed >= position
  }
  return {
    isReady: pause.isOver,
    isBehind: () => Date.now() - lastBehind < behindTime,
    async read(position, statement, values) {
      pause.renew()
      let readStarted = false
      try {
        return await pool.use(async client => {
          if (!(await isFresh(client, position))) {
            pause.end()
            return undefined
          }
          readStarted = true
          const rows = await runAlone(client, statement, values)
          pause.end()
          return rows
        })
      } catch (error) {
        const cause = (error as Error).cause as Error | undefined
        if (isRecoveryConflict(cause) || (!readStarted && isPoolExhausted(error))) return undefined
        const hasFailed = !readStarted || isLost(cause)
        if (hasFailed) pause.begin(cause ?? (error as Error))
        // A read that timed out is not repeated on the primary, because the caller has already waited long enough.
        if (hasFailed && !(readStarted && isResponseTimeout(cause))) return undefined
        throw error
      }
    },
    close: pool.close,
  }
}

// Must run before the read, as a separate statement: the read then sees everything up to this position.
const positionQuery = `select case when pg_is_in_recovery() then cast(pg_last_wal_replay_lsn() - '0/0' as bigint) end as position`

async function readPosition(pool: PostgresPool, client: pg.PoolClient): Promise<LogPosition> {
  const { rows } = await pool.query(client, { text: positionQuery }, positionTimeout)
  const position = (rows[0] as { position: LogPosition | null }).position
  if (position === null) throw new Error('the server is not a replica')
  return position
}

interface Pause {
  isOver(): boolean
  begin(cause: Error): void
  /** Begins an expired pause again, so that only the current read tries the replica until `end` is called. */
  renew(): void
  end(): void
}

function createPause(pool: PostgresPool, name: string, duration: number): Pause {
  let until = 0
  return {
    isOver: () => Date.now() >= until,
    begin(cause) {
      until = Date.now() + duration
      pool.report(new Error(`the replica ${name} fails, so reads use the primary: ${cause.message}`, { cause }))
    },
    renew() {
      if (until > 0) until = Date.now() + duration
    },
    end() {
      until = 0
    },
  }
}
