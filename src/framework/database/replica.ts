// One replica: it answers a read where it has replayed the primary's log as far as the read must see; else the caller
// asks the primary. One that fails is left alone for a while, and then tried by one read.

import type pg from 'pg'
import type { Arguments, Statement } from './database.ts'
import { isExhausted, isLost, isRecoveryConflict, isSilent } from './postgres-errors.ts'
import { createPool, type PoolOptions, type PostgresPool } from './postgres-pool.ts'
import { createRunner, type RunnerOptions } from './postgres-statements.ts'

/** A position in the primary's log, in bytes from its beginning. */
export type LogPosition = number

export interface Replica {
  /** May it be asked? */
  isReady(): boolean
  /** Was it found to be behind a moment ago? */
  isBehind(): boolean
  /** The rows as of `position` or later; undefined where the primary has to be asked. */
  read<Row extends readonly unknown[]>(
    position: LogPosition,
    statement: Statement<Row>,
    values: Arguments,
  ): Promise<readonly Row[] | undefined>
  close(): Promise<void>
}

/** How long the questions that come before a read may take, in milliseconds. */
export const patience = 1000
const moment = 50

export interface ReplicaOptions extends PoolOptions, RunnerOptions {
  /** How long it is left alone once it has failed, in milliseconds; default 5000. */
  readonly replicaRest?: number
}

export function createReplica(options: ReplicaOptions): Replica {
  const { connectionTimeout = patience, pooler, replicaRest = 5000 } = options
  const pool = createPool({ ...options, connectionTimeout: Math.min(connectionTimeout, patience) })
  const { runAlone } = createRunner(pool, options)
  const retreat = createRetreat(pool, new URL(options.url).host, replicaRest)
  // What a connection has said is of the server behind it. A pooler may change that.
  const known = new WeakMap<pg.PoolClient, LogPosition>()
  let foundBehind = 0

  const isFresh = async (client: pg.PoolClient, position: LogPosition): Promise<boolean> => {
    if (pooler !== 'transaction' && (known.get(client) ?? -1) >= position) return true
    const now = await askPosition(pool, client)
    known.set(client, now)
    if (now < position) foundBehind = Date.now()
    return now >= position
  }
  return {
    isReady: retreat.isOver,
    isBehind: () => Date.now() - foundBehind < moment,
    async read(position, statement, values) {
      retreat.prolong()
      let asksRead = false
      try {
        return await pool.use(async client => {
          if (!(await isFresh(client, position))) {
            retreat.end()
            return undefined
          }
          asksRead = true
          const rows = await runAlone(client, statement, values)
          retreat.end()
          return rows
        })
      } catch (error) {
        const cause = (error as Error).cause as Error | undefined
        if (isRecoveryConflict(cause) || (!asksRead && isExhausted(error))) return undefined
        const isAway = !asksRead || isLost(cause)
        if (isAway) retreat.begin(cause ?? (error as Error))
        // Nobody waits for the longest time twice.
        if (isAway && !(asksRead && isSilent(cause))) return undefined
        throw error
      }
    },
    close: pool.close,
  }
}

// Asked before the read, because a statement sees what had been replayed when it began.
const howFar = `select case when pg_is_in_recovery() then cast(pg_last_wal_replay_lsn() - '0/0' as bigint) end as position`

async function askPosition(pool: PostgresPool, client: pg.PoolClient): Promise<LogPosition> {
  const { rows } = await pool.ask(client, { text: howFar }, patience)
  const position = (rows[0] as { position: LogPosition | null }).position
  if (position === null) throw new Error('the server is no replica')
  return position
}

interface Retreat {
  isOver(): boolean
  begin(cause: Error): void
  /** One read tries; the others go on to leave the replica alone until that has succeeded. */
  prolong(): void
  end(): void
}

function createRetreat(pool: PostgresPool, name: string, rest: number): Retreat {
  let until = 0
  return {
    isOver: () => Date.now() >= until,
    begin(cause) {
      until = Date.now() + rest
      pool.report(new Error(`the replica ${name} fails, and the primary is asked instead: ${cause.message}`, { cause }))
    },
    prolong() {
      if (until > 0) until = Date.now() + rest
    },
    end() {
      until = 0
    },
  }
}
