// One connection to an SQLite file, with its settings, its prepared statements and translated errors.

import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLOutputValue, type StatementColumnMetadata, type StatementSync } from 'node:sqlite'
import { Kysely, SqliteDialect } from 'kysely'
import {
  type Arguments,
  bind,
  type Connection,
  type SqlValue,
  type Statement,
  type StatementObserver,
} from '../database.ts'
import { type CheckOpen, guardConnection } from '../transaction.ts'
import { explainUnusable, isBusy, type Translate } from './sqlite-errors.ts'
import { createMatchFunction } from './sqlite-patterns.ts'

const openingTimeout = 10_000
// Earlier versions write only 15 digits of a number in JSON; before 3.51.3, a write-ahead log could corrupt the file.
const oldestVersion = [3, 53, 0]

/** A connection, and the SQLite handle that it uses. */
export interface OpenConnection {
  readonly handle: DatabaseSync
  readonly connection: Connection
  /** The connection for one transaction; it calls `checkOpen` before each statement, and `runStatement` for those of Kysely. */
  readonly createGuarded: (checkOpen: CheckOpen, runStatement?: RunStatement) => Connection
}

/** Runs a statement; may run it again after an error. */
export type RunStatement = <Result>(run: () => Result) => Result

/** Throws UnusableDatabase if the file is not a SQLite database, or this process cannot read and write it. */
export function openConnection(
  path: string,
  translate: Translate,
  observe: StatementObserver | undefined,
): OpenConnection {
  const handle = openHandle(path)
  const statements = new WeakMap<Statement, StatementSync>()
  const prepare = (statement: Statement) => {
    const cached = statements.get(statement)
    if (cached !== undefined) return cached
    const prepared = handle.prepare(statement.sql)
    prepared.setReturnArrays(true)
    statements.set(statement, prepared)
    return prepared
  }
  const execute = <Result>(query: Statement, values: Arguments, method: 'all' | 'get'): Result => {
    const statement = query.choose?.(values) ?? query
    observe?.(statement.sql)
    try {
      return prepare(statement)[method](...bindValues(statement, values)) as Result
    } catch (error) {
      throw translate(error)
    }
  }
  const connection: Connection = {
    run: (statement, values) => execute(statement, values, 'all'),
    first: (statement, values) => execute(statement, values, 'get'),
    kysely: createKysely(handle, translate, observe),
  }
  const createGuarded: OpenConnection['createGuarded'] = (checkOpen, runStatement) => {
    let kysely: Connection['kysely'] | undefined
    return guardConnection(connection, checkOpen, () => {
      kysely ??= createKysely(handle, translate, observe, { checkOpen, runStatement })
      return kysely
    })
  }
  return { handle, connection, createGuarded }
}

function openHandle(path: string): DatabaseSync {
  checkVersion()
  let handle: DatabaseSync | undefined
  try {
    checkAccess(path)
    const opened = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: 0 })
    handle = opened
    opened.function('matches_pattern', { deterministic: true, directOnly: true }, createMatchFunction())
    waitWhileBusy(() => {
      opened.exec('pragma synchronous = full')
      if (isEmpty(opened)) opened.exec('pragma journal_mode = wal')
    })
    return opened
  } catch (error) {
    handle?.close()
    throw explainUnusable(path, error)
  }
}

// The journal mode is stored in the file. A file with content may belong to another program, so its mode changes only
// with the first commit (sqlite.ts). Throws if the file is not a database.
const isEmpty = (handle: DatabaseSync): boolean => handle.prepare('pragma page_count').get()?.page_count === 0

const memoryPrefix = 'file:resource-api-memory-'
let memoryDatabases = 0

/** The path of a new database in memory, which connections of this process share until the last of them closes. */
export const createMemoryPath = (): string => `${memoryPrefix}${++memoryDatabases}?mode=memory&cache=shared`

// SQLite opens a file without write permission as read-only, and fails only at the first write.
function checkAccess(path: string): void {
  if (path.startsWith(memoryPrefix)) return
  accessSync(dirname(path), constants.W_OK)
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) throw Object.assign(new Error('it is a directory'), { code: 'EISDIR' })
  if (found === undefined) return
  if (!found.isFile()) throw Object.assign(new Error('it is not a regular file'), { code: 'ENOTREG' })
  accessSync(path, constants.R_OK | constants.W_OK)
}

// Another process may be creating or recovering the file. Blocks the thread, but only when the database is opened. No
// process holds a lock while it waits, and the delays are random, so two processes cannot block each other.
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

interface GuardOptions {
  readonly checkOpen?: CheckOpen
  readonly runStatement?: RunStatement | undefined
}

// Uses Kysely's SQLite dialect with an adapter for node:sqlite.
function createKysely(
  handle: DatabaseSync,
  translate: Translate,
  observe: StatementObserver | undefined,
  { checkOpen, runStatement = run => run() }: GuardOptions = {},
): Connection['kysely'] {
  const translateErrors: RunStatement = run => {
    try {
      return runStatement(run)
    } catch (error) {
      throw translate(error)
    }
  }
  return new Kysely({
    dialect: new SqliteDialect({
      database: {
        close: () => undefined,
        prepare(text) {
          checkOpen?.()
          observe?.(text)
          const statement = translateErrors(() => handle.prepare(text))
          const columns = statement.columns()
          const formatDecimals = createDecimalFormatter(columns)
          const toValues = (parameters: readonly unknown[]) => parameters.map(value => toSqlite(value as SqlValue))
          return {
            reader: columns.length > 0,
            all: parameters => translateErrors(() => formatDecimals(statement.all(...toValues(parameters)))),
            run: parameters => translateErrors(() => statement.run(...toValues(parameters))),
            iterate: parameters => statement.iterate(...toValues(parameters)).map(row => formatDecimals([row])[0]),
          }
        },
      },
    }),
  })
}

type Rows = Record<string, SQLOutputValue>[]

// Decimals become texts with all decimal places, as PostgreSQL returns them.
function createDecimalFormatter(columns: readonly StatementColumnMetadata[]): (rows: Rows) => Rows {
  const decimals = columns.flatMap(({ name, type }) => {
    const [found, digits, places = '0'] = decimalType.exec(type ?? '') ?? []
    return found === undefined ? [] : [{ name, places: digits === undefined ? undefined : Number(places) }]
  })
  if (decimals.length === 0) return rows => rows
  return rows => {
    for (const row of rows)
      for (const { name, places } of decimals) {
        const value = row[name]
        if (typeof value === 'number') row[name] = places === undefined ? String(value) : value.toFixed(places)
      }
    return rows
  }
}

const decimalType = /^(?:numeric|decimal) *(?:\( *(\d+) *(?:, *(\d+) *)?\))?$/i

function bindValues(statement: Statement, values: Arguments): (string | number | null)[] {
  const bound = bind(statement, values)
  for (let index = 0; index < bound.length; index++)
    if (typeof bound[index] === 'boolean') bound[index] = Number(bound[index])
  return bound as (string | number | null)[]
}

const toSqlite = (value: SqlValue): string | number | null => (typeof value === 'boolean' ? Number(value) : value)
