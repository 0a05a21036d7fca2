// The statements that check a request body: do the related objects exist, and are the unique values free?

import { sql } from 'kysely'
import { type Arguments, compile, type Database, parameter, type Statement } from '../../database/database.ts'
import { placeColumn, type Sql } from '../../database/dialect.ts'
import { rowsOf } from '../../database/row-source.ts'
import type { RelationTarget } from '../../fields/field.ts'
import { selectRowName } from '../../fields/identifier.ts'
import { storageColumn } from '../../fields/storage.ts'
import { createVisibleKey } from '../../fields/visible.ts'
import { findPublicIdentifier, type Identifier, type Key, type KeyValue } from '../../keys/key.ts'
import { createWhereClause, type RowFilter } from '../../policy/permissions/row-filter.ts'
import { findRowSource } from '../../tables/column-names.ts'
import { keyColumn } from '../../tables/find-relation.ts'
import type { Table } from '../../tables/table.ts'
import type { Resource } from '../declare/resource.ts'
import { hasListedName, isNamed } from './key-list.ts'
import type { RelatedRows } from './related-rows.ts'

type KeyRow = readonly [key: KeyValue]

/** The key of a row, and the value of the identifier unless it is the key. */
type IdentifiedRow = readonly [key: KeyValue, identifier?: KeyValue]

/**
 * Selects the keys of the rows that the values of the parameter `keys` (see `formatKeyList`) identify, if they exist and
 * meet the condition, if there is one.
 */
export function compileExistence(
  database: Database,
  { target, identifier }: { readonly target: RelationTarget; readonly identifier: Identifier },
  createCondition: () => Sql | undefined,
): Statement<IdentifiedRow> {
  const { table, key } = target
  return compile(database, () => {
    const condition = createCondition()
    const refer = (column: string) => sql.ref(`${table}.${column}`)
    const named = selectRowName(database.dialect, identifier, refer)
    const columns = identifier.column === key.column ? named : sql`${refer(key.column)}, ${named}`
    const isRequested = hasListedName(database.dialect, identifier, { table, refer }, parameter('keys'))
    const where = condition === undefined ? isRequested : sql`${isRequested} and ${condition}`
    return sql`select ${columns} from ${rowsOf(target)} where ${where}`
  })
}

/** The key of a row, and what bodies contain instead of it. */
export type SelectedRow = readonly [key: KeyValue, name: KeyValue]

/**
 * Selects the rows whose columns have the values of one of the rows of the parameter `rows` (`Dialect.records`), if they meet the
 * condition, and the index of that row.
 */
export function compileSelection(
  database: Database,
  target: Pick<RelationTarget, 'table' | 'key' | 'parentRows'>,
  columns: readonly string[],
  filter: RowFilter | undefined,
): Statement<readonly [place: number, ...SelectedRow]> {
  const { table, key } = target
  const refer = (column: string) => sql.ref(`${table}.${column}`)
  const { column: name } = findPublicIdentifier(key)
  const given = database.dialect.records(table, columns, parameter('rows'))
  const isSame = columns.map(column => sql`${refer(column)} = ${sql.id('given', column)}`)
  return compile(
    database,
    () =>
      sql`select ${sql.id('given', placeColumn)}, ${refer(key.column)}, ${refer(name)} from (${given}) as given, ${rowsOf(target)} ${createWhereClause(database.dialect, table, filter, ...isSame)}`,
  )
}

/** Selects the row of a declared table with the key `id`, if it meets the condition. */
export function compileMeets(database: Database, table: Table, filter: RowFilter): Statement {
  const { dialect } = database
  const key = table.key as Key
  const hasKey = isNamed(dialect, key, sql.ref(`${table.name}.${keyColumn(table)}`), parameter('id'))
  return compile(
    database,
    () => sql`select 1 from ${rowsOf(findRowSource(table))} ${createWhereClause(dialect, table.name, filter, hasKey)}`,
  )
}

/**
 * The statements that find the row with the key `id` if the field's column has the value of the parameter `value`, or
 * null. The key of an object that is hidden from the caller counts as null, because responses show it as null.
 */
