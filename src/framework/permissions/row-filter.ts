// The rows that exist for a caller. One condition cuts lists, counts and objects, and whatever other resources show, take
// or compare of them: it is compiled into the statements, and each request only binds its values.

import { sql } from 'kysely'
import type { RequestContext } from '../context.ts'
import { type Arguments, parameter } from '../database/database.ts'
import type { Sql } from '../database/dialect.ts'
import type { MaybePromise } from '../maybe-promise.ts'

/**
 * A condition on the rows of a table. What is null counts as false. It depends on what the database keeps and on its
 * values; where it depends on the time or on chance as well, it has to say so: counts and results are kept until the data
 * or the values change.
 *
 * @example
 * const ownRows: RowFilter = {
 *   where: ({ column, value }) => sql`${column('owner_id')} = ${value('caller')}`,
 *   values: ({ user }) => ({ caller: user.id }),
 * }
 */
export interface RowFilter {
  /** True for the rows that exist. The table goes by another name inside other resources: name columns by `column`. */
  where(row: FilteredRow): Sql
  /** True: the condition changes although no data and no value does. Lists are then counted and read each time. */
  readonly volatile?: boolean
  /** The values that `where` asks for, by name. */
  values(context: RequestContext): MaybePromise<Arguments>
}

/** What a condition is made of. */
export interface FilteredRow {
  /** A column of the row. */
  column(name: string): Sql
  /** A value of the request. */
  value(name: string): Sql
}

/** The rows for which `join` of the conditions is true. */
export function joinFilters(filters: readonly RowFilter[], join: (conditions: readonly Sql[]) => Sql): RowFilter {
  return {
    ...(filters.some(({ volatile }) => volatile) && { volatile: true }),
    where: ({ column, value }) =>
      join(filters.map((filter, index) => whole(filter, { column, value: name => value(`${index}.${name}`) }))),
    async values(context) {
      const given = await Promise.all(filters.map(filter => filter.values(context)))
      return Object.fromEntries(
        given.flatMap((values, index) => Object.entries(values).map(([name, value]) => [`${index}.${name}`, value])),
      )
    },
  }
}

/** The rows that every one of the filters lets through; undefined where there is none to ask. */
export function everyFilter(filters: readonly RowFilter[]): RowFilter | undefined {
  return filters.length < 2
    ? filters[0]
    : joinFilters(filters, conditions => sql`(${sql.join(conditions, sql` and `)})`)
}

const usualPrefix = 'filter.'

/** The condition of the filter on rows that go by the name `table`. Its parameters begin with the prefix. */
export function rowCondition(table: string, filter: RowFilter, prefix = usualPrefix): Sql {
  return whole(filter, { column: name => sql.ref(`${table}.${name}`), value: name => parameter(prefix + name) })
}

/** `where` and the conditions, those of the filter on this table the last; nothing where there is none. */
export function whereRows(table: string, filter: RowFilter | undefined, ...beside: readonly Sql[]): Sql {
  const conditions = [...beside, ...(filter === undefined ? [] : [rowCondition(table, filter)])]
  return conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`
}

// Whatever stands in the condition, an `or` say, what stands beside it applies too.
const whole = (filter: RowFilter, row: FilteredRow): Sql => sql`(${filter.where(row)})`

const none: Arguments = Object.freeze({})

/** The values of a filter in a statement that has it, by the names that `rowCondition` gave them. */
export function rowValues(
  filter: RowFilter | undefined,
  context: RequestContext,
  prefix = usualPrefix,
): MaybePromise<Arguments> {
  return filter === undefined ? none : prefixed(filter, context, prefix)
}

/** As `rowValues`, for what a request only reads, whatever it does with the object at its own URL. */
export const readValues = (
  filter: RowFilter | undefined,
  context: RequestContext,
  prefix?: string,
): MaybePromise<Arguments> => rowValues(filter, { ...context, method: 'GET' }, prefix)

async function prefixed(filter: RowFilter, context: RequestContext, prefix: string): Promise<Arguments> {
  const values = await filter.values(context)
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [prefix + name, value]))
}
