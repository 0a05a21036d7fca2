// Reads from replicas that see everything that had been committed when the read began (decision 023): the primary is
// asked how far its log is, many reads at once, and a replica that has come as far answers. Else the primary does.

import type { Connection, Database } from './database.ts'
import { openPostgres, type PostgresOptions } from './postgres.ts'
import { createPool, type PoolOptions } from './postgres-pool.ts'
import { createReplica, type LogPosition, patience, type Replica, type ReplicaOptions } from './replica.ts'
import { shareNext } from './share-next.ts'

export interface ReplicatedOptions extends PostgresOptions, Pick<ReplicaOptions, 'replicaRest'> {
  /** URLs of the replicas, each of one server. */
  readonly replicaUrls: readonly string[]
}

/** As `openPostgres`; `run` and `first` go to a replica where one is fresh. Each replica has a pool of its own. */
export function openReplicated({ replicaUrls, ...options }: ReplicatedOptions): Database {
  const primary = openPostgres(options)
  const positions = openPositions(options)
  const replicas = replicaUrls.map(url => createReplica({ ...options, url }))
  const choose = createChoice(replicas)
  const run: Connection['run'] = async (statement, values) => {
    if (!replicas.some(replica => replica.isReady())) return primary.run(statement, values)
    const position = await positions.current()
    const rows = position === undefined ? undefined : await choose()?.read(position, statement, values)
    return rows ?? primary.run(statement, values)
  }
  return {
    ...primary,
    run,
    first: async (statement, values) => (await run(statement, values))[0],
    async close() {
      await Promise.all([positions.close(), ...replicas.map(replica => replica.close())])
      await primary.close()
    },
  }
}

/** One after the other, of those that were not behind a moment ago; else of all. */
function createChoice(replicas: readonly Replica[]): () => Replica | undefined {
  let last = 0
  return () => {
    last = (last + 1) % replicas.length
    const ready = [...replicas.slice(last), ...replicas.slice(0, last)].filter(replica => replica.isReady())
    return ready.find(replica => !replica.isBehind()) ?? ready[0]
  }
}

// What a commit was told of is flushed. Where the role does not wait for that (synchronous_commit = off), what is
// written counts.
const howFar = `select cast(case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end - '0/0' as bigint) as position`

interface Positions {
  /** How far the primary's log is, no older than the call; undefined where it does not say so soon. */
  current(): Promise<LogPosition | undefined>
  close(): Promise<void>
}

// On a connection of its own, so that it never waits behind slow statements.
function openPositions(options: PoolOptions): Positions {
  const { connectionTimeout = patience } = options
  const pool = createPool({ ...options, poolSize: 1, connectionTimeout: Math.min(connectionTimeout, patience) })
  const ask = async (): Promise<LogPosition | undefined> => {
    try {
      const { rows } = await pool.use(client => pool.ask(client, { text: howFar }, patience))
      return (rows[0] as { position: LogPosition }).position
    } catch (error) {
      pool.report(error as Error)
      return undefined
    }
  }
  return { current: shareNext(ask), close: pool.close }
}
