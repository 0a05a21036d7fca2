// Counts rows of a table up to a maximum, so that a large table does not keep the database busy.

import { sql } from 'kysely'
import { timeSlices } from '../../base/time-slices.ts'
import type { Database } from '../../database/database.ts'
import type { Sql } from '../../database/dialect.ts'

/** The maximum number of counted rows of one table, unless the caller gives another one. */
export const maxCountedRows = 10_000

/** Rows of one table. */
export interface RowCount {
  readonly table: string
  /** At most the maximum. */
  readonly count: number
  /** True: there are more rows than `count`. */
  readonly hasMore: boolean
}

/**
 * Counts the rows of a table, or those that meet a condition, up to `max`.
 *
 * @example
 * const { count, hasMore } = await countRows(database, 'orders')
 */
export async function countRows(
  { kysely }: Pick<Database, 'kysely'>,
  table: string,
  condition?: Sql,
  max = maxCountedRows,
): Promise<RowCount> {
  const where = condition === undefined ? sql`` : sql` where ${condition}`
  const found = sql`select 1 from ${sql.table(table)}${where} limit ${sql.lit(max + 1)}`
  const counting = sql<{ readonly count: number | string }>`select count(*) as count from (${found}) as found`
  const { rows } = await timeSlices.run(() => counting.execute(kysely))
  const count = Number(rows[0]!.count)
  return { table, count: Math.min(count, max), hasMore: count > max }
}
