// The column types of SQLite.

import { sql } from 'kysely'
import type { ColumnTypes } from '../dialect.ts'

// SQLite has no date types. With the type `text`, a column does not convert texts that look like numbers to numbers.
export const sqliteColumnTypes: ColumnTypes = {
  key: sql`integer primary key autoincrement not null`,
  reference: sql`integer`,
  boolean: sql`integer`,
  text: sql`text`,
  number: sql`double precision`,
  decimal: (digits, places) => sql`numeric(${sql.lit(digits)}, ${sql.lit(places)})`,
  date: sql`text`,
  time: sql`text`,
  dateTime: sql`text`,
  duration: sql`bigint`,
  now: sql`(strftime('%Y-%m-%dT%H:%M:%f000Z', 'now'))`,
  uuid: sql`text`,
  json: sql`text`,
}
