// The state that a declared table asks for: its columns, indexes and checks as the migrations know them.

import { sql } from 'kysely'
import type { ColumnKind } from '../database/catalogue.ts'
import type { Sql } from '../database/dialect.ts'
import type {
  ColumnState,
  ColumnType,
  DefaultValue,
  IndexState,
  SqlText,
  TableState,
} from '../database/schema/schema-state.ts'
import { formatEqualities, formatSqlText } from '../database/schema/sql-text.ts'
import type { Field } from '../fields/field.ts'
import { createReferences, type RowReferences } from '../fields/sql-references.ts'
import { listStoredColumns } from '../fields/storage.ts'
import type { Key } from '../keys/key.ts'
import type { GeneratedScope, TableColumn } from './column.ts'
import { formatName } from './format-name.ts'
import { type IndexOptions, isKeyField, isTableColumn, type Table } from './table.ts'

/** Finds the table with a name among the declared ones; undefined if there is none. */
export type FindTable = (name: string) => Table | undefined

/** Creates the state of a table. Throws an Error that begins with the table's name for a wrong declaration. */
export function createTableState(table: Table, findTable: FindTable): TableState {
  const { name, options, key } = table
  const columns = Object.assign({}, ...Object.keys(table.columns).map(each => createColumns(table, each, findTable)))
  const withKey: Readonly<Record<string, ColumnState>> = isKey(key)
    ? { ...createKeyColumns(table, key), ...columns }
    : columns
  const place = `table "${name}"`
  const checks = Object.entries(options.checks ?? {}).map(
    ([check, create]) =>
      [formatCheckName(name, check), formatCheck(create, table, `${place}: check "${check}"`)] as const,
  )
  return {
    columns: withKey,
    key: isKey(key) ? [key.column] : key.map(each => toColumn(table, each)),
    indexes: Object.fromEntries(listIndexes(table)),
    checks: Object.fromEntries(checks),
  }
}

const formatCheckName = (table: string, check: string): string =>
  check.startsWith(`${table}_`) ? formatName(check) : formatName(table, check)

const isKey = (key: Table['key']): key is Key => !Array.isArray(key)

const keyTypes: Readonly<Record<Key['type'], ColumnType>> = { integer: 'key', uuid: 'uuid', string: 'text' }

function createKeyColumns(
  { options: { types = {}, defaults = {} } }: Table,
  { column, type, publicIdentifier }: Key,
): Readonly<Record<string, ColumnState>> {
  const initial = defaults[column]
  return {
    [column]: { type: types[column] ?? keyTypes[type], ...(initial !== undefined && { default: initial }) },
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
  const extra = { ...(given && { type: given }), ...(initial !== undefined && { default: initial }) }
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
        ...(isFilledAtOnce(fill) && initial === undefined && { default: { now: true } as const }),
      },
    }
  return { [name]: { type, ...shared, generated: formatCheck(generated, table, place) } }
}

/** The defaults of the fields that are texts, numbers and booleans, by `table.column`. */
export const listDefaults = ({ name, columns }: Table): Readonly<Record<string, DefaultValue>> =>
  Object.fromEntries(
    Object.entries(columns).flatMap(([declared, column]) => {
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
  return { type: key.type === 'integer' ? 'integer' : keyTypes[key.type], column: key.column }
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

/** The name of the column that a declared name stands for. */
export function toColumn({ name: table, columns }: Pick<Table, 'name' | 'columns'>, name: string): string {
  const column = columns[name]
  if (column === undefined) throw new Error(`table "${table}": there is no column "${name}"`)
  if (isTableColumn(column)) {
    if (column.reference !== undefined) return column.reference.column ?? `${name}_id`
    return column.ids === undefined ? name : (column.idColumn ?? `${name}_id`)
  }
  if (isKeyField(column)) return name
  const [stored, ...others] = listStoredColumns(name, column)
  if (stored !== undefined && others.length === 0) return stored.column
  throw new Error(`table "${table}": "${name}" is stored in several columns: name one of them`)
}

/** The column with the time of a deletion that leaves the row; undefined if there is none. */
export const findDeletedColumn = ({ columns }: Pick<Table, 'columns'>): string | undefined =>
  Object.keys(columns).find(name => {
    const column = columns[name]!
    return isTableColumn(column) && column.fill === 'deleted'
  })

/** The names of the columns, and the declared name of each. */
export const listColumnNames = (table: Table): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(table.columns).flatMap(([name, column]) =>
      isTableColumn(column) || isKeyField(column)
        ? [[toColumn(table, name), name] as const]
        : listStoredColumns(name, column).map(stored => [stored.column, name] as const),
    ),
  )

function* listIndexes(table: Table): Iterable<readonly [name: string, index: IndexState]> {
  const { name, columns, options, key } = table
  const create = (names: readonly string[], unique: boolean, given?: string): readonly [string, IndexState] => {
    const ordered = names.map(each =>
      each.startsWith('-') ? `-${toColumn(table, each.slice(1))}` : toColumn(table, each),
    )
    const parts = ordered.map(each => (each.startsWith('-') ? `${each.slice(1)}_desc` : each))
    // Unique values of deleted rows are free.
    const living = unique ? findDeletedColumn(table) : undefined
    const where = living === undefined ? undefined : formatEqualities([[living, null]], `table "${name}"`)
    const index = { columns: ordered, ...(unique && { unique: true as const }), ...(where && { where }) }
    return [given ?? formatName(name, ...parts, ...(unique ? ['unique'] : [])), index]
  }
  if (isKey(key) && key.publicIdentifier !== undefined) {
    const { column } = key.publicIdentifier
    yield [formatName(name, column, 'unique'), { columns: [column], unique: true }]
  }
  for (const [column, declared] of Object.entries(columns)) if (isUnique(declared)) yield create([column], true)
  for (const set of options.unique ?? []) yield create(set, true)
  for (const index of options.indexes ?? []) {
    const { columns: names, name: given, unique = false, where } = isList(index) ? { columns: index } : index
    const [indexName, state] = create(names, unique, given)
    yield [indexName, { ...state, ...(where && { where: formatWhere(where, table, indexName) }) }]
  }
}

const isFilledAtOnce = (fill: TableColumn['fill']): boolean => fill === 'created' || fill === 'updated'

const isList = (index: NonNullable<Table['options']['indexes']>[number]): index is readonly string[] =>
  Array.isArray(index)

const isUnique = (column: Field | TableColumn): boolean =>
  isTableColumn(column) ? column.reference?.unique === true : column.unique !== undefined && !isKeyField(column)

function formatWhere(where: NonNullable<IndexOptions['where']>, table: Table, index: string): SqlText {
  const place = `table "${table.name}": index "${index}": where`
  if (typeof where === 'function') return formatCheck(where, table, place)
  return formatEqualities(
    Object.entries(where).map(([name, value]) => [toColumn(table, name), value ?? null] as const),
    place,
  )
}

function formatCheck(create: (scope: GeneratedScope) => Sql, table: Table, place: string): SqlText {
  const row = createReferences<RowReferences>(name =>
    sql.ref(Object.hasOwn(table.columns, name) ? toColumn(table, name) : name),
  )
  return formatSqlText(() => create({ row }), place)
}
