// Stores a job in the transaction of the code that enqueues it.

import { sql } from 'kysely'
import {
  type CallContext,
  type Connection,
  compile,
  type Database,
  findTransaction,
  formatDateTime,
  parameter,
  type Statement,
  type View,
} from '#core'

export interface EnqueueOptions {
  /** The first time at which the job may run; default: at once. */
  readonly runAt?: Date
  /** Default: that of the declaration. */
  readonly priority?: number
  /** At most one job of this name waits: a further one is not stored. */
  readonly unique?: string
}

interface NewJob extends DeclaredWork {
  readonly now: Date
}

interface DeclaredWork {
  readonly name: string
  readonly priority: number
  readonly payload: unknown
}

/** The topic of the announcements of new jobs. */
export const jobsTopic = 'jobs'

export async function enqueueJob(
  job: DeclaredWork,
  context: Partial<CallContext>,
  options: EnqueueOptions = {},
): Promise<number | null> {
  const { database, clock } = (context.view as View | undefined) ?? {}
  if (database === undefined || clock === undefined)
    throw new Error(
      `${job.name}.enqueue(): the context must be that of a handler or a hook of an API with a database, or a result of createContext()`,
    )
  const transaction = findTransaction(database, context.connection)
  const insert = (connection: Connection) => insertJob(database, connection, { ...job, now: clock() }, options)
  return transaction === undefined ? database.transaction(insert) : insert(transaction.connection)
}

/** Resolves to the id of the job; to null if `unique` names a job that waits already. */
export async function insertJob(
  database: Database,
  connection: Connection,
  { name, payload, priority, now }: NewJob,
  { runAt, unique, priority: given = priority }: EnqueueOptions,
): Promise<number | null> {
  const row = await connection.first(findInsert(database), {
    name,
    payload: JSON.stringify(payload),
    priority: given,
    unique: unique ?? null,
    runAt: formatDateTime(runAt ?? now)!,
    now: formatDateTime(now)!,
  })
  if (row === undefined) return null
  await database.announcements.announce(jobsTopic, connection)
  return Number(row[0])
}

const inserts = new WeakMap<object, Statement<readonly [id: number]>>()

function findInsert(database: Database): Statement<readonly [id: number]> {
  const { catalogue } = database
  const found = inserts.get(catalogue) ?? compileInsert(database)
  inserts.set(catalogue, found)
  return found
}

const compileInsert = (database: Database): Statement<readonly [id: number]> =>
  compile(
    database,
    database.kysely
      .insertInto('jobs')
      .values({
        name: parameter('name'),
        payload: parameter('payload'),
        state: 'waiting',
        priority: parameter('priority'),
        attempts: 0,
        unique_name: parameter('unique'),
        run_at: parameter('runAt'),
        created_at: parameter('now'),
      })
      .onConflict(conflict =>
        conflict.columns(['name', 'unique_name']).where('state', '=', sql.lit('waiting')).doNothing(),
      )
      .returning('id'),
  )
