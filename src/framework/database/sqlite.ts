// SQLite in the process (node:sqlite): reading and writing on connections of their own. Everything that writes
// waits its turn in the process, and at BEGIN IMMEDIATE for other processes, without blocking the event loop.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import type { Connection, Database, StatementObserver } from './database.ts'
import { sqliteFunctions } from './json.ts'
import { createResults } from './results.ts'
import { isBusy, openConnection, translate } from './sqlite-connection.ts'
import { createTurns } from './turns.ts'

export interface SqliteOptions {
  /** The file; it is made where there is none. */
  readonly path: string
  /** How long a write waits for other processes, in milliseconds; default 5000. */
  readonly busyTimeout?: number
  /** False: writes do not wait for the disk, so a power cut undoes the last ones. Default: true. */
  readonly durable?: boolean
  readonly observe?: StatementObserver
}

/** Opens the file; throws where it is no database that this process can read and write. */
export function openSqlite({ path, busyTimeout = 5000, durable = true, observe }: SqliteOptions): Database {
  const writer = openConnection(path, observe)
  const reader = openConnection(path, observe)
  // Its statements stand alone, so that each sees the newest state; those of the reader share one for a while.
  const newest = openConnection(path, observe)
  if (!durable) writer.handle.exec('pragma synchronous = normal')
  for (const { handle } of [reader, newest]) handle.exec('pragma query_only = on')
  const results = createResults()
  const reads = createReads(reader.handle, results.look)
  const turns = createTurns<'writer'>()
  const inTransaction = new AsyncLocalStorage<{ isOpen: boolean }>()

  const begin = async () => {
    for (const deadline = Date.now() + busyTimeout; ; await delay(5)) {
      try {
        return writer.handle.exec('begin immediate')
      } catch (error) {
        if (!isBusy(error) || Date.now() > deadline) throw translate(error)
      }
    }
  }
  const transact = async <Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> => {
    await begin()
    try {
      const result = await work(writer.connection)
      writer.handle.exec('commit')
      return result
    } catch (error) {
      if (writer.handle.isTransaction) writer.handle.exec('rollback')
      throw translate(error)
    } finally {
      reads.end()
    }
  }
  const transaction: Database['transaction'] = async work => {
    if (inTransaction.getStore()?.isOpen)
      throw new Error('a transaction inside another would wait for itself: use the connection that the hook is given')
    // What a transaction leaves running is in it no longer once it has ended.
    const state = { isOpen: true }
    const end = () => {
      state.isOpen = false
    }
    return turns('writer', () => inTransaction.run(state, () => transact(work).finally(end)))
  }

  return {
    run: (statement, values) => {
      reads.begin()
      return results.run(statement, values, () => reader.connection.run(statement, values))
    },
    first: (statement, values) => {
      reads.begin()
      return reader.connection.first(statement, values)
    },
    latest: newest.connection.first,
    kysely: reader.connection.kysely,
    functions: sqliteFunctions,
    write: (statement, values) => transaction(connection => connection.run(statement, values)),
    transaction,
    close: () =>
      turns('writer', async () => {
        reads.end()
        reader.handle.close()
        newest.handle.close()
        writer.handle.close()
      }),
  }
}

/**
 * The reads of one turn of the event loop are one transaction, so that the requests that arrive together look at the
 * file's locks once (decision 011). A write of this process ends it.
 */
function createReads(handle: DatabaseSync, look: (version: unknown) => void): { begin(): void; end(): void } {
  const [beginning, ending] = [handle.prepare('begin'), handle.prepare('commit')]
  const version = handle.prepare('pragma data_version')
  version.setReturnArrays(true)
  let isOpen = false
  const end = () => {
    if (!isOpen) return
    isOpen = false
    ending.run()
  }
  return {
    begin() {
      if (isOpen) return
      beginning.run()
      look((version.get() as unknown as [number])[0])
      isOpen = true
      setImmediate(end)
    },
    end,
  }
}
