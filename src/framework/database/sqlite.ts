// Implements `Database` for SQLite with node:sqlite, with separate connections for reads and writes. Writes take turns in
// this process, and wait for other processes at BEGIN IMMEDIATE without blocking the event loop.

import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { MaybePromise } from '../maybe-promise.ts'
import { createTaskQueue, unlimitedWait } from '../task-queue.ts'
import type { AnyTables, Connection, Database, StatementObserver } from './database.ts'
import type { Dialect } from './dialect.ts'
import { sqliteCatalogue } from './sqlite-catalogue.ts'
import { createMemoryPath, openConnection } from './sqlite-connection.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import { createReadTranslate, createTranslate, isBusy } from './sqlite-errors.ts'
import { findCurrent, runInside } from './transaction.ts'

export interface SqliteOptions {
  /** The file, which is created if it does not exist; `:memory:` for a database that is deleted when it is closed. */
  readonly path: string
  /** How long a write waits for its turn in this process, and then for other processes, in milliseconds; default 5000. */
  readonly busyTimeout?: number
  /** How many writes may wait for their turn in this process; further ones are rejected at once. Default 500. */
  readonly maxWaiting?: number
  /** False: writes do not wait for the disk, so a power cut may undo the last writes. Default: true. */
  readonly durable?: boolean
  readonly observe?: StatementObserver
  /** Called when the storage fails: the disk is full, or the file can no longer be written. */
  readonly onError?: (error: Error) => void
}

/** Opens the file; throws UnusableDatabase if it is not a SQLite database, or this process cannot read and write it. */
export function openSqlite<Tables = AnyTables>(options: SqliteOptions): Database<Tables> {
  const { busyTimeout = 5000, maxWaiting = 500, durable = true, observe, onError } = options
  const isMemory = options.path === ':memory:'
  const path = isMemory ? createMemoryPath() : options.path
  const translate = createTranslate(path, onError)
  const writer = openConnection(path, translate, observe)
  const translateRead = createReadTranslate(translate)
  const reader = openConnection(path, translateRead, observe)
  // Runs each statement alone, so it sees the newest state; the reader's statements share a transaction per turn.
  const newest = openConnection(path, translateRead, observe)
  if (!durable) writer.handle.exec('pragma synchronous = normal')
  for (const { handle } of [reader, newest]) handle.exec('pragma query_only = on')
  // A database in memory has no snapshots: reads see uncommitted writes, so nothing is cached.
  if (isMemory) for (const { handle } of [reader, newest]) handle.exec('pragma read_uncommitted = on')
  const reads = createReads(reader.handle)
  const writes = createTaskQueue({ maxWaiting, timeout: busyTimeout })
  const catalogue = sqliteCatalogue(newest.handle, translate)

  // A file with tables keeps its journal mode until the first commit, so that a file that is rejected at start is not
  // changed. If another process reads the file at that time, the next commit tries again.
  let hasWal = false
  const enableWal = () => {
    try {
      hasWal = writer.handle.prepare('pragma journal_mode = wal').get()?.journal_mode === 'wal'
    } catch (error) {
      if (!isBusy(error)) throw error
    }
  }
  const begin = async () => {
    rollBack(writer.handle)
    for (const deadline = performance.now() + busyTimeout; ; await delay(5)) {
      try {
        return writer.handle.exec('begin immediate')
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw translate(error)
      }
    }
  }
  const commit = () => {
    // While a read transaction is open, a commit cannot empty the write-ahead log: the log grows, and every further commit tries
    // again. Without a log, the commit fails.
    reads.end()
    writer.handle.exec('commit')
    if (!hasWal) enableWal()
  }
  const runTransaction = async <Result>(work: (connection: Connection) => MaybePromise<Result>): Promise<Result> => {
    await begin()
    try {
      return await runInside({ catalogue, createConnection: writer.createGuarded, commit }, work)
    } catch (error) {
      rollBack(writer.handle)
      throw translate(error)
    } finally {
      reads.end()
    }
  }
  const closeAll = async () => {
    reads.end()
    reader.handle.close()
    newest.handle.close()
    writer.handle.close()
  }
  const transaction: Database['transaction'] = async work => {
    if (findCurrent(catalogue) !== undefined)
      throw new Error(
        'a transaction inside a transaction would wait for itself: use the connection that is passed to the hook',
      )
    return writes.run(() => runTransaction(work))
  }

  return {
    run: (statement, values) => {
      reads.begin()
      return reader.connection.run(statement, values)
    },
    first: (statement, values) => {
      reads.begin()
      return reader.connection.first(statement, values)
    },
    ...(!isMemory && {
      version: () => {
        reads.begin()
        return reads.version()
      },
    }),
    latest: newest.connection.first,
    kysely: reader.connection.kysely,
    dialect: isMemory ? memoryDialect : sqliteDialect,
    catalogue,
    write: (statement, values) => transaction(connection => connection.run(statement, values)),
    transaction,
    close: () => writes.run(closeAll, { bounds: unlimitedWait }),
  }
}

// In memory, a count may include uncommitted rows, which do not change the data version. So no count is cached.
const memoryDialect: Dialect = Object.freeze({ ...sqliteDialect, version: sql`null` })

// A failed rollback is tried again before the next transaction begins.
function rollBack(handle: DatabaseSync): void {
  try {
    if (handle.isTransaction) handle.exec('rollback')
  } catch {
    // The caller reports the error that caused the rollback.
  }
}

/**
 * Runs all reads of one turn of the event loop in one transaction, so that requests that arrive together lock the file
 * once (decision 011). A write of this process ends that transaction.
 */
function createReads(handle: DatabaseSync): { begin(): void; version(): unknown; end(): void } {
  const [beginStatement, commitStatement] = [handle.prepare('begin'), handle.prepare('commit')]
  const dataVersion = handle.prepare('pragma data_version')
  dataVersion.setReturnArrays(true)
  let isOpen = false
  let version: unknown
  const end = () => {
    if (!isOpen) return
    isOpen = false
    try {
      commitStatement.run()
    } catch {
      // The transaction wrote nothing, so a rollback has the same effect.
      rollBack(handle)
    }
  }
  return {
    begin() {
      if (isOpen) return
      try {
        rollBack(handle)
        beginStatement.run()
        version = (dataVersion.get() as unknown as [number])[0]
      } catch {
        // The next statement runs without a transaction and reports the error. A unique version prevents caching.
        rollBack(handle)
        version = Symbol('unknown')
        return
      }
      isOpen = true
      setImmediate(end)
    },
    version: () => version,
    end,
  }
}
