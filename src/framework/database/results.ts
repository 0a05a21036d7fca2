// What reads answered, kept for as long as nothing has been committed since: a list that many ask for is read once.

import { isPromise, type MaybePromise } from '../maybe-promise.ts'
import { type Arguments, bind, type Statement } from './database.ts'

/** The rows of a statement, as arrays. */
type Rows = readonly (readonly unknown[])[]

export interface Results {
  /** The rows that the statement answered with these values, or else those that `read` answers now. */
  run<Row extends readonly unknown[]>(
    statement: Statement<Row>,
    values: Arguments,
    read: () => MaybePromise<readonly Row[]>,
  ): MaybePromise<readonly Row[]>
  /** Another version of the database is looked at: all that is kept is forgotten where it is not the one before. */
  look(version: unknown): void
}

/** All results together, and the largest that is kept, in UTF-16 units of their texts. */
const most = { together: 4 * 1024 * 1024, one: 64 * 1024 }

export function createResults(): Results {
  const kept = new Map<Statement, Map<string, Rows>>()
  let size = 0
  let seen: unknown
  const forget = () => {
    kept.clear()
    size = 0
  }
  const keep = (statement: Statement, key: string, rows: Rows) => {
    const own = key.length + sizeOf(rows)
    if (own > most.one) return
    if (size + own > most.together) forget()
    size += own
    const known = kept.get(statement)
    if (known === undefined) kept.set(statement, new Map([[key, rows]]))
    else known.set(key, rows)
  }
  return {
    run(statement, values, read) {
      const key = JSON.stringify(bind(statement, values))
      const known = kept.get(statement)?.get(key)
      if (known !== undefined) return known as never
      const version = seen
      const keepRows = (rows: Awaited<ReturnType<typeof read>>) => {
        // Meanwhile another version may have been looked at.
        if (version === seen) keep(statement, key, rows)
        return rows
      }
      const reading = read()
      return isPromise(reading) ? reading.then(keepRows) : keepRows(reading)
    },
    look(version) {
      if (version === seen) return
      seen = version
      forget()
    },
  }
}

function sizeOf(rows: Rows): number {
  let size = 0
  for (const row of rows) for (const value of row) size += typeof value === 'string' ? value.length : 8
  return size
}
