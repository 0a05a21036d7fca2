// A row filter decides which rows exist for a caller. Its condition restricts lists, counts, objects, and the rows that
// other resources show, accept or compare. The condition is compiled into the statements, and each request only binds
// its values.

import { sql } from 'kysely'
import type { MaybePromise } from '../../base/maybe-promise.ts'
import { type Arguments, noValues, parameter } from '../../database/database.ts'
import type { Dialect, Sql } from '../../database/dialect.ts'
import type { RequestContext } from '../../http/context.ts'
import type { Identity } from '../../http/identity.ts'

/**
 * A condition on the rows of a table; null counts as false. By default, it may depend only on data and on its values,
 * because counts and results are cached until these change. If it also depends on the time or on chance, set
 * `volatile`.
 *
 * @example
 * const ownRows: RowFilter = {
 *   where: ({ column, value }) => sql`${column('owner_id')} = ${value('caller')}`,
 *   values: ({ user }) => ({ caller: user.id }),
 * }
 */
export interface RowFilter<in User extends Identity = Identity> {
  /**
   * True for the rows that exist for the caller. Refer to columns with `column`: inside other resources, the table has
   * another alias.
   */
  where(row: FilteredRow): Sql
  /**
   * Set if the condition can change without a change of data or values. Lists are then counted and read for each
   * request.
   */
  readonly volatile?: boolean
  /** Columns that have one value in all rows of a request, such as the owner: `lookup` may be unique together with them. */
  readonly determines?: readonly string[]
  /** The values that `where` uses, by name. */
  readonly values: (context: RequestContext<User>) => MaybePromise<Arguments>
}

/** The part of a row filter that statements contain. */
export type RowCondition = Pick<RowFilter, 'where' | 'volatile'>

/** The row and the values that a condition can refer to. */
export interface FilteredRow {
  /** A column of the row. */
  column(name: string): Sql
  /** A value of the request. */
  value(name: string): Sql
  readonly dialect: Dialect
}

/** Creates the filter that joins the conditions of these filters with `join`. */
export function joinFilters<User extends Identity>(
  filters: readonly RowFilter<User>[],
  join: (conditions: readonly Sql[]) => Sql,
): RowFilter<User> {
  return {
    get volatile() {
      return filters.some(({ volatile }) => volatile)
    },
    where: row =>
      join(
        filters.map((filter, index) => parenthesize(filter, { ...row, value: name => row.value(`${index}.${name}`) })),
      ),
    async values(context) {
      const valuesByFilter = await Promise.all(filters.map(filter => filter.values(context)))
      return Object.fromEntries(
        valuesByFilter.flatMap((values, index) =>
          Object.entries(values).map(([name, value]) => [`${index}.${name}`, value]),
        ),
      )
    },
  }
}

/** Creates the filter that every row must pass; undefined if there are no filters. */
export function combineFilters<User extends Identity>(
  filters: readonly RowFilter<User>[],
): RowFilter<User> | undefined {
  if (filters.length < 2) return filters[0]
  const joined = joinFilters(filters, conditions => sql`(${joinConditions(conditions)})`)
  return Object.assign(joined, { determines: filters.flatMap(({ determines = [] }) => determines) })
}

/** The condition that all of these are true. */
export const joinConditions = (conditions: readonly Sql[]): Sql => sql`${sql.join(conditions, sql` and `)}`

const defaultPrefix = 'filter.'
// The space prevents a conflict with the names of the other values.
const addedPrefix = 'added '

/**
 * Adds a condition to a filter, whose values keep their names: `readFilterValues` reads them, and `readAddedValues` those of
 * the added condition. So a request that needs the first ones earlier reads each value once.
 */
export function addCondition(filter: RowCondition | undefined, added: RowCondition): RowCondition {
  const where = (row: FilteredRow) => parenthesize(added, { ...row, value: name => row.value(addedPrefix + name) })
  if (filter === undefined) return { ...(added.volatile && { volatile: true }), where }
  return {
    ...((filter.volatile || added.volatile) && { volatile: true }),
    where: row => sql`(${parenthesize(filter, row)} and ${where(row)})`,
  }
}

/** The values of an added condition for a statement that contains it. */
export const readAddedValues = (added: RowFilter, context: RequestContext): MaybePromise<Arguments> =>
  readFilterValues(added, context, defaultPrefix + addedPrefix)

/** The condition of the filter on rows with the alias `table`. Its parameter names begin with the prefix. */
export function createRowCondition(dialect: Dialect, table: string, filter: RowCondition, prefix = defaultPrefix): Sql {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  return parenthesize(filter, { column, value: name => parameter(prefix + name), dialect })
}

/** Creates the `where` clause for this filter on the table and the extra conditions; empty if there are none. */
export function createWhereClause(
  dialect: Dialect,
  table: string,
  filter: RowCondition | undefined,
  ...extraConditions: readonly Sql[]
): Sql {
  const conditions = [...extraConditions, ...(filter === undefined ? [] : [createRowCondition(dialect, table, filter)])]
  return conditions.length === 0 ? sql`` : sql`where ${joinConditions(conditions)}`
}

// Parentheses, because the condition may contain an `or`.
const parenthesize = (filter: Pick<RowFilter, 'where'>, row: FilteredRow): Sql => sql`(${filter.where(row)})`

/** The values of a filter for a statement that contains it, by the names that `createRowCondition` uses. */
export function readFilterValues(
  filter: RowFilter | undefined,
  context: RequestContext,
  prefix = defaultPrefix,
): MaybePromise<Arguments> {
  return filter === undefined ? noValues : prefixValues(filter, context, prefix)
}

/** Like `readFilterValues`, with the method GET: for rows that a request reads while it writes another object. */
export const readFilterValuesForGet = (
  filter: RowFilter | undefined,
  context: RequestContext,
  prefix?: string,
): MaybePromise<Arguments> => readFilterValues(filter, { ...context, method: 'GET' }, prefix)

async function prefixValues(filter: RowFilter, context: RequestContext, prefix: string): Promise<Arguments> {
  const values = await filter.values(context)
  // Undefined is null: a scheme that is written in JavaScript may leave the id of its users out.
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [prefix + name, value ?? null]))
}
