// The SQL of conditions on rows of declared tables.

import { sql } from 'kysely'
import { adviseName } from '../../base/nearest-name.ts'
import type { SqlValue } from '../../database/database.ts'
import type { Dialect, Sql } from '../../database/dialect.ts'
import { castTo } from '../../database/expressions.ts'
import { rowsOf } from '../../database/row-source.ts'
import type { Field } from '../../fields/field.ts'
import type { ComputedScope } from '../../fields/kinds/computed.ts'
import { integer } from '../../fields/kinds/integer.ts'
import { type PositiveLookup, positiveLookups } from '../../fields/kinds/kind.ts'
import { text } from '../../fields/kinds/text.ts'
import { uuid } from '../../fields/kinds/uuid.ts'
import { toStoredValue } from '../../fields/storage.ts'
import type { Key } from '../../keys/key.ts'
import { joinConditions } from '../../policy/permissions/row-filter.ts'
import { findRowSource, toColumn } from '../../tables/column-names.ts'
import {
  type CallerValue,
  type Condition,
  type ConditionValue,
  isPlaceholder,
  type Placeholder,
} from '../../tables/condition.ts'
import { findExistingRows } from '../../tables/existing-rows.ts'
import { findRelation, keyColumn, requireRelation, type TableRelation } from '../../tables/find-relation.ts'
import { isKeyField, isTableColumn, type Table } from '../../tables/table.ts'
import { compileLookup, type LookupSql, type ParameterName } from '../query/filters/compile-lookup.ts'
import { ignoresCase, isPatternLookup, isTextLookup, parseLookup, prepareText } from '../query/filters/lookups.ts'
import { formatList } from '../query/filters/read-values.ts'

/** Where a condition applies. */
export interface ConditionScope {
  readonly dialect: Dialect
  /** The table whose schema has all tables. */
  readonly root: Table
  readonly table: Table
  /** A column of the row. */
  column(name: string): Sql
  /** The SQL of a value of the request. */
  request(placeholder: Placeholder): Sql
  /** The SQL of a value of the condition; default: a literal. */
  constant?(value: SqlValue): Sql
  /** The number of tables around this one, for aliases. */
  readonly depth: number
  /** The tables around this one in whose own `rows` the condition stands. Their `rows` do not apply again, so a circle ends. */
  readonly within?: readonly Table[]
}

/** The scope of conditions in the SQL of a field or a filter of a table. */
export const createScope = (
  table: Table,
  scope: Omit<ComputedScope, 'language'> & { readonly value?: Sql },
): ConditionScope => ({
  dialect: scope.dialect,
  root: table,
  table,
  depth: 0,
  column: name => scope.row[name]!,
  request: (placeholder: Placeholder) => {
    // What reads the time is not cached, so only a condition with it may.
    if (placeholder.placeholder === 'now') return scope.now
    if (placeholder.placeholder === 'caller')
      return (scope.caller as Readonly<Record<string, Sql>>)[placeholder.property!]!
    if (scope.value !== undefined) return scope.value
    throw new Error('value(): only a condition of "filters" has a value of the query')
  },
})

/** Compiles the conditions on the rows of the scope's table that exist. `isLiving`: also that they were not deleted. */
export function compileExistence(scope: ConditionScope, isLiving = true): readonly Sql[] {
  const { living, ofTenant } = findExistingRows(scope.table)
  const conditions = [...(isLiving ? living : []), ...ofTenant]
  return [...conditions.map(each => compileCondition(each, scope)), ...compileOwnRows(scope)]
}

// The rows of a table have the columns of the table that it extends, so its `rows` are a condition on them too.
function compileOwnRows(scope: ConditionScope): readonly Sql[] {
  const { table, within = [] } = scope
  const { parent, options } = table
  const inner = { ...scope, within: [...within, table] }
  return [
    ...(options.rows === undefined || within.includes(table) ? [] : [compileCondition(options.rows, inner)]),
    ...(parent === undefined ? [] : compileOwnRows({ ...scope, table: parent.table })),
  ]
}

