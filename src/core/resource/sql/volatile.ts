// Volatile SQL: its value changes while the data does not, because it depends on the time or is random. Responses and
// counts are cached until the data changes, so volatile SQL must be declared (decision 036).

import { sql } from 'kysely'
import type { Database, SqlValue } from '../../database/database.ts'
import type { Sql } from '../../database/dialect.ts'
import type { Field, FieldLocation, Fields } from '../../fields/field.ts'
import { createRowCondition, type RowFilter } from '../../policy/permissions/row-filter.ts'

/** Is any of these fields volatile? */
export const hasVolatileField = (fields: Fields): boolean => Object.values(fields).some(({ volatile }) => volatile)

/** Throws if the SQL of a field is volatile but not declared as such. */
export function checkFieldVolatility(
  database: Database,
  name: string,
  { volatile, show }: Field,
  place: FieldLocation,
): void {
  // `volatile` is undefined for SQL that the framework writes.
  const found = volatile === false ? findVolatile(database, show(place)) : undefined
  if (found !== undefined)
    throw new Error(
      `resource "${place.resource}": field "${name}": its SQL depends on more than data (${found}): declare it as computed(…, { volatile: true }), so that no response with it is cached`,
    )
}

/** Throws if the condition of a row filter is volatile but not declared as such. */
export function checkFilterVolatility(database: Database, resource: string, table: string, filter: RowFilter): void {
  const found = filter.volatile
    ? undefined
    : findVolatile(database, createRowCondition(database.dialect, table, filter))
  if (found !== undefined)
    throw new Error(
      `resource "${resource}": a row filter depends on more than data (${found}): take it from "values", or add "volatile: true" to the filter, so that no response with it is cached`,
    )
}

/** Throws if the condition of a filter of lists is volatile but not declared as such. */
export function checkListFilterVolatility(
  database: Database,
  resource: string,
  {
    filter: { parameter },
    volatile,
    condition,
  }: { readonly filter: { readonly parameter: string }; readonly volatile: boolean; readonly condition: Sql },
): void {
  const found = volatile ? undefined : findVolatile(database, condition)
  if (found !== undefined)
    throw new Error(
      `resource "${resource}": filters: "${parameter}" depends on more than data (${found}): declare it as filter(…, { volatile: true }), so that no list that it filters is cached`,
    )
}

function findVolatile({ kysely, dialect }: Database, expression: Sql): string | undefined {
  const { sql: text, parameters } = sql`select ${expression}`.compile(kysely)
  const literals = (parameters as readonly SqlValue[]).filter(value => typeof value === 'string')
  const [found] = dialect.volatile.exec(removeQuoted([text, ...literals.map(value => `'${value}'`)].join(' '))) ?? []
  return found?.replace(/\s*\($/, '()')
}

// Empties string literals and quoted names, because their text is not SQL. Keeps the literals that databases read as a
// time, such as 'now'.
const removeQuoted = (text: string): string =>
  text
    .replace(/"(?:[^"]|"")*"/g, '""')
    .replace(/'(?:[^']|'')*'/g, literal => (/^'(?:now|today|tomorrow|yesterday)'$/i.test(literal) ? literal : "''"))
