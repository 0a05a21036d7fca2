// The state that a declared table asks for: its columns, indexes and checks as the migrations know them.

import { sql } from 'kysely'
import type { ColumnKind } from '../database/catalogue.ts'
import type { Sql } from '../database/dialect.ts'
import { findStoredKey } from '../database/row-source.ts'
import type {
  ColumnState,
  ColumnType,
  DefaultValue,
  IndexState,
  SqlText,
  TableState,
} from '../database/schema/schema-state.ts'
import { formatConditions, formatSqlText, isEqual, isOneOf } from '../database/schema/sql-text.ts'
import type { Field } from '../fields/field.ts'
import { createReferences } from '../fields/sql-references.ts'
import { listStoredColumns } from '../fields/storage.ts'
import type { Key } from '../keys/key.ts'
import type { GeneratedScope, TableColumn } from './column.ts'
import { findFilledName, findRowSource, toColumn } from './column-names.ts'
import { findTenant } from './existing-rows.ts'
import { formatName } from './format-name.ts'
import { type IndexOptions, isKeyField, isTableColumn, type Table } from './table.ts'

/** Finds the table with a name among the declared ones; undefined if there is none. */
export type FindTable = (name: string) => Table | undefined

/** Creates the state of a table. Throws an Error that begins with the table's name for a wrong declaration. */
export function createTableState(declared: Table, findTable: FindTable): TableState {
  const { name, options, key, parent } = declared
  if (parent !== undefined) checkOwnColumns(declared, parent.table, findTable)
  const table = parent === undefined ? declared : { ...declared, columns: declared.ownColumns }
  const columns = Object.assign({}, ...Object.keys(table.columns).map(each => createColumns(table, each, findTable)))
  const withKey: Readonly<Record<string, ColumnState>> =
    isKey(key) && parent === undefined ? { ...createKeyColumns(table, key), ...columns } : columns
  const place = `table "${name}"`
  const checks = Object.entries(options.checks ?? {}).map(([check, declared]) => {
    const { name: given, condition } =
      typeof declared === 'object' ? declared : { name: formatCheckName(name, check), condition: declared }
    const placed = `${place}: check "${check}"`
    const create = condition === true ? createChoiceCheck(table, check, placed) : condition
    return [given, formatCheck(create, table, placed)] as const
  })
  return {
    columns: withKey,
    key: isKey(key) ? [storedKey(declared)] : key.map(each => toColumn(table, each)),
    indexes: Object.fromEntries(listIndexes(table)),
    checks: Object.fromEntries(checks),
  }
}

/** The column of the table itself with its key, which is of one column. */
const storedKey = (table: Table): string => findStoredKey(findRowSource(table), (table.key as Key).column)

// A unique index cannot contain a column of another table.
function checkOwnColumns(table: Table, parent: Table, findTable: FindTable): void {
  const place = `table "${table.name}"`
  if (findTable(parent.name) !== parent)
    throw new Error(`${place}: extends: "${parent.name}" is no table of the schema: add it to "tables" or to "uses"`)
  const filled = (['tenant', 'deleted'] as const).find(fill => findFilledName(parent, fill) !== undefined)
  const unique =
    table.options.unique?.[0]?.[0] ?? Object.keys(table.ownColumns).find(each => isUnique(table.ownColumns[each]!))
  if (filled !== undefined && unique !== undefined)
    throw new Error(
      `${place}: "${unique}" is unique, and the column of ${filled}() is in "${parent.name}": declare "${unique}" there, where unique values are ${filled === 'tenant' ? 'unique for each tenant' : 'free after a deletion'}`,
    )
}

const formatCheckName = (table: string, check: string): string =>
  check.startsWith(`${table}_`) ? formatName(check) : formatName(table, check)

/** The condition that a column contains one of its choices. */
function createChoiceCheck({ columns }: Table, name: string, place: string): (scope: GeneratedScope) => Sql {
  const column = columns[name]
  if (column === undefined || isTableColumn(column) || column.choices === undefined || column.store !== undefined)
    throw new Error(`${place}: true is for a column with choices, such as choice(["draft", "live"]): write a function`)
  const choices = [...column.choices.keys()]
  return ({ row }) => isOneOf(row[name]!, choices)
}

