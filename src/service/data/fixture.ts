// A fixture is one list of a data file, such as `users`: it checks the rows, does slow work before the transaction, and
// inserts the rows in the transaction that loads the whole file.

import {
  type Connection,
  ConstraintViolation,
  createTaskQueue,
  type Database,
  type Fields,
  type KeyValue,
  type MaybePromise,
  unlimitedWait,
  type ValuesOf,
} from '#core'
import { DataError } from './data-error.ts'
import { readRows } from './read-rows.ts'

/** The state of loading one file. */
export interface Loading {
  readonly database: Database
  /** The connection of the transaction. */
  readonly connection: Connection
  /** The keys of rows that were found by another column, such as a username. */
  readonly foundKeys: Map<string, KeyValue>
}

/** A list of a data file. */
export interface Fixture {
  /** Checks the rows, without the database. Rejects with DataError for the first invalid value. */
  read(list: string, rows: unknown): Promise<CheckedRows>
}

export interface CheckedRows {
  readonly rows: readonly object[]
  /** Does the slow work, such as hashing passwords, before the transaction begins. */
  prepare(): Promise<PreparedRows>
}

export interface PreparedRows {
  /** Rejects with DataError if the database rejects a row. */
  insert(loading: Loading): Promise<void>
}

export interface FixtureOptions<F extends Fields, Prepared extends object> {
  readonly table: string
  /** The property of a row that contains its primary key; a row may omit it. */
  readonly keyName: keyof F & string
  /** The primary key column. */
  readonly key: string
  /** Whether the database numbers the rows that have no key. */
  readonly isNumbered: boolean
  readonly fields: F
  /** The properties whose values must be unique within the file. */
  readonly unique: readonly (keyof F & string)[]
  /** Does the slow work for one row. */
  readonly prepare: (row: ValuesOf<F>) => MaybePromise<Prepared>
  /** Inserts one row; `path` is its path in the file, such as `users[3]`. */
  readonly insert: (loading: Loading, row: Prepared, path: string) => Promise<void>
}

export function createFixture<F extends Fields, Prepared extends object>(
  options: FixtureOptions<F, Prepared>,
): Fixture {
  return {
    async read(list, input) {
      const rows = await readRows(list, input, options)
      const hasKey = rows.map(row => row[options.keyName] !== undefined)
      return {
        rows,
        async prepare() {
          const prepared = await mapTwoAtOnce(rows, options.prepare)
          return { insert: loading => insertRows(loading, list, { prepared, hasKey }, options) }
        },
      }
    },
  }
}

interface InsertableRows<Prepared> {
  readonly prepared: readonly Prepared[]
  readonly hasKey: readonly boolean[]
}

// Rows with a key are inserted first, so that the database does not generate one of these keys for another row.
async function insertRows<F extends Fields, Prepared extends object>(
  loading: Loading,
  list: string,
  { prepared, hasKey }: InsertableRows<Prepared>,
  { insert, table, key, isNumbered }: FixtureOptions<F, Prepared>,
): Promise<void> {
  const entries = [...prepared.entries()]
  for (const [index, row] of entries) if (hasKey[index]) await insert(loading, row, `${list}[${index}]`)
  if (isNumbered && hasKey.includes(true))
    await loading.database.dialect.advanceKeys(table, key)?.execute(loading.connection.kysely)
  for (const [index, row] of entries) if (!hasKey[index]) await insert(loading, row, `${list}[${index}]`)
}

// The queues of the password hasher and the like reject tasks when they are full, so at most two rows are prepared at
// once.
function mapTwoAtOnce<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => MaybePromise<Result>,
): Promise<Result[]> {
  const queue = createTaskQueue({ maxRunning: 2, ...unlimitedWait })
  return Promise.all(items.map(item => queue.run(async () => work(item))))
}

/** Turns a broken constraint into a DataError with this message. */
export async function withDataError<Result>(work: Promise<Result>, message: string): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw error instanceof ConstraintViolation ? new DataError(message) : error
  }
}
