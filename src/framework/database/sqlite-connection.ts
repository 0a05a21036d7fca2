// One connection to an SQLite file: its settings, its prepared statements, and what its errors mean.

import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { Kysely, SqliteDialect } from 'kysely'
import {
  type Arguments,
  bind,
  type Connection,
  type SqlValue,
  type Statement,
  type StatementObserver,
} from './database.ts'
import { isBusy, type Translate, whyUnusable } from './sqlite-errors.ts'

const openingTimeout = 10_000
// Before it, JSON had 15 digits of a number; before 3.51.3, a write-ahead log could corrupt the file.
const oldestVersion = [3, 53, 0]

/** A connection and the handle below it. */
export interface OpenConnection {
  readonly handle: DatabaseSync
  readonly connection: Connection
}

/** Throws UnusableDatabase where the file is no database that this process can read and write. */
export function openConnection(
  path: string,
  translate: Translate,
  observe: StatementObserver | undefined,
): OpenConnection {
  const handle = openHandle(path)
  const statements = new WeakMap<Statement, StatementSync>()
  const prepare = (statement: Statement) => {
    const known = statements.get(statement)
    if (known !== undefined) return known
    const prepared = handle.prepare(statement.sql)
    prepared.setReturnArrays(true)
    statements.set(statement, prepared)
    return prepared
  }
  const execute = <Result>(statement: Statement, values: Arguments, method: 'all' | 'get'): Result => {
    observe?.(statement.sql)
    try {
      return prepare(statement)[method](...bindSqlite(statement, values)) as Result
    } catch (error) {
      throw translate(error)
    }
  }
  const connection: Connection = {
    run: (statement, values) => execute(statement, values, 'all'),
    first: (statement, values) => execute(statement, values, 'get'),
    kysely: createKysely(handle, translate, observe),
  }
  return { handle, connection }
}

function openHandle(path: string): DatabaseSync {
  checkVersion()
  let handle: DatabaseSync | undefined
  try {
    checkAccess(path)
    const opened = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: 0 })
    handle = opened
    waitWhileBusy(() => {
      opened.exec('pragma synchronous = full')
      if (isEmpty(opened)) opened.exec('pragma journal_mode = wal')
    })
    return opened
  } catch (error) {
    handle?.close()
    throw whyUnusable(path, error)
  }
}

// The mode is written into the file, and a file that has content may turn out to be another program's: it is changed with
// the first commit (sqlite.ts). Throws if the file is not a database.
const isEmpty = (handle: DatabaseSync): boolean => handle.prepare('pragma page_count').get()?.page_count === 0

const memoryPrefix = 'file:resource-api-memory-'
let memories = 0

/** The path of a new database in memory, which the connections of this process share while one of them is open. */
export const memoryPath = (): string => `${memoryPrefix}${++memories}?mode=memory&cache=shared`

// SQLite opens a file that it may not write as one to read, and fails at the first write.
function checkAccess(path: string): void {
  if (path.startsWith(memoryPrefix)) return
  accessSync(dirname(path), constants.W_OK)
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) throw Object.assign(new Error('it is a directory'), { code: 'EISDIR' })
  if (found === undefined) return
  if (!found.isFile()) throw Object.assign(new Error('it is not a regular file'), { code: 'ENOTREG' })
  accessSync(path, constants.R_OK | constants.W_OK)
}

// Opening may meet another process that makes or recovers the file. This waits at start, once; two processes that wait
// for each other's lock part because neither keeps it while it waits, and each waits for a time of its own.
function waitWhileBusy<Result>(work: () => Result): Result {
  for (const deadline = performance.now() + openingTimeout; ; sleep(5 + 20 * Math.random())) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
    }
  }
}

function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

function checkVersion(): void {
  const version = process.versions.sqlite ?? '0'
  const parts = version.split('.').map(Number)
  const difference = parts.map((part, index) => part - oldestVersion[index]!).find(part => part !== 0) ?? 0
  if (difference < 0)
    throw new Error(`SQLite ${version} is too old: ${oldestVersion.join('.')} or newer is needed (a newer Node has it)`)
}

// Kysely's own dialect, through the shape that it asks of a driver.
function createKysely(
  handle: DatabaseSync,
  translate: Translate,
  observe: StatementObserver | undefined,
): Connection['kysely'] {
  const guarded = <Result>(run: () => Result): Result => {
    try {
      return run()
    } catch (error) {
      throw translate(error)
    }
  }
  return new Kysely({
    dialect: new SqliteDialect({
      database: {
        close: () => undefined,
        prepare(text) {
          observe?.(text)
          const statement = guarded(() => handle.prepare(text))
          const values = (given: readonly unknown[]) => given.map(value => toSqlite(value as SqlValue))
          return {
            reader: statement.columns().length > 0,
            all: given => guarded(() => statement.all(...values(given))),
            run: given => guarded(() => statement.run(...values(given))),
            iterate: given => statement.iterate(...values(given)),
          }
        },
      },
    }),
  })
}

function bindSqlite(statement: Statement, values: Arguments): (string | number | null)[] {
  const bound = bind(statement, values)
  for (let index = 0; index < bound.length; index++) bound[index] = toSqlite(bound[index]!)
  return bound as (string | number | null)[]
}

const toSqlite = (value: SqlValue): string | number | null => (typeof value === 'boolean' ? Number(value) : value)
