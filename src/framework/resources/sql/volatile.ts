// SQL whose value changes although no data does: with the time, or by chance. Results and counts are kept until the data
// changes, so such SQL has to be declared (decision 036).

import { sql } from 'kysely'
import type { Database, SqlValue } from '../../database/database.ts'
import type { Sql } from '../../database/dialect.ts'
import type { Field, Fields, Place } from '../../fields/field.ts'
import { type RowFilter, rowCondition } from '../../permissions/row-filter.ts'

/** Does the representation of these fields change although no data does? */
export const hasVolatile = (fields: Fields): boolean => Object.values(fields).some(({ volatile }) => volatile)

/** Throws for a field whose SQL changes with more than data and does not say so. */
export function checkField(database: Database, name: string, { volatile, show }: Field, place: Place): void {
  // Only an application's own SQL declares whether it is volatile.
  const found = volatile === false ? findVolatile(database, show(place)) : undefined
  if (found !== undefined)
    throw new Error(
      `resource "${place.resource}": field "${name}": its SQL depends on more than data (${found}): declare it as computed(…, { volatile: true }), so that no response with it is kept`,
    )
}

/** Throws for a row filter whose condition changes with more than data and values, and does not say so. */
export function checkFilter(database: Database, resource: string, table: string, filter: RowFilter): void {
  const found = filter.volatile ? undefined : findVolatile(database, rowCondition(table, filter))
  if (found !== undefined)
    throw new Error(
      `resource "${resource}": a row filter depends on more than data (${found}): take it from "values", or say "volatile: true" beside "where", so that no response with it is kept`,
    )
}

function findVolatile({ kysely, dialect }: Database, expression: Sql): string | undefined {
  const { sql: text, parameters } = sql`select ${expression}`.compile(kysely)
  const values = (parameters as readonly SqlValue[]).filter(value => typeof value === 'string')
  const [found] = dialect.volatile.exec(withoutNames([text, ...values.map(value => `'${value}'`)].join(' '))) ?? []
  return found?.replace(/\s*\($/, '()')
}

// Texts and quoted names may contain anything; of texts, only those that a function may read as the time remain.
const withoutNames = (text: string): string =>
  text
    .replace(/"(?:[^"]|"")*"/g, '""')
    .replace(/'(?:[^']|'')*'/g, literal => (/^'(?:now|today|tomorrow|yesterday)'$/i.test(literal) ? literal : "''"))