const isKey = (key: Table['key']): key is Key => !Array.isArray(key)

const keyTypes: Readonly<Record<Key['type'], ColumnType>> = { integer: 'key', uuid: 'uuid', string: 'text' }

function createKeyColumns(
  { options: { types = {}, defaults = {} } }: Table,
  { column, type, publicIdentifier }: Key,
): Readonly<Record<string, ColumnState>> {
  const initial = defaults[column]
  return {
    [column]: { type: types[column] ?? keyTypes[type], ...(initial != null && { default: initial }) },
    ...(publicIdentifier && { [publicIdentifier.column]: { type: 'text' } }),
  }
}

/** The storage of one declared column: one column, none for the key, or one for each part. */
function createColumns(table: Table, name: string, findTable: FindTable): Readonly<Record<string, ColumnState>> {
  const column = table.columns[name]!
  if (isKeyField(column)) return {}
  const place = `table "${table.name}": column "${name}"`
  const initial = table.options.defaults?.[name]
  const given = table.options.types?.[name]
  const extra = { ...(given && { type: given }), ...(initial != null && { default: initial }) }
  if (!isTableColumn(column))
    return Object.fromEntries(
      listStoredColumns(name, column).map(stored => [
        stored.column,
        { ...describeField(column, stored.field, place), ...extra },
      ]),
    )
  const { field, ids, nullable, fill, generated, reference } = column
  const shared = { ...(nullable && { nullable: true as const }), ...extra }
  if (reference !== undefined) {
    const { table: target, onDelete } = reference
    const { type, column: targetColumn } = findReferred(target, findTable, place)
    const references = {
      table: target,
      ...(targetColumn !== 'id' && { column: targetColumn }),
      ...(onDelete && { onDelete }),
    }
    return { [toColumn(table, name)]: { type, ...shared, references } }
  }
  if (ids !== undefined) return { [toColumn(table, name)]: { type: findColumnType(ids, place), ...shared } }
  const type = findColumnType(field!, place)
  if (generated === undefined)
    return {
      [name]: {
        type,
        ...shared,
        ...((fill === 'created' || fill === 'updated') && initial === undefined && { default: { now: true } as const }),
      },
    }
  return { [name]: { type, ...shared, generated: formatCheck(generated, table, place) } }
}

/** The defaults of the fields that are texts, numbers and booleans, by `table.column`. */
export const listDefaults = ({ name, ownColumns }: Table): Readonly<Record<string, DefaultValue>> =>
  Object.fromEntries(
    Object.entries(ownColumns).flatMap(([declared, column]) => {
      if (isKeyField(column) || isTableColumn(column)) return []
      const stored = listStoredColumns(declared, column)
      const { default: initial } = column
      const isPlain = typeof initial === 'string' || typeof initial === 'number' || typeof initial === 'boolean'
      return isPlain && stored.length === 1 ? [[`${name}.${stored[0]!.column}`, initial] as const] : []
    }),
  )

function describeField(whole: Field, { nullable, ...field }: Field, place: string): ColumnState {
  const isNullable = nullable || whole.nullable
  return { type: findColumnType(field, place), ...(isNullable && { nullable: true as const }) }
}

function findReferred(
  name: string,
  findTable: FindTable,
  place: string,
): { readonly type: ColumnType; readonly column: string } {
  const target = findTable(name)
  if (target === undefined) throw new Error(`${place}: there is no table "${name}": add it to "tables" or to "uses"`)
  const { key } = target
  if (!isKey(key))
    throw new Error(`${place}: the table "${name}" has a key of several columns, which a reference cannot contain`)
  return { type: key.type === 'integer' ? 'integer' : keyTypes[key.type], column: storedKey(target) }
}

const columnTypes: Readonly<Partial<Record<ColumnKind, ColumnType>>> = {
  integer: 'integer',
  float: 'number',
  boolean: 'boolean',
  uuid: 'uuid',
  text: 'text',
  date: 'date',
  time: 'time',
  datetime: 'dateTime',
  json: 'json',
}

