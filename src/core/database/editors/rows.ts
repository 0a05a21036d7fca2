// Finds the rows that a change does not permit, and names some of them.

import { type Kysely, sql } from 'kysely'
import { quote } from '../catalogue.ts'
import type { IndexState } from '../schema/schema-state.ts'
import { type Definitions, quoteAll } from './definitions.ts'

/** A table, and the columns that identify its rows. */
export interface RowSource {
  readonly kysely: Kysely<unknown>
  readonly table: string
  readonly key: readonly string[]
}

const maxNamed = 5

/** Rejects if rows fulfil the condition, which is SQL; `explain` gets them as `2 rows (id 3, 7)`, and returns what follows the table. */
async function refuseRows(
  { kysely, table, key }: RowSource,
  condition: string,
  explain: (rows: string, count: number) => string,
): Promise<void> {
  const columns = key.length === 0 ? '' : `${quoteAll(key)}, `
  const order = key.length === 0 ? '' : ` order by ${quoteAll(key)}`
  const { rows } = await sql
    .raw<Record<string, unknown>>(
      `select ${columns}count(*) over () as " count" from ${quote(table)} where ${condition}${order} limit ${maxNamed}`,
    )
    .execute(kysely)
  if (rows.length === 0) return
  const count = Number(rows[0]![' count'])
  const names = rows.map(row => formatKey(key.map(column => row[column])))
  const list = key.length === 0 ? '' : ` (${key.join(', ')} ${names.join(', ')}${count > rows.length ? ', …' : ''})`
  throw new Error(`table "${table}": ${explain(`${count} ${count === 1 ? 'row' : 'rows'}${list}`, count)}`)
}

const formatKey = (values: readonly unknown[]): string =>
  values.length === 1 ? String(values[0]) : `(${values.map(String).join(', ')})`

export const refuseMissing = (source: RowSource, column: string): Promise<void> =>
  refuseRows(
    source,
    'true',
    rows =>
      `the new column "${column}" cannot be null, and ${rows} would have no value: give the change a "fill", or the column a default`,
  )

export const refuseNulls = (source: RowSource, column: string, isNull = `${quote(column)} is null`): Promise<void> =>
  refuseRows(
    source,
    isNull,
    rows => `the column "${column}" may no longer be null, and is null in ${rows}: give the change a "fill"`,
  )

export const refuseDuplicates = (
  source: RowSource,
  name: string,
  index: IndexState,
  { pick }: Definitions,
): Promise<void> => {
  const columns = index.columns.map(column => column.replace(/^-/, ''))
  const names = quoteAll(columns)
  const condition = index.where === undefined ? '' : ` where ${pick(index.where)}`
  const isWithin = index.where === undefined ? '' : `(${pick(index.where)}) and `
  return refuseRows(
    source,
    `${isWithin}(${names}) in (select ${names} from ${quote(source.table)}${condition} group by ${names} having count(*) > 1)`,
    rows =>
      `the unique index "${name}" needs different values of ${columns.map(column => `"${column}"`).join(', ')}, and ${rows} have the same as others: change or delete them first`,
  )
}

export const refuseViolations = (source: RowSource, name: string, check: string): Promise<void> =>
  refuseRows(source, `not (${check})`, rows => `the check "${name}" does not hold for ${rows}: change them first`)

export const refuseOrphans = (
  source: RowSource,
  column: string,
  target: { readonly table: string; readonly column?: string },
): Promise<void> => {
  const own = `${quote(source.table)}.${quote(column)}`
  const found = `select 1 from ${quote(target.table)} as " target" where " target".${quote(target.column ?? 'id')} = ${own}`
  return refuseRows(
    source,
    `${own} is not null and not exists (${found})`,
    (rows, count) =>
      `the column "${column}" of ${rows} ${count === 1 ? 'refers' : 'refer'} to rows of "${target.table}" that do not exist: change or delete them first`,
  )
}

/** `type`: the type as the change names it. */
export const refuseValues = (source: RowSource, column: string, type: string, isInvalid: string): Promise<void> =>
  refuseRows(
    source,
    isInvalid,
    rows =>
      `the column "${column}" has values that cannot become ${type} without a loss, in ${rows}: change them first, or give the change a "using"`,
  )
