// The writing transactions of an SQLite file. They take turns in this process, and wait for other processes at BEGIN IMMEDIATE
// without blocking the event loop. Brief transactions that begin in one turn of the event loop share a commit, because a commit
// waits for the disk (decision 085).

import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { MaybePromise } from '../../base/maybe-promise.ts'
import {
  type Connection,
  ConstraintViolation,
  type Database,
  type SchemaOptions,
  type SchemaSession,
  TransactionConflict,
  type TransactionOptions,
} from '../database.ts'
import { createTaskQueue, unlimitedWait } from '../task-queue.ts'
import { runInside } from '../transaction.ts'
import type { OpenConnection } from './sqlite-connection.ts'
import { isBusy, type Translate } from './sqlite-errors.ts'
import { createStepSettings, type StepSettings } from './steps/sqlite-settings.ts'
import { createStepRunner, type StepRunner } from './steps/sqlite-steps.ts'

export interface WritesOptions {
  readonly writer: OpenConnection
  readonly catalogue: object
  readonly translate: Translate
  /** How long a write waits for its turn in this process, and then for other processes, in milliseconds. */
  readonly busyTimeout: number
  /** How many writes may wait for their turn in this process. */
  readonly maxWaiting: number
  /** True: uncommitted rows are visible to reads, so no transaction waits for a commit of others. */
  readonly isMemory: boolean
  /** Ends the transaction of reads, if there is one. */
  endReads(): void
}

export interface Writes {
  transaction<Result>(work: Work<Result>, options: Pick<TransactionOptions, 'isBrief'>): Promise<Result>
  readonly changeSchema: Database['changeSchema']
  /** Runs `close` after the last transaction. */
  close(close: () => Promise<void>): Promise<void>
}

type Work<Result> = (connection: Connection) => MaybePromise<Result>

/** A transaction in the file for several transactions, each of which is a savepoint. */
interface SharedCommit {
  /** The number of transactions that wait for the commit. */
  size: number
  /** Whether a transaction is running. */
  isBusy: boolean
  /** Whether the turn of the event loop has ended. */
  isDue: boolean
  readonly timer: NodeJS.Immediate
  readonly outcome: PromiseWithResolvers<void>
}

/** The file, as its writing connection leaves it between transactions. */
interface WrittenFile extends WritesOptions {
  readonly settings: StepSettings
  /**
   * A file with tables keeps its journal mode until the first commit, so that a file that is rejected at start is not changed. If
   * another process reads the file at that time, the next commit tries again.
   */
  hasWal: boolean
  canShare: boolean
  shared: SharedCommit | undefined
}

// Bounds the time for which other processes wait.
const maxShared = 32

export function createWrites(options: WritesOptions): Writes {
  const { writer, maxWaiting, busyTimeout, isMemory } = options
  const turns = createTaskQueue({ maxWaiting, timeout: busyTimeout })
  const settings = createStepSettings(writer.handle)
  const file: WrittenFile = { ...options, settings, hasWal: false, canShare: !isMemory, shared: undefined }
  return {
    changeSchema: (work, schemaOptions) => turns.run(() => changeSchema(file, work, schemaOptions)),
    async transaction(work, { isBrief = false }) {
      if (!isBrief || !file.hasWal || !file.canShare) return turns.run(() => runAlone(file, work))
      const { committed } = await turns.run(() => runShared(file, work))
      return committed
    },
    close: close =>
      turns.run(
        () => {
          commitShared(file)
          return close()
        },
        { bounds: unlimitedWait },
      ),
  }
}

async function changeSchema<Result>(
  file: WrittenFile,
  work: (session: SchemaSession) => Promise<Result>,
  options: SchemaOptions | undefined,
): Promise<Result> {
  const { handle } = file.writer
  const steps = createStepRunner(handle)
  try {
    const outcome = await runAlone(file, connection => runSession(handle, connection, steps, work), {
      steps,
      report: options?.report,
    })
    if ('error' in outcome) throw outcome.error
    return outcome.result
  } finally {
    try {
      file.settings.restore()
    } catch {
      // It is tried again before the next transaction begins.
    }
  }
}

type SessionOutcome<Result> = { readonly result: Result } | { readonly error: unknown }

/**
 * Runs the session of a migration in one transaction, so that other processes wait for all of it. Its own transactions are savepoints:
 * if one fails, those before it are committed.
 */
async function runSession<Result>(
  handle: DatabaseSync,
  connection: Connection,
  steps: StepRunner,
  work: (session: SchemaSession) => Promise<Result>,
): Promise<SessionOutcome<Result>> {
  let released = 0
  const session: SchemaSession = {
    async transaction(inner) {
      handle.exec('savepoint step')
      try {
        const result = await inner(connection, steps.runStep)
        handle.exec('release savepoint step')
        released++
        return result
      } catch (error) {
        if (handle.isTransaction) handle.exec('rollback to savepoint step; release savepoint step')
        throw error
      }
    },
    execute: async text => void (await sql.raw(text).execute(connection.kysely)),
  }
  try {
    return { result: await work(session) }
  } catch (error) {
    if (released === 0 || !handle.isTransaction) throw error
    return { error }
  }
}

