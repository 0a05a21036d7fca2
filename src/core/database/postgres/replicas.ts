// Reads from replicas that see every commit before the read (decision 023). One query to the primary for its current
// log position serves many reads, and a replica that has replayed the log up to this position runs the read; otherwise
// the primary runs it.

import { shareNext } from '../coalesce.ts'
import type { AnyTables, Connection, Database } from '../database.ts'
import type { PoolOptions } from './pool-options.ts'
import { openPostgres, type PostgresOptions } from './postgres.ts'
import { createPool } from './postgres-pool.ts'
import { createReplica, type LogPosition, positionTimeout, type Replica, type ReplicaOptions } from './replica.ts'

export interface ReplicatedOptions extends PostgresOptions, Pick<ReplicaOptions, 'replicaRest'> {
  /** URLs of the replicas, one server per URL. */
  readonly replicaUrls: readonly string[]
}

/** Like `openPostgres`, but `run` and `first` use a replica if one is up to date. Each replica has its own pool. */
export function openReplicated<Tables = AnyTables>({ replicaUrls, ...options }: ReplicatedOptions): Database<Tables> {
  const primary = openPostgres(options)
  const positions = openPositionReader(options)
  const replicas = replicaUrls.map(url => createReplica({ ...options, url }))
  const selectReplica = createReplicaSelector(replicas)
  const run: Connection['run'] = async (statement, values) => {
    if (!replicas.some(replica => replica.isReady())) return primary.run(statement, values)
    const position = await positions.current()
    const rows = position === undefined ? undefined : await selectReplica()?.read(position, statement, values)
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

/** Selects replicas in turn; those that were recently behind are used only if all ready replicas were. */
function createReplicaSelector(replicas: readonly Replica[]): () => Replica | undefined {
  let last = 0
  return () => {
    last = (last + 1) % replicas.length
    const ready = [...replicas.slice(last), ...replicas.slice(0, last)].filter(replica => replica.isReady())
    return ready.find(replica => !replica.isBehind()) ?? ready[0]
  }
}

// An acknowledged commit has been flushed to the WAL. With synchronous_commit = off, it may only have been inserted.
const positionQuery = `select cast(case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end - '0/0' as bigint) as position`

interface Positions {
  /** The primary's log position, read after the call began; undefined if the primary does not respond in time. */
  current(): Promise<LogPosition | undefined>
  close(): Promise<void>
}

// Has its own connection, so that it never waits for slow statements.
function openPositionReader(options: PoolOptions): Positions {
  const { connectionTimeout = positionTimeout } = options
  const pool = createPool({ ...options, poolSize: 1, connectionTimeout: Math.min(connectionTimeout, positionTimeout) })
  const readPosition = async (): Promise<LogPosition | undefined> => {
    try {
      const { rows } = await pool.use(client => pool.query(client, { text: positionQuery }, positionTimeout))
      return (rows[0] as { position: LogPosition }).position
    } catch (error) {
      pool.report(error as Error)
      return undefined
    }
  }
  return { current: shareNext(readPosition), close: pool.close }
}