export function compileIsSame(
  database: Database,
  resource: Resource,
  { name, related }: { readonly name: string; readonly related: RelatedRows },
): Readonly<Record<'value' | 'null', Statement>> {
  const { table, key, fields } = resource
  const field = fields[name]!
  const { relation } = field
  const column = sql.ref(`${table}.${storageColumn(name, field)}`)
  const find = (condition: () => Sql) =>
    compile(
      database,
      () =>
        sql`select 1 from ${rowsOf(resource)} where ${sql.ref(`${table}.${key.column}`)} = ${parameter('id')} and ${condition()}`,
    )
  return {
    value: find(
      () =>
        field.compileFilter?.(column, parameter('value'), database.dialect) ?? sql`${column} = ${parameter('value')}`,
    ),
    null: find(() => sql`${relation === undefined ? column : createVisibleKey(related, relation, column)} is null`),
  }
}

/** The columns of the parameter `rows` of `compileSameValuesOfMany`. */
export const listCompared = (
  { key }: Resource,
  columns: readonly string[],
  filled: readonly string[],
): readonly string[] => (filled.length === 0 ? columns : [...columns, ...filled, key.column])

const ownAlias = 'own row'

// The value of a changed row is its own, and that of a new row is what the framework fills.
function isSameFilled(resource: Resource, column: string, given: { readonly key: Sql; readonly filled: Sql }): Sql {
  const { table, key, filledColumns } = resource
  const own = sql`select ${sql.id(ownAlias, column)} from ${rowsOf(resource, ownAlias)} where ${sql.id(ownAlias, key.column)} = ${given.key}`
  const [found, expected] = [sql.ref(`${table}.${column}`), sql`coalesce((${own}), ${given.filled})`]
  const isSame = sql`${found} = ${expected}`
  // The rows without a tenant are compared with each other.
  const mayHaveNone = filledColumns.create.some(
    each => each.column === column && each.fill === 'tenant' && each.nullable,
  )
  return mayHaveNone ? sql`(${isSame} or (${found} is null and ${expected} is null))` : isSame
}

/** The condition that a row has not been deleted, if a deletion leaves it in the table. */
const listLiving = ({ table, deletedColumn }: Resource): readonly Sql[] =>
  deletedColumn === undefined ? [] : [sql`${sql.ref(`${table}.${deletedColumn}`)} is null`]

// The spaces prevent a conflict with the names of fields.
const ownKey = 'own key'
const nameFilled = (column: string): string => `filled ${column}`

/** The parameters of the row that is compared: its key, and what a new row gets in the columns that the framework fills. */
export const nameRowValues = (key: KeyValue | undefined, filled: Arguments): Arguments => ({
  [ownKey]: key ?? null,
  ...Object.fromEntries(Object.entries(filled).map(([column, value]) => [nameFilled(column), value])),
})

/**
 * Selects the keys of the rows with these values; the parameters are named after the fields. `filled`: further columns that must be the
 * same, which bodies cannot write (see `nameRowValues`).
 */
export function compileSameValues(
  database: Database,
  resource: Resource,
  names: readonly string[],
  filled: readonly string[] = [],
): Statement<KeyRow> {
  const { table, key, fields } = resource
  const isSame = names.map(
    name => sql`${sql.ref(`${table}.${storageColumn(name, fields[name]!)}`)} = ${parameter(name)}`,
  )
  const isFilledSame = filled.map(column =>
    isSameFilled(resource, column, { key: parameter(ownKey), filled: parameter(nameFilled(column)) }),
  )
  const conditions = [...isSame, ...isFilledSame, ...listLiving(resource)]
  return compile(
    database,
    sql`select ${sql.ref(`${table}.${key.column}`)} from ${rowsOf(resource)} where ${sql.join(conditions, sql` and `)}`,
  )
}

/**
 * The same for several rows of values: the parameter `rows` is that of `Dialect.records`. Selects the index of the row with
 * each key.
 */
export function compileSameValuesOfMany(
  database: Database,
  resource: Resource,
  columns: readonly string[],
  filled: readonly string[] = [],
): Statement<readonly [place: number, key: KeyValue]> {
  const { table, key } = resource
  const isSame = columns.map(column => sql`${sql.ref(`${table}.${column}`)} = ${sql.id('given', column)}`)
  const isFilledSame = filled.map(column =>
    isSameFilled(resource, column, { key: sql.id('given', key.column), filled: sql.id('given', column) }),
  )
  const conditions = [...isSame, ...isFilledSame, ...listLiving(resource)]
  const rows = database.dialect.records(table, listCompared(resource, columns, filled), parameter('rows'))
  return compile(
    database,
    sql`select ${sql.id('given', placeColumn)}, ${sql.ref(`${table}.${key.column}`)} from (${rows}) as given inner join ${rowsOf(resource)} on ${sql.join(conditions, sql` and `)}`,
  )
}