/** Compiles a condition. Throws an Error that names a wrong path, lookup or value. */
export function compileCondition(condition: Condition | CallerValue, scope: ConditionScope): Sql {
  if (isPlaceholder(condition)) return castTo(scope.request(condition), 'boolean')
  const parts = Object.entries(condition).map(([name, part]) => compilePart(name, part, scope))
  return parts.length === 0 ? sql`true` : sql`(${joinConditions(parts)})`
}

function compilePart(name: string, part: Condition[string], scope: ConditionScope): Sql {
  if (name === 'or' || name === 'and') {
    const conditions = (part as readonly (Condition | CallerValue)[]).map(each => compileCondition(each, scope))
    return sql`(${sql.join(conditions, name === 'or' ? sql` or ` : sql` and `)})`
  }
  // A condition whose value is null does not hold, so its negation does.
  if (name === 'not') return sql`(${compileCondition(part as Condition | CallerValue, scope)}) is not true`
  const [first, ...rest] = name.split('.') as [string, ...string[]]
  if (rest.length > 0)
    return compileRelated(requireRelation(scope.root, scope.table, first), { [rest.join('.')]: part }, scope)
  if (isCondition(part)) return compileRelated(requireRelation(scope.root, scope.table, first), part, scope)
  return compileColumn(name, part as Exclude<ConditionValue, Condition>, scope)
}

const isCondition = (part: unknown): part is Condition =>
  typeof part === 'object' && part !== null && !Array.isArray(part) && !isPlaceholder(part)

/** The condition that a related row fulfils this one. */
const compileRelated = (relation: TableRelation, condition: Condition, scope: ConditionScope): Sql =>
  sql`${scope.column(relation.own)} in (${selectRelated(relation, referOther(relation, scope), scope, condition)})`

/** A query of the related rows that fulfil a condition. `isOf`: only those of the row of the scope. */
export function selectRelated(
  relation: TableRelation,
  selected: Sql,
  scope: ConditionScope,
  condition: Condition = {},
  isOf = false,
): Sql {
  const { table, own, through } = relation
  const enter = (entered: Table, alias: string): ConditionScope => ({
    ...scope,
    table: entered,
    depth: scope.depth + 1,
    column: name => sql.ref(`${alias}.${name}`),
  })
  const [alias, joined] = [aliasOf(scope), joinAliasOf(scope)]
  const inner = enter(table, alias)
  const parts = [
    ...compileExistence(inner),
    ...(through === undefined ? [] : compileExistence(enter(through.table, joined))),
    ...(isOf ? [sql`${referOther(relation, scope)} = ${scope.column(own)}`] : []),
    ...(Object.keys(condition).length > 0 ? [compileCondition(condition, inner)] : []),
  ]
  const where = parts.length === 0 ? sql`` : sql` where ${joinConditions(parts)}`
  const join =
    through === undefined
      ? sql``
      : sql` inner join ${rowsOf(findRowSource(through.table), joined)} on ${sql.ref(`${joined}.${through.target}`)} = ${sql.ref(`${alias}.${keyColumn(table)}`)}`
  return sql`select ${selected} from ${rowsOf(findRowSource(table), alias)}${join}${where}`
}

/** The column of the related rows, or of those that join them, with the value that leads to the row of the scope. */
const referOther = ({ other, through }: TableRelation, scope: ConditionScope): Sql =>
  sql.ref(`${through === undefined ? aliasOf(scope) : joinAliasOf(scope)}.${other}`)

/** The alias of a related table. The space prevents a conflict with the names of tables. */
export const aliasOf = ({ depth }: Pick<ConditionScope, 'depth'>): string => `related ${depth + 1}`

const joinAliasOf = ({ depth }: ConditionScope): string => `joined ${depth + 1}`

type ColumnValue = Exclude<ConditionValue, Condition>

