// SQL for the order of a resource's lists, and for the rows after a position in that order (keyset pagination). On
// every database, null sorts last in ascending order and first in descending order.

import { sql } from 'kysely'
import { parameter } from '../../database/database.ts'
import type { Sql } from '../../database/dialect.ts'
import { castTo, orderItem } from '../../database/expressions.ts'
import type { FieldLocation } from '../../fields/field.ts'

/** One value of an order. */
export interface Ordering {
  /** The column of the resource's table; undefined for a value that is computed, or that related rows have. */
  readonly column: string | undefined
  readonly descending: boolean
  /** The SQL of the value in the row at this location. */
  compile(location: FieldLocation): NullableSql
}

/** A value in SQL, and whether it can be null. */
export interface NullableSql {
  readonly value: Sql
  readonly nullable: boolean
}

/** One value of an order, in SQL. */
export interface OrderedValue extends NullableSql {
  readonly descending: boolean
}

/** The opposite order. */
export const reverseOrdering = <Part extends Pick<Ordering, 'descending'>>(
  ordering: readonly Part[],
): readonly Part[] => ordering.map(part => ({ ...part, descending: !part.descending }))

/** The ordering in SQL. */
export const orderedValues = (ordering: readonly Ordering[], location: FieldLocation): readonly OrderedValue[] =>
  ordering.map(({ descending, compile }) => ({ ...compile(location), descending }))

/** The expressions of an `order by` clause. */
export function orderBy(values: readonly OrderedValue[]): Sql {
  return sql.join(values.map(part => orderItem(part.value, part)))
}

/**
 * A condition for the rows after a position. The position's values are the parameters `position0`, `position1`, …
 */
export function afterPosition(values: readonly OrderedValue[]): Sql {
  const parts = values.map((part, index) => ({ ...part, position: parameter(`position${index}`) }))
  const { descending } = parts[0]!
  // An index serves a row comparison, but a row comparison has a single direction and cannot handle null.
  if (parts.every(part => part.descending === descending && !part.nullable)) {
    const row = parts.map(({ value }) => value)
    const positions = parts.map(({ position }) => position)
    return sql`(${sql.join(row)}) ${sql.raw(descending ? '<' : '>')} (${sql.join(positions)})`
  }
  const alternatives = parts.map(
    (part, index) => sql`(${sql.join([...parts.slice(0, index).map(isEqual), isAfter(part)], sql` and `)})`,
  )
  return sql`(${sql.join(alternatives, sql` or `)})`
}

interface ComparedValue extends OrderedValue {
  /** The parameter that the value is compared with. */
  readonly position: Sql
}

function isEqual({ value, position, nullable }: ComparedValue): Sql {
  return nullable
    ? sql`(${value} = ${position} or (${value} is null and ${isNull(position)}))`
    : sql`${value} = ${position}`
}

function isAfter({ value, position, descending, nullable }: ComparedValue): Sql {
  const after = sql`${value} ${sql.raw(descending ? '<' : '>')} ${position}`
  if (!nullable) return after
  return descending
    ? sql`(${after} or (${value} is not null and ${isNull(position)}))`
    : sql`(${after} or (${value} is null and not (${isNull(position)})))`
}

// PostgreSQL cannot infer the type of a parameter that is only compared with null.
const isNull = (value: Sql): Sql => sql`${castTo(value, 'text')} is null`
