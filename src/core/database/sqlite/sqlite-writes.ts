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
  type SchemaSession,
  TransactionConflict,
  type TransactionOptions,
} from '../database.ts'
import { createTaskQueue, unlimitedWait } from '../task-queue.ts'
import { runInside } from '../transaction.ts'
import type { OpenConnection } from './sqlite-connection.ts'
import { isBusy, type Translate } from './sqlite-errors.ts'
import { createStepSettings } from './steps/sqlite-settings.ts'
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

// Bounds the time for which other processes wait.
const maxShared = 32

export function createWrites(options: WritesOptions): Writes {
  const { writer, catalogue, translate, busyTimeout, maxWaiting, isMemory, endReads } = options
  const { handle, createGuarded: createConnection } = writer
  const turns = createTaskQueue({ maxWaiting, timeout: busyTimeout })
  // A file with tables keeps its journal mode until the first commit, so that a file that is rejected at start is not
  // changed. If another process reads the file at that time, the next commit tries again.
  let hasWal = false
  let canShare = !isMemory
  let shared: SharedCommit | undefined

  const enableWal = () => {
    try {
      hasWal = handle.prepare('pragma journal_mode = wal').get()?.journal_mode === 'wal'
    } catch (error) {
      if (!isBusy(error)) throw error
    }
  }
  const settings = createStepSettings(handle)
  const begin = async (prepare?: () => void) => {
    rollBack(handle)
    settings.restore()
    prepare?.()
    for (const deadline = performance.now() + busyTimeout; ; await delay(5)) {
      try {
        return handle.exec('begin immediate')
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw translate(error)
      }
    }
  }
  const commit = () => {
    // While a read transaction is open, a commit cannot empty the write-ahead log: the log grows, and every further commit tries
    // again. Without a log, the commit fails.
    endReads()
    handle.exec('commit')
    if (!hasWal) enableWal()
  }
  const runAlone = async <Result>(work: Work<Result>, steps?: StepRunner): Promise<Result> => {
    commitShared()
    await begin(steps && settings.prepare)
    const connect: typeof createConnection = checkOpen => createConnection(checkOpen, steps?.runStatement)
    try {
      return await runInside({ catalogue, createConnection: connect, commit }, work)
    } catch (error) {
      rollBack(handle)
      throw translate(error)
    } finally {
      endReads()
    }
  }
  const beginShared = async (): Promise<SharedCommit> => {
    await begin()
    const outcome = Promise.withResolvers<void>()
    // There may be no transaction left that waits for the commit.
    outcome.promise.catch(() => undefined)
    const timer = setImmediate(() => {
      group.isDue = true
      if (!group.isBusy) commitShared()
    })
    const group: SharedCommit = { size: 0, isBusy: false, isDue: false, timer, outcome }
    return group
  }
  // Resolves when the work has ended; `committed` settles after the commit.
  const runShared = async <Result>(work: Work<Result>): Promise<{ readonly committed: Promise<Result> }> => {
    if (shared?.size === maxShared) commitShared()
    shared ??= await beginShared()
    const group = shared
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
    if (result === 'failed' || group.isDue) commitShared()
    return { committed }
  }
  const commitShared = () => {
    const group = shared
    if (group === undefined) return
    shared = undefined
    clearImmediate(group.timer)
    const { size, outcome } = group
    try {
      if (size > 0) {
        if (!handle.isTransaction) throw new TransactionConflict()
        commit()
      }
      outcome.resolve()
    } catch (error) {
      rollBack(handle)
      const translated = translate(error)
      // The violation of a deferred constraint belongs to any of the transactions, so each of them must run alone.
      if (translated instanceof ConstraintViolation) canShare = false
      outcome.reject(size > 1 && !canShare ? new TransactionConflict() : translated)
    } finally {
      endReads()
    }
  }
  const session: SchemaSession = {
    async transaction(work) {
      const steps = createStepRunner(handle)
      try {
        return await runAlone(connection => work(connection, steps.runStep), steps)
      } finally {
        try {
          settings.restore()
        } catch {
          // It is tried again before the next transaction begins.
        }
      }
    },
    execute: text => runAlone(async ({ kysely }) => void (await sql.raw(text).execute(kysely))),
  }
  return {
    changeSchema: work => turns.run(() => work(session)),
    async transaction(work, { isBrief = false }) {
      if (!isBrief || !hasWal || !canShare) return turns.run(() => runAlone(work))
      const { committed } = await turns.run(() => runShared(work))
      return committed
    },
    close: close =>
      turns.run(
        () => {
          commitShared()
          return close()
        },
        { bounds: unlimitedWait },
      ),
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