function compileColumn(name: string, given: ColumnValue, scope: ConditionScope): Sql {
  const { table, dialect } = scope
  const [declared, lookup] = splitLookup(table, name)
  const { positive, negated } = parseLookup(lookup as Parameters<typeof parseLookup>[0])
  const compared = describeColumn(scope, declared)
  const column = scope.column(toColumn(table, declared))
  const place = `table "${table.name}": condition "${name}"`
  if (given === null || positive === 'isnull')
    return findNull(positive, given, place) === negated ? sql`${column} is not null` : sql`${column} is null`
  const parameter = createParameter(compared, positive, given, scope, place)
  const found = compileLookup[positive]({ value: column, compared, dialect, parameter })
  return negated ? sql`(${found}) is not true` : found
}

/** Whether a comparison with null, or `isnull`, asks for null. */
function findNull(lookup: PositiveLookup, given: ColumnValue, place: string): boolean {
  if (lookup === 'isnull' && typeof given === 'boolean') return given
  if (lookup === 'exact') return true
  throw new Error(
    `${place}: ${lookup === 'isnull' ? 'write true or false' : 'null has no order and no text: use "isnull"'}`,
  )
}

/** Splits `price__gte`; a column whose name contains `__` comes first. */
export function splitLookup(table: Table, name: string): readonly [column: string, lookup: string] {
  if (Object.hasOwn(table.columns, name)) return [name, 'exact']
  for (let end = name.lastIndexOf('__'); end > 0; end = name.lastIndexOf('__', end - 1)) {
    const [column, lookup] = [name.slice(0, end), name.slice(end + 2)]
    if (!Object.hasOwn(table.columns, column)) continue
    if (lookup === 'not' || allowed.includes(lookup.replace(/^not__/, '') as PositiveLookup)) return [column, lookup]
    throw new Error(
      `table "${table.name}": condition "${name}": there is no lookup "${lookup}"${adviseName(lookup, allowed) || `: the lookups are ${allowed.join(', ')}`}`,
    )
  }
  throw new Error(`table "${table.name}": there is no column "${name}"${adviseName(name, Object.keys(table.columns))}`)
}

// The values of these depend on the calendar.
const allowed: readonly PositiveLookup[] = positiveLookups.filter(lookup => lookup !== 'date' && lookup !== 'year')

// References contain the key itself, also if it has a public id.
const keyFields: Readonly<Record<Key['type'], Field>> = { integer: integer(), uuid: uuid(), string: text() }

/** The field by which a column is compared; a reference and a key are compared as keys. */
export function describeColumn(
  { root, table }: Pick<ConditionScope, 'root' | 'table'>,
  name: string,
): LookupSql['compared'] {
  const column = table.columns[name]!
  const keyed = isKeyField(column) ? table : findRelation(root, table, name)?.table
  const field =
    keyed === undefined
      ? (isTableColumn(column) ? (column.field ?? column.ids) : column)!
      : keyFields[(keyed.key as Key).type]
  return { field, kind: field.kind, isComputed: false }
}

function createParameter(
  compared: LookupSql['compared'],
  lookup: PositiveLookup,
  given: NonNullable<ColumnValue>,
  scope: ConditionScope,
  place: string,
): LookupSql['parameter'] {
  if (isPlaceholder(given)) {
    if (isPatternLookup(lookup)) throw new Error(`${place}: write the regular expression itself`)
    const found = scope.request(given)
    return () => (ignoresCase(lookup) ? scope.dialect.lowerText(castTo(found, 'text')) : found)
  }
  const store = (each: SqlValue) => toStoredValue(compared.field, each)
  const { constant = sql.lit } = scope
  if (lookup === 'in') return () => constant(formatList(compared.kind, asList(given, place).map(store), scope.dialect))
  if (lookup === 'range') {
    const [from, to] = asList(given, place).map(store)
    return (name: ParameterName) => constant(name === 'from' ? from! : to!)
  }
  if (Array.isArray(given)) throw new Error(`${place}: a list needs the lookup "in" or "range"`)
  const stored = isTextLookup(lookup) ? prepareText(lookup, String(given)) : store(given as SqlValue)
  return () => constant(stored)
}

function asList(given: unknown, place: string): readonly SqlValue[] {
  if (Array.isArray(given)) return given
  throw new Error(`${place}: write a list of values`)
}