/** The parts of a transaction of migrations. */
interface MigrationRun extends Pick<SchemaOptions, 'report'> {
  readonly steps: StepRunner
}

async function runAlone<Result>(file: WrittenFile, work: Work<Result>, migration?: MigrationRun): Promise<Result> {
  const { writer, catalogue } = file
  commitShared(file)
  await begin(file, migration)
  const createConnection: typeof writer.createGuarded = checkOpen =>
    writer.createGuarded(checkOpen, migration?.steps.runStatement)
  try {
    return await runInside({ catalogue, createConnection, commit: () => commit(file) }, work)
  } catch (error) {
    rollBack(writer.handle)
    throw file.translate(error)
  } finally {
    file.endReads()
  }
}

// Migrations wait for other processes in twelve turns, which take a minute.
const migrationTurns = 12

async function begin(file: WrittenFile, migration: MigrationRun | undefined): Promise<void> {
  const { writer, settings, translate } = file
  rollBack(writer.handle)
  settings.restore()
  if (migration !== undefined) settings.prepare()
  const start = performance.now()
  for (let isReported = false; ; await delay(5)) {
    try {
      return writer.handle.exec('begin immediate')
    } catch (error) {
      const waited = performance.now() - start
      if (!isBusy(error) || waited > file.busyTimeout * (migration ? migrationTurns : 1)) throw translate(error)
      if (isReported || waited < file.busyTimeout) continue
      isReported = true
      migration?.report?.('Waiting for another program that writes to the database.')
    }
  }
}

function commit(file: WrittenFile): void {
  // While a read transaction is open, a commit cannot empty the write-ahead log: the log grows, and every further commit tries
  // again. Without a log, the commit fails.
  file.endReads()
  file.writer.handle.exec('commit')
  if (!file.hasWal) enableWal(file)
}

function enableWal(file: WrittenFile): void {
  try {
    file.hasWal = file.writer.handle.prepare('pragma journal_mode = wal').get()?.journal_mode === 'wal'
  } catch (error) {
    if (!isBusy(error)) throw error
  }
}

// Resolves when the work has ended; `committed` settles after the commit.
async function runShared<Result>(
  file: WrittenFile,
  work: Work<Result>,
): Promise<{ readonly committed: Promise<Result> }> {
  const { writer, catalogue, translate } = file
  const { handle, createGuarded: createConnection } = writer
  if (file.shared?.size === maxShared) commitShared(file)
  file.shared ??= await beginShared(file)
  const group = file.shared
  group.isBusy = true
  const { promise: ended, resolve: end } = Promise.withResolvers<'ready' | 'failed'>()
  const waitForCommit = () => {
    if (!handle.isTransaction)
      throw new Error('the work caught an error that ended its transaction: let it reject instead')
    if (group.size > 0) handle.exec('release savepoint shared')
    end('ready')
    return group.outcome.promise
  }
  const committed = runInside({ catalogue, createConnection, commit: waitForCommit }, connection => {
    if (group.size > 0) handle.exec('savepoint shared')
    return work(connection)
  }).catch(error => {
    end('failed')
    throw translate(error)
  })
  committed.catch(() => undefined)
  const result = await ended
  group.isBusy = false
  if (result === 'ready') group.size++
  else undo(handle, group)
  // The caller of a failed transaction may read what the others have written, to explain the failure.
  if (result === 'failed' || group.isDue) commitShared(file)
  return { committed }
}

async function beginShared(file: WrittenFile): Promise<SharedCommit> {
  await begin(file, undefined)
  const outcome = Promise.withResolvers<void>()
  // There may be no transaction left that waits for the commit.
  outcome.promise.catch(() => undefined)
  const timer = setImmediate(() => {
    group.isDue = true
    if (!group.isBusy) commitShared(file)
  })
  const group: SharedCommit = { size: 0, isBusy: false, isDue: false, timer, outcome }
  return group
}

function commitShared(file: WrittenFile): void {
  const group = file.shared
  if (group === undefined) return
  file.shared = undefined
  clearImmediate(group.timer)
  const { handle } = file.writer
  const { size, outcome } = group
  try {
    if (size > 0) {
      if (!handle.isTransaction) throw new TransactionConflict()
      commit(file)
    }
    outcome.resolve()
  } catch (error) {
    rollBack(handle)
    const translated = file.translate(error)
    // The violation of a deferred constraint belongs to any of the transactions, so each of them must run alone.
    if (translated instanceof ConstraintViolation) file.canShare = false
    outcome.reject(size > 1 && !file.canShare ? new TransactionConflict() : translated)
  } finally {
    file.endReads()
  }
}

// Undoes the transaction that failed. If an error has ended the whole transaction, the commit fails.
function undo(handle: DatabaseSync, { size }: SharedCommit): void {
  try {
    if (size > 0) handle.exec('rollback to savepoint shared; release savepoint shared')
    else rollBack(handle)
  } catch {
    rollBack(handle)
  }
}

/** Rolls back; a rollback that fails is tried again before the next transaction begins. */
export function rollBack(handle: DatabaseSync): void {
  try {
    if (handle.isTransaction) handle.exec('rollback')
  } catch {
    // The caller reports the error that caused the rollback.
  }
}
