// The SQL of lists, compiled once, when it is first asked for (decision 031): a page is one statement, however many
// relations it shows.

import { sql } from 'kysely'
import type { RequestContext } from '../../context.ts'
import { compile, type Database, parameter, type SqlValue, type Statement } from '../../database/database.ts'
import type { Sql } from '../../database/dialect.ts'
import { type RowFilter, whereRows } from '../../permissions/row-filter.ts'
import type { ActionPlan } from '../action-plan.ts'
import type { RelatedRows } from '../related-rows.ts'
import type { Resource } from '../resource.ts'
import { afterPosition, type Ordering, orderBy, orderedValues } from './ordering.ts'
import { representation } from './select.ts'
import { hasVolatile } from './volatile.ts'

/** The exact number of rows, and the version of the database that it is of; null where that cannot be known. */
export type CountRow = readonly [count: number, version: string | null]

/** A row of JSON text. */
export type SliceRow = readonly [json: string]

/** A row of JSON text, and the exact number of all rows. */
export type PageRow = readonly [json: string, ...CountRow]

/** A row of JSON text with its position in an order. */
export type KeysetRow = readonly [json: string, ...position: SqlValue[]]

/** The statements that go through the rows in one order; `limit`, and `base` as ever. */
export interface KeysetQuery {
  readonly first: Statement<KeysetRow>
  /** The rows behind a position: `position0`, … */
  readonly after: Statement<KeysetRow>
}

/**
 * The statements of a list. Parameters beside their own: `base`, the API's URL; those of the filter; and what the last
 * count was: `known_version`, `known_count`. Rows are not counted again where the version is still the same.
 */
export interface ListStatements {
  /** `limit`, `offset`. */
  readonly page: Statement<PageRow>
  /** `limit`: the last page of so many rows. */
  readonly lastPage: Statement<PageRow>
  /** `limit`, `offset`; nothing is counted. */
  readonly slice: Statement<SliceRow>
  readonly count: Statement<CountRow>
  /** Through all rows in this order. */
  readonly keyset: KeysetQuery
}

/** The statements of a list of these rows. */
export function compileList(
  database: Database,
  resource: Resource,
  { fields, filter, related }: ListPlan,
  ordering: readonly Ordering[],
): ListStatements {
  const table = sql.table(resource.table)
  const key = sql.ref(`${resource.table}.${resource.key}`)
  const json = () => database.dialect.text(representation(database, resource, fields, related))
  const rows = sql`from ${table} ${whereRows(resource.table, filter)}`
  // A volatile list reports no version, so that no count of it is kept.
  const volatile = isVolatile({ fields, filter, related })
  const version = volatile ? sql`cast(null as text)` : sql`(select ${database.dialect.version})`
  const count = volatile
    ? sql`(select count(*) ${rows})`
    : sql`(select case when ${version} = ${parameter('known_version')} then cast(${parameter('known_count')} as bigint) else (select count(*) ${rows}) end)`
  const order = orderBy(orderedValues(resource.table, ordering, related))
  // The inner query finds the keys, from an index alone where there is one; only the page's rows are then read.
  const page = (columns: Sql, offset: Sql) => {
    const keys = sql`(select ${key} as page_key ${rows} order by ${order} limit ${limit} offset ${offset}) as page`
    return sql`select ${columns} from ${keys} cross join ${table} where ${key} = page_key order by ${order}`
  }
  // Of no rows, -1 is the last one: abs() makes an offset of it that finds nothing either.
  const lastOffset = sql`abs(${count} - 1) / ${limit} * ${limit}`
  return {
    page: compile(database, () => page(sql`${json()}, ${count}, ${version}`, parameter('offset'))),
    lastPage: compile(database, () => page(sql`${json()}, ${count}, ${version}`, lastOffset)),
    slice: compile(database, () => page(json(), parameter('offset'))),
    count: compile(database, sql`select ${count}, ${version}`),
    keyset: compileKeysetQuery(database, resource, { fields, filter, related }, ordering),
  }
}

/** The statements that go through these rows in this order. */
export function compileKeysetQuery(
  database: Database,
  resource: Resource,
  { fields, filter, related }: ListPlan,
  ordering: readonly Ordering[],
): KeysetQuery {
  const { dialect } = database
  const ordered = orderedValues(resource.table, ordering, related)
  const portion = (describeStart: () => readonly Sql[]) =>
    compile<KeysetRow>(database, () => {
      const json = dialect.text(representation(database, resource, fields, related))
      const positions = ordered.map(({ value }) => dialect.position(value))
      const where = whereRows(resource.table, filter, ...describeStart())
      return sql`select ${sql.join([json, ...positions])} from ${sql.table(resource.table)} ${where} order by ${orderBy(ordered)} limit ${limit}`
    })
  return { first: portion(() => []), after: portion(() => [afterPosition(ordered)]) }
}

/** The rows whose column holds the key that `keyOf` reads from the request. */
export const rowsBelow = (column: string, keyOf: (context: RequestContext) => number): RowFilter => ({
  where: row => sql`${row.column(column)} = ${row.value('parent')}`,
  values: context => ({ parent: keyOf(context) }),
})

/** What a list shows, and of which rows. */
export type ListPlan = Pick<ActionPlan, 'fields'> & {
  readonly filter: RowFilter | undefined
  readonly related: Pick<RelatedRows, 'visible' | 'isVolatile'>
}

/** Do the rows change although no data does? */
export const isVolatile = ({ fields, filter, related }: ListPlan): boolean =>
  hasVolatile(fields) || filter?.volatile === true || related.isVolatile()

// SQLite compiles a statement anew when a bare parameter of its LIMIT is bound: a cast keeps it (decision 004).
const limit = sql`cast(${parameter('limit')} as bigint)`
