// SQL for the order of a resource's lists, and for the rows after a position in that order (keyset pagination). On
// every database, null sorts last in ascending order and first in descending order.

import { sql } from 'kysely'
import { parameter } from '../../database/database.ts'
import type { Sql } from '../../database/dialect.ts'
import type { Field, FieldLocation, Relation } from '../../fields/field.ts'
import { createVisibleKey } from '../../fields/visible.ts'
import { comparedColumn, findRelation } from '../storage.ts'

/** One column of an order. */
export interface Ordering {
  readonly column: string
  readonly descending: boolean
  /** Whether the column's field accepts null. */
  readonly nullable: boolean
  /** The relation whose key the column holds. */
  readonly relation?: Relation | undefined
}

/** One column of an order, in SQL. */
export interface OrderedValue extends Pick<Ordering, 'descending' | 'nullable'> {
  readonly value: Sql
}

/**
 * Parses an order such as `['-published', 'title']`: names of fields, or of columns that no field has. Appends the column
 * `key`, whose values are unique, so the order is total; it has the direction of the column before it, so one index serves
 * both.
 */
export function completeOrdering(
  names: readonly string[],
  key: string,
  fields: Readonly<Record<string, Field>>,
): readonly Ordering[] {
  const nullable = nullableColumns(fields)
  const ordering = names.map(name => {
    const column = findColumn(name.replace(/^-/, ''), key, fields)
    return {
      column,
      descending: name.startsWith('-'),
      nullable: nullable.has(column),
      relation: findRelation(fields, column),
    }
  })
  if (ordering.some(({ column }) => column === key)) return ordering
  return [...ordering, { column: key, descending: ordering.at(-1)?.descending ?? false, nullable: false }]
}

// The order of public ids would be random, so their integers are ordered instead.
function findColumn(name: string, key: string, fields: Readonly<Record<string, Field>>): string {
  const field = Object.hasOwn(fields, name) ? fields[name]! : undefined
  if (field === undefined) return name
  return field.keyColumn === undefined ? (comparedColumn(name, field) ?? name) : key
}

function nullableColumns(fields: Readonly<Record<string, Field>>): ReadonlySet<string> {
  return new Set(
    Object.entries(fields).flatMap(([name, { nullable, storage }]) =>
      nullable && storage.kind === 'column' ? (storage.column ?? name) : [],
    ),
  )
}

/** The opposite order. */
export const reverseOrdering = (ordering: readonly Ordering[]): readonly Ordering[] =>
  ordering.map(part => ({ ...part, descending: !part.descending }))

/** The ordering in SQL. A related object that is hidden from the caller sorts as null. */
export function orderedValues(
  table: string,
  ordering: readonly Ordering[],
  related: Pick<FieldLocation, 'visibleCondition'>,
): readonly OrderedValue[] {
  return ordering.map(({ column, descending, nullable, relation }) => {
    const reference = sql.ref(`${table}.${column}`)
    const value = relation === undefined ? reference : createVisibleKey(related, relation, reference)
    return { value, descending, nullable: nullable || value !== reference }
  })
}

/** The expressions of an `order by` clause. */
export function orderBy(values: readonly OrderedValue[]): Sql {
  return sql.join(values.map(part => sql`${part.value} ${sql.raw(formatDirection(part))}`))
}

function formatDirection({ descending, nullable }: OrderedValue): string {
  if (!nullable) return descending ? 'desc' : 'asc'
  return descending ? 'desc nulls first' : 'asc nulls last'
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
const isNull = (value: Sql): Sql => sql`cast(${value} as text) is null`
