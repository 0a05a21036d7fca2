// The SQL of lists. Each statement is compiled when it is first used (decision 031). A page takes one statement,
// regardless of the number of relations that it shows.

import { sql } from 'kysely'
import { compile, type Database, parameter, type SqlValue, type Statement } from '../../database/database.ts'
import type { Sql } from '../../database/dialect.ts'
import { castTo, divide } from '../../database/expressions.ts'
import { rowsOf } from '../../database/row-source.ts'
import type { FieldLocation, ResourceReferences } from '../../fields/field.ts'
import { createWhereClause, type RowCondition } from '../../policy/permissions/row-filter.ts'
import type { Resource } from '../declare/resource.ts'
import type { ActionPlan } from './action-plan.ts'
import { afterPosition, type Ordering, orderBy, orderedValues } from './ordering.ts'
import type { RelatedRows } from './related-rows.ts'
import { createFieldLocation, representation } from './select.ts'
import { hasVolatileField } from './volatile.ts'

/** The number of rows, exact up to `maxCount` of the list, and the database version at which they were counted; null if that is unknown. */
export type CountRow = readonly [count: number, version: string | null]

/** A row of JSON text. */
export type SliceRow = readonly [json: string]

/** A row of JSON text, and the number of all rows in the list. */
export type PageRow = readonly [json: string, ...CountRow]

/** A row of JSON text with its position in an order. */
export type KeysetRow = readonly [json: string, ...position: SqlValue[]]

/** The statements that read the rows in one order. Parameters: `limit` and `base`. */
export interface KeysetQuery {
  readonly first: Statement<KeysetRow>
  /** The rows after a position. Parameters: `position0`, `position1`, … */
  readonly after: Statement<KeysetRow>
}

/**
 * The statements of a list. All take `base` (the API's URL) and the parameters of the filter and of related resources. The counting ones also take
 * the last count, `cached_version` and `cached_count`: they count again only if the version has changed.
 */
export interface ListStatements {
  /** Parameters: `limit`, `offset`. */
  readonly page: Statement<PageRow>
  /** The last page. Parameter: `limit`, the page size. */
  readonly lastPage: Statement<PageRow>
  /** A page without a count. Parameters: `limit`, `offset`. */
  readonly slice: Statement<SliceRow>
  readonly count: Statement<CountRow>
  /** Reads all rows in the list's order. */
  readonly keyset: KeysetQuery
}

export function compileList(
  database: Database,
  resource: Resource,
  { shows, filter, related, orderedBy, maxCount, rowId = resource.key.column }: ListPlan,
  ordering: readonly Ordering[],
): ListStatements {
  const table = rowsOf(resource)
  const row = sql.ref(`${resource.table}.${rowId}`)
  const json = () => database.dialect.text(representation(database, resource, shows, related))
  const rows = sql`from ${table} ${createWhereClause(database.dialect, resource.table, filter)}`
  // A volatile list reports no version, so its count is not cached.
  const volatile = isVolatile({ shows, filter, related })
  const version = volatile ? castTo(sql`null`, 'text') : sql`(select ${database.dialect.version})`
  const counted = maxCount === undefined ? rows : sql`from (select 1 ${rows} limit ${sql.lit(maxCount + 1)}) as counted`
  const count = volatile
    ? sql`(select count(*) ${counted})`
    : sql`(select case when ${version} = ${parameter('cached_version')} then ${castTo(parameter('cached_count'), 'bigint')} else (select count(*) ${counted}) end)`
  const order = orderBy(orderedValues(ordering, createOrderLocation(database, resource, orderedBy ?? related)))
  // The inner query finds the rows, from the index alone if possible; then only the rows of the page are read.
  const page = (columns: Sql, offset: Sql) => {
    const keys = sql`(select ${row} as ${pageRow} ${rows} order by ${order} limit ${limit} offset ${offset}) as ${sql.id('page rows')}`
    return sql`select ${columns} from ${keys} cross join ${table} where ${row} = ${pageRow} order by ${order}`
  }
  // In an empty list, the index of the last row would be -1. abs() makes it a valid offset, at which there are no rows.
  const lastOffset = sql`${divide(sql`abs(${count} - 1)`, limit)} * ${limit}`
  return {
    page: compile(database, () => page(sql`${json()}, ${count}, ${version}`, parameter('offset'))),
    lastPage: compile(database, () => page(sql`${json()}, ${count}, ${version}`, lastOffset)),
    slice: compile(database, () => page(json(), parameter('offset'))),
    count: compile(database, sql`select ${count}, ${version}`),
    keyset: compileKeysetQuery(database, resource, { shows, filter, related, orderedBy }, ordering),
  }
}

export function compileKeysetQuery(
  database: Database,
  resource: Resource,
  { shows, filter, related, orderedBy }: ListPlan,
  ordering: readonly Ordering[],
): KeysetQuery {
  const { dialect } = database
  const ordered = orderedValues(ordering, createOrderLocation(database, resource, orderedBy ?? related))
  const compilePortion = (createConditions: () => readonly Sql[]) =>
    compile<KeysetRow>(database, () => {
      const json = dialect.text(representation(database, resource, shows, related))
      const positions = ordered.map(({ value }) => dialect.position(value))
      const where = createWhereClause(dialect, resource.table, filter, ...createConditions())
      return sql`select ${sql.join([json, ...positions])} from ${rowsOf(resource)} ${where} order by ${orderBy(ordered)} limit ${limit}`
    })
  return { first: compilePortion(() => []), after: compilePortion(() => [afterPosition(ordered)]) }
}

const createOrderLocation = (
  database: Database,
  resource: Resource,
  references: ResourceReferences,
): FieldLocation => ({
  ...createFieldLocation(database, resource, references),
  name: 'ordering',
})

/** The fields and the rows of a list. */
export interface ListPlan extends Pick<ActionPlan, 'shows'> {
  readonly filter: RowCondition | undefined
  readonly related: Omit<RelatedRows, 'readValues' | 'hasValues' | 'fieldConditions'>
  /** How the SQL of the order refers to related rows; default: `related`. */
  readonly orderedBy?: ResourceReferences | undefined
  /** The column that finds a row fastest; default: the key. */
  readonly rowId?: string | undefined
  /** The list counts up to one row more than this; default: all rows. */
  readonly maxCount?: number | undefined
}

/** Can the list change while the data does not? */
export const isVolatile = ({ shows, filter, related }: ListPlan): boolean =>
  hasVolatileField(shows) || filter?.volatile === true || related.isVolatile()

// The spaces prevent conflicts with the names of tables and columns.
const pageRow = sql.id('page row')

// SQLite recompiles a statement when a bare parameter of its LIMIT is bound; the cast prevents that (decision 004).
const limit = castTo(parameter('limit'), 'bigint')
