// The order of a resource's lists, and the rows behind a position in it: null comes last, and first in a descending
// order, on every database.

import { sql } from 'kysely'
import { parameter } from '../../database/database.ts'
import type { Sql } from '../../database/dialect.ts'
import type { Field, Place, Relation } from '../../fields/field.ts'
import { visibleKey } from '../../fields/related.ts'
import { relationIn } from '../storage.ts'

/** One column of an order. */
export interface Ordering {
  readonly column: string
  readonly descending: boolean
  /** May it be null, as its field says? */
  readonly nullable: boolean
  /** The relation whose key it is. */
  readonly relation?: Relation | undefined
}

/** One part of an order, in SQL. */
export interface OrderedValue extends Pick<Ordering, 'descending' | 'nullable'> {
  readonly value: Sql
}

/**
 * The order that `['-published', 'title']` names. The key makes every order total: it follows the direction of the
 * column before it, so that one index serves both.
 */
export function completeOrdering(
  names: readonly string[],
  key: string,
  fields: Readonly<Record<string, Field>>,
): readonly Ordering[] {
  const nullable = nullableColumns(fields)
  const ordering = names.map(name => {
    const column = name.replace(/^-/, '')
    return {
      column,
      descending: name.startsWith('-'),
      nullable: nullable.has(column),
      relation: relationIn(fields, column),
    }
  })
  if (ordering.some(({ column }) => column === key)) return ordering
  return [...ordering, { column: key, descending: ordering.at(-1)?.descending ?? false, nullable: false }]
}

function nullableColumns(fields: Readonly<Record<string, Field>>): ReadonlySet<string> {
  return new Set(
    Object.entries(fields).flatMap(([name, { nullable, storage }]) =>
      nullable && storage.kind === 'column' ? (storage.column ?? name) : [],
    ),
  )
}

/** The same rows from the end. */
export const reverseOrdering = (ordering: readonly Ordering[]): readonly Ordering[] =>
  ordering.map(part => ({ ...part, descending: !part.descending }))

/** The ordering of a table's rows. A related object that does not exist for the caller counts as null. */
export function orderedValues(
  table: string,
  ordering: readonly Ordering[],
  related: Pick<Place, 'visible'>,
): readonly OrderedValue[] {
  return ordering.map(({ column, descending, nullable, relation }) => {
    const own = sql.ref(`${table}.${column}`)
    const value = relation === undefined ? own : visibleKey(related, relation, own)
    return { value, descending, nullable: nullable || value !== own }
  })
}

/** What follows `order by`. */
export function orderBy(values: readonly OrderedValue[]): Sql {
  return sql.join(values.map(part => sql`${part.value} ${sql.raw(directionOf(part))}`))
}

function directionOf({ descending, nullable }: OrderedValue): string {
  if (!nullable) return descending ? 'desc' : 'asc'
  return descending ? 'desc nulls first' : 'asc nulls last'
}

/** True for the rows behind a position: `position0`, `position1`, … in the values of the ordering. */
export function afterPosition(values: readonly OrderedValue[]): Sql {
  const parts = values.map(({ value, ...part }, index) => ({
    ...part,
    own: value,
    value: parameter(`position${index}`),
  }))
  const { descending } = parts[0]!
  // An index serves a comparison of rows, but that knows one direction and no null.
  if (parts.every(part => part.descending === descending && !part.nullable)) {
    const [own, values] = [parts.map(part => part.own), parts.map(part => part.value)]
    return sql`(${sql.join(own)}) ${sql.raw(descending ? '<' : '>')} (${sql.join(values)})`
  }
  const alternatives = parts.map(
    (part, index) => sql`(${sql.join([...parts.slice(0, index).map(isEqual), isBeyond(part)], sql` and `)})`,
  )
  return sql`(${sql.join(alternatives, sql` or `)})`
}

interface Compared extends OrderedValue {
  readonly own: Sql
}

function isEqual({ own, value, nullable }: Compared): Sql {
  return nullable ? sql`(${own} = ${value} or (${own} is null and ${isNull(value)}))` : sql`${own} = ${value}`
}

function isBeyond({ own, value, descending, nullable }: Compared): Sql {
  const beyond = sql`${own} ${sql.raw(descending ? '<' : '>')} ${value}`
  if (!nullable) return beyond
  return descending
    ? sql`(${beyond} or (${own} is not null and ${isNull(value)}))`
    : sql`(${beyond} or (${own} is null and not (${isNull(value)})))`
}

// PostgreSQL cannot know the type of a value that is compared with nothing but null.
const isNull = (value: Sql): Sql => sql`cast(${value} as text) is null`
