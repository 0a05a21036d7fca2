// Counts rows of a table up to a maximum, so that a large table does not keep the database busy.

import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../database/database.ts'
import { timeSlices } from '../../time-slices.ts'

/** The maximum number of counted rows of one table. */
export const maxCountedRows = 10_000

/** Rows of one table. */
export interface RowCount {
  readonly table: string
  /** At most `maxCountedRows`. */
  readonly count: number
  /** True: there are more rows than `count`. */
  readonly hasMore: boolean
}

/**
 * Counts the rows of a table, or those that meet a condition.
 *
 * @example
 * const { count, hasMore } = await countRows(database, 'orders')
 */
export async function countRows(
  { kysely }: Database,
  table: string,
  condition?: RawBuilder<unknown>,
): Promise<RowCount> {
  const where = condition === undefined ? sql`` : sql` where ${condition}`
  const found = sql`select 1 from ${sql.table(table)}${where} limit ${sql.lit(maxCountedRows + 1)}`
  const counting = sql<{ readonly count: number | string }>`select count(*) as count from (${found}) as found`
  const { rows } = await timeSlices.run(() => counting.execute(kysely))
  const count = Number(rows[0]!.count)
  return { table, count: Math.min(count, maxCountedRows), hasMore: count > maxCountedRows }
}
