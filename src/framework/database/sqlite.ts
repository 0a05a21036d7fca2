// SQLite in the process (node:sqlite): reading and writing on connections of their own. Everything that writes
// waits its turn in the process, and at BEGIN IMMEDIATE for other processes, without blocking the event loop.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { MaybePromise } from '../maybe-promise.ts'
import { createTaskQueue, unbounded } from '../task-queue.ts'
import type { Connection, Database, StatementObserver } from './database.ts'
import type { Dialect } from './dialect.ts'
import { sqliteCatalogue } from './sqlite-catalogue.ts'
import { memoryPath, openConnection } from './sqlite-connection.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import { createTranslate, isBusy } from './sqlite-errors.ts'

export interface SqliteOptions {
  /** The file, which is made where there is none; `:memory:` for a database that ends when it is closed. */
  readonly path: string
  /** How long a write waits for its turn in this process, and then for other processes, in milliseconds; default 5000. */
  readonly busyTimeout?: number
  /** How many writes may wait for their turn in this process; further ones are refused at once. Default 500. */
  readonly maxWaiting?: number
  /** False: writes do not wait for the disk, so a power cut undoes the last ones. Default: true. */
  readonly durable?: boolean
  readonly observe?: StatementObserver
  /** Told when the storage fails: the disk is full, or the file can no longer be written. */
  readonly onError?: (error: Error) => void
}

/** Opens the file; throws UnusableDatabase where it is no database that this process can read and write. */
export function openSqlite(options: SqliteOptions): Database {
  const { busyTimeout = 5000, maxWaiting = 500, durable = true, observe, onError } = options
  const isMemory = options.path === ':memory:'
  const path = isMemory ? memoryPath() : options.path
  const translate = createTranslate(path, onError)
  const writer = openConnection(path, translate, observe)
  const reader = openConnection(path, translate, observe)
  // Its statements stand alone, so that each sees the newest state; those of the reader share one for a while.
  const newest = openConnection(path, translate, observe)
  if (!durable) writer.handle.exec('pragma synchronous = normal')
  for (const { handle } of [reader, newest]) handle.exec('pragma query_only = on')
  // In memory there are no snapshots: a read sees what a transaction has written so far, so nothing is cached.
  if (isMemory) for (const { handle } of [reader, newest]) handle.exec('pragma read_uncommitted = on')
  const reads = createReads(reader.handle)
  const writes = createTaskQueue({ maxWaiting, timeout: busyTimeout })
  const inTransaction = new AsyncLocalStorage<{ isOpen: boolean }>()

  // A file that holds tables keeps the mode that it has until something was committed, so that one which is refused stays
  // as it is. Where somebody else reads at that moment, the next commit tries again.
  let hasLog = false
  const keepLog = () => {
    try {
      hasLog = writer.handle.prepare('pragma journal_mode = wal').get()?.journal_mode === 'wal'
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
  const transact = async <Result>(work: (connection: Connection) => MaybePromise<Result>): Promise<Result> => {
    await begin()
    try {
      const result = await work(writer.connection)
      // Without a log, a commit is refused while anything reads.
      if (!hasLog) reads.end()
      writer.handle.exec('commit')
      if (!hasLog) keepLog()
      return result
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
    if (inTransaction.getStore()?.isOpen)
      throw new Error('a transaction inside another would wait for itself: use the connection that the hook is given')
    // What a transaction leaves running is in it no longer once it has ended.
    const state = { isOpen: true }
    const end = () => {
      state.isOpen = false
    }
    return writes.run(() => inTransaction.run(state, () => transact(work).finally(end)))
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
    catalogue: sqliteCatalogue(newest.handle, translate),
    write: (statement, values) => transaction(connection => connection.run(statement, values)),
    transaction,
    close: () => writes.run(closeAll, { bounds: unbounded }),
  }
}

// A version says what has been committed, and a count may see more than that.
const memoryDialect: Dialect = Object.freeze({ ...sqliteDialect, version: sql`null` })

// Where this fails too, it is tried again before the next transaction begins.
function rollBack(handle: DatabaseSync): void {
  try {
    if (handle.isTransaction) handle.exec('rollback')
  } catch {
    // What made it necessary is reported.
  }
}

/**
 * The reads of one turn of the event loop are one transaction, so that the requests that arrive together look at the
 * file's locks once (decision 011). A write of this process ends it.
 */
function createReads(handle: DatabaseSync): { begin(): void; version(): unknown; end(): void } {
  const [beginning, ending] = [handle.prepare('begin'), handle.prepare('commit')]
  const dataVersion = handle.prepare('pragma data_version')
  dataVersion.setReturnArrays(true)
  let isOpen = false
  let version: unknown
  const end = () => {
    if (!isOpen) return
    isOpen = false
    try {
      ending.run()
    } catch {
      // Nothing was written: it is as good to give it up.
      rollBack(handle)
    }
  }
  return {
    begin() {
      if (isOpen) return
      try {
        rollBack(handle)
        beginning.run()
        version = (dataVersion.get() as unknown as [number])[0]
      } catch {
        // The statement that comes now reads alone, and says what is wrong. A version that is no other's: nothing is known.
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
