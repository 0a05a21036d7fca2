// Implements `Database` for SQLite with node:sqlite, with separate connections for reads and writes.

import type { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { createAnnouncements } from '../announcements.ts'
import type { AnyTables, Database, StatementObserver } from '../database.ts'
import type { Dialect } from '../dialect.ts'
import { findCurrent } from '../transaction.ts'
import { createSqliteTransport } from './sqlite-announcements.ts'
import { sqliteCatalogue } from './sqlite-catalogue.ts'
import { createMemoryPath, openConnection } from './sqlite-connection.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import { createReadTranslate, createTranslate } from './sqlite-errors.ts'
import { createWrites, rollBack } from './sqlite-writes.ts'

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
  const catalogue = sqliteCatalogue(newest.handle, translate)
  const writes = createWrites({
    writer,
    catalogue,
    translate,
    busyTimeout,
    maxWaiting,
    isMemory,
    endReads: () => reads.end(),
  })
  const closeAll = async () => {
    reads.end()
    reader.handle.close()
    newest.handle.close()
    writer.handle.close()
  }
  const checkOutside = () => {
    if (findCurrent(catalogue) !== undefined)
      throw new Error(
        'a transaction inside a transaction would wait for itself: use the connection that is passed to the hook',
      )
  }
  const transaction: Database['transaction'] = async (work, options = {}) => {
    checkOutside()
    return writes.transaction(work, options)
  }

  const database: Database = {
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
    write: (statement, values) => transaction(connection => connection.run(statement, values), { isBrief: true }),
    transaction,
    async changeSchema(work, schemaOptions) {
      checkOutside()
      return writes.changeSchema(work, schemaOptions)
    },
    announcements: createAnnouncements(() => database, createSqliteTransport(newest.handle)),
    close: () => writes.close(closeAll),
  }
  return database
}

// In memory, a count may include uncommitted rows, which do not change the data version. So no count is cached.
const memoryDialect: Dialect = Object.freeze({ ...sqliteDialect, version: sql`null` })

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
