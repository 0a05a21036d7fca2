// The SQL of lookups. It is the same for all values of a filter, which are bound as parameters.

import { sql } from 'kysely'
import type { Dialect, Sql } from '../../../database/dialect.ts'
import { castTo, textLength } from '../../../database/expressions.ts'
import type { PositiveLookup } from '../../../fields/kinds/kind.ts'
import type { QueriedValue } from '../queried-value.ts'

/** The parameters of a filter. `value`: the one value, or the list of `in`. `from`, `to`: the bounds of a range. */
export type ParameterName = 'value' | 'from' | 'to'

/** The parts of a lookup's SQL. */
export interface LookupSql {
  readonly value: Sql
  readonly compared: Pick<QueriedValue, 'field' | 'kind' | 'isComputed'>
  readonly dialect: Dialect
  /** Refers to a value of the query. */
  parameter(name: ParameterName): Sql
}

/** The number of characters of a text in which regular expressions are searched. */
export const maxSearchedLength = 10_000

type CompileLookup = (parts: LookupSql) => Sql

const compare =
  (operator: string, name: ParameterName = 'value'): CompileLookup =>
  ({ value, compared, dialect, parameter }) => {
    const { kind } = compared
    const expected = parameter(name)
    if (kind.compare) return kind.compare(value, operator, expected, dialect)
    // PostgreSQL would give the parameter the type of the other side, which may be too narrow; SQLite would compare a decimal
    // with a computed number as text.
    const typed = kind.cast ? castTo(expected, kind.cast) : expected
    return sql`${roundComputed({ value, compared })} ${sql.raw(operator)} ${typed}`
  }

const isBetween: CompileLookup = comparison =>
  sql`(${compare('>=', 'from')(comparison)} and ${compare('<=', 'to')(comparison)})`

const isEqual: CompileLookup = comparison => {
  const { value, compared, dialect, parameter } = comparison
  return compared.field.compileFilter?.(value, parameter('value'), dialect) ?? compare('=')(comparison)
}

const isOneOf: CompileLookup = ({ value, compared, dialect, parameter }) => {
  const list = parameter('value')
  const stored = roundComputed({ value, compared })
  return compared.kind.cast === 'bigint' ? sql`${stored} in (${dialect.keys(list)})` : dialect.isOneOf(stored, list)
}

/** Compares a text, without regard to the case of ASCII letters if `ignoreCase`. */
const compareText =
  (compareWith: (text: Sql, part: Sql, dialect: Dialect) => Sql, ignoreCase: boolean): CompileLookup =>
  ({ value, dialect, parameter }) => {
    const text = ignoreCase ? dialect.lowerText(value) : dialect.plainText(value)
    return compareWith(text, castTo(parameter('value'), 'text'), dialect)
  }

const isSame = (text: Sql, part: Sql): Sql => sql`${text} = ${part}`
const contains = (text: Sql, part: Sql, dialect: Dialect): Sql => dialect.contains(text, part)
const startsWith = (text: Sql, part: Sql): Sql => sql`substr(${text}, 1, ${textLength(part)}) = ${part}`
const endsWith = (text: Sql, part: Sql): Sql =>
  sql`(${textLength(text)} >= ${textLength(part)} and substr(${text}, ${textLength(text)} - ${textLength(part)} + 1) = ${part})`

// A bound of the work for one row.
const matches = (text: Sql, pattern: Sql, dialect: Dialect): Sql =>
  dialect.matchesPattern(sql`substr(${text}, 1, ${sql.lit(maxSearchedLength)})`, pattern)

const containsItem: CompileLookup = ({ value, dialect, parameter }) =>
  sql`exists (select 1 from (${dialect.texts(value)}) as items where ${castTo(sql.ref('items.value'), 'text')} = ${parameter('value')})`

/** The condition of each lookup. `isnull` compiles to `is not null`; the filter negates it for `true`. */
export const compileLookup: Readonly<Record<PositiveLookup, CompileLookup>> = {
  exact: isEqual,
  in: isOneOf,
  isnull: ({ value }) => sql`${value} is not null`,
  iexact: compareText(isSame, true),
  contains: comparison =>
    comparison.compared.kind.hasItems ? containsItem(comparison) : compareText(contains, false)(comparison),
  icontains: compareText(contains, true),
  startswith: compareText(startsWith, false),
  istartswith: compareText(startsWith, true),
  endswith: compareText(endsWith, false),
  iendswith: compareText(endsWith, true),
  regex: compareText(matches, false),
  iregex: compareText(matches, false),
  gt: compare('>'),
  gte: compare('>='),
  lt: compare('<'),
  lte: compare('<='),
  range: isBetween,
  date: isBetween,
  year: isBetween,
}

// SQLite computes decimals as doubles.
const roundComputed = ({ value, compared: { kind, field, isComputed } }: Pick<LookupSql, 'value' | 'compared'>): Sql =>
  isComputed && kind.cast === 'numeric' ? sql`round(${value}, ${sql.lit(field.bounds.decimal_places!)})` : value
