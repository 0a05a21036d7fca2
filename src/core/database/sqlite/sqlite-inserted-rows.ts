// Inserts several rows with a parameter per value, which is faster than a prepared statement per row, and than one JSON parameter
// that SQLite parses (decision 073).

import { sql } from 'kysely'
import { parameter, type SqlValue } from '../database.ts'
import type { InsertedRows } from '../dialect.ts'

// More values do not make it faster.
const maxValues = 200

export const sqliteInsertedRows: InsertedRows = {
  maxRows: columns => Math.max(1, Math.floor(maxValues / columns.length)),
  shape: count => count,
  select(columns, count) {
    const list = (row: number) => columns.map((_, index) => parameter(String(row * columns.length + index)))
    const rows = Array.from({ length: count }, (_, row) => sql`(${sql.join(list(row))})`)
    return sql`values ${sql.join(rows)}`
  },
  bind(rows) {
    // An array, because finding thousands of values by their names takes longer than binding them.
    const values: SqlValue[] = []
    for (let place = 0; place < rows.length; place++) for (const value of rows[place]!) values.push(value)
    return values as unknown as Record<string, SqlValue>
  },
}