/** The type of the column that stores a field. */
export function findColumnType({ kind, bounds }: Pick<Field, 'kind' | 'bounds'>, place: string): ColumnType {
  const [usual] = kind.columns ?? []
  if (kind.columnType !== undefined) return kind.columnType
  if (usual === 'decimal') return `decimal(${bounds.max_digits!},${bounds.decimal_places!})`
  const type = usual === undefined ? undefined : columnTypes[usual]
  if (type !== undefined) return type
  throw new Error(
    `${place}: no column type is known for a field of the kind "${kind.name}": name it in "columnType" of the kind`,
  )
}

function* listIndexes(table: Table): Iterable<readonly [name: string, index: IndexState]> {
  const { name, columns, options, key } = table
  const tenant = findTenant(table)
  const isPerTenant = (names: readonly string[]) => tenant !== undefined && !names.includes(tenant.name)
  const perTenant = (names: readonly string[]) => (isPerTenant(names) ? [tenant!.name, ...names] : names)
  if (isKey(key) && key.publicIdentifier !== undefined) {
    const { column } = key.publicIdentifier
    yield [formatName(name, column, 'unique'), { columns: [column], unique: true }]
  }
  const indexes = (options.indexes ?? []).map(index => (isList(index) ? { columns: index } : index))
  const isNamed = (set: readonly string[]) =>
    indexes.some(index => index.unique && index.where === undefined && index.columns.join() === set.join())
  const sets = Object.entries(columns).flatMap(([column, declared]) =>
    isUnique(declared) ? [isTableColumn(declared) ? [column] : perTenant([column])] : [],
  )
  for (const set of [...sets, ...(options.unique ?? []).map(perTenant)]) {
    if (!isNamed(set)) yield createIndex(table, { columns: set, unique: true })
    if (tenant?.nullable && set.includes(tenant.name)) yield createIndexWithoutTenant(table, set, tenant.name)
  }
  for (const index of indexes) yield createIndex(table, index)
}

// An index with the tenant takes each value of rows without one, because null differs from null.
function createIndexWithoutTenant(table: Table, set: readonly string[], tenant: string) {
  const columns = set.filter(name => name !== tenant)
  const name = formatName(table.name, ...columns.map(each => toColumn(table, each)), 'without', tenant, 'unique')
  return createIndex(table, { columns, name, unique: true, where: { [tenant]: null } })
}

const isList = (index: NonNullable<Table['options']['indexes']>[number]): index is readonly string[] =>
  Array.isArray(index)

const isUnique = (column: Field | TableColumn): boolean =>
  isTableColumn(column) ? column.reference?.unique === true : column.unique !== undefined && !isKeyField(column)

function createIndex(table: Table, index: IndexOptions): readonly [name: string, index: IndexState] {
  const { columns: names, unique = false, name: given } = index
  const columns = names.map(each =>
    each.startsWith('-') ? `-${toColumn(table, each.slice(1))}` : toColumn(table, each),
  )
  const parts = columns.map(each => (each.startsWith('-') ? `${each.slice(1)}_desc` : each))
  const name = given ?? formatName(table.name, ...parts, ...(unique ? ['unique'] : []))
  const where = formatWhere(table, index, `table "${table.name}": index "${name}": where`)
  return [name, { columns, ...(unique && { unique }), ...(where !== undefined && { where }) }]
}

/** The rows of an index; undefined for all. Unique values of deleted rows are free. */
function formatWhere(table: Table, { unique, where }: IndexOptions, place: string): SqlText | undefined {
  const deleted = unique ? findFilledName(table, 'deleted') : undefined
  const given = typeof where === 'function' ? [where(createRow(table))] : []
  const own = [
    ...(typeof where === 'function' ? [] : listEqualities(table, where)),
    ...(deleted === undefined ? [] : [isEqual(deleted, null)]),
  ]
  return given.length + own.length === 0 ? undefined : formatConditions(own, given, place)
}

const listEqualities = (table: Table, where: object = {}): readonly Sql[] =>
  Object.entries(where).map(([name, value]) => isEqual(toColumn(table, name), value ?? null))

const formatCheck = (create: (scope: GeneratedScope) => Sql, table: Table, place: string): SqlText =>
  formatSqlText(() => create(createRow(table)), place)

const createRow = (table: Table): GeneratedScope => ({
  row: createReferences(name => sql.ref(Object.hasOwn(table.columns, name) ? toColumn(table, name) : name)),
})
