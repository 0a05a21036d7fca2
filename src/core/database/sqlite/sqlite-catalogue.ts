// Reads the catalogue of an SQLite database from pragmas, and CHECK constraints from the CREATE TABLE statement.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import {
  type Catalogue,
  type Column,
  type ColumnKind,
  type Constraint,
  createIndex,
  createTable,
  type Index,
  type IndexedColumn,
  quote,
  splitName,
  type Table,
} from '../catalogue.ts'
import { parseChecks, parseIndexColumns } from './sqlite-definitions.ts'

/** Creates the catalogue of the database of `handle`; `translate` converts the errors that its methods reject with. */
export function sqliteCatalogue(handle: DatabaseSync, translate: (error: unknown) => unknown): Catalogue {
  const translateErrors = async <Result>(work: () => Result): Promise<Result> => {
    try {
      return work()
    } catch (error) {
      throw translate(error)
    }
  }
  return {
    tables: names =>
      translateErrors(() => {
        const query = createQuery(handle)
        const tables = names.map(name => readTable(query, name))
        return new Map(tables.flatMap((table, index) => (table === undefined ? [] : [[names[index]!, table] as const])))
      }),
    indexes: names =>
      translateErrors(() => {
        const query = createQuery(handle)
        return new Map(names.flatMap(name => readIndexes(query, name)))
      }),
    names: () => translateErrors(() => createQuery(handle)<{ name: string }>(selectNames).map(({ name }) => name)),
    compile: statements =>
      translateErrors(() => {
        for (const { sql } of statements) handle.prepare(sql)
      }),
  }
}

const selectNames = `select name from sqlite_schema where type in ('table', 'view') and name not like 'sqlite\\_%' escape '\\'`

type Query = <Row>(text: string, ...values: string[]) => Row[]

// The returned function prepares each SQL text once, and then reuses the statement for all tables.
function createQuery(handle: DatabaseSync): Query {
  const prepared = new Map<string, StatementSync>()
  return <Row>(text: string, ...values: string[]) => {
    const statement = prepared.get(text) ?? handle.prepare(text)
    prepared.set(text, statement)
    return statement.all(...values) as Row[]
  }
}

function readTable(query: Query, requested: string): Table | undefined {
  const [schema = 'main', name] = splitName(requested)
  const [found] = query<{ name: string; type: string; sql: string }>(
    `select name, type, sql from ${quote(schema)}.sqlite_schema where name = ? collate nocase and type in ('table', 'view')`,
    name,
  )
  if (found === undefined) return undefined
  const rows = readColumnRows(query, found.name, schema)
  const columns = toColumns(rows)
  const rowId = findRowId(query, found.name, schema, rows)
  const table = { name: requested, isView: found.type === 'view', columns, primaryKey: findKeyColumns(rows), rowId }
  const integerKey = findIntegerKey(rows)
  const source = { name: found.name, sql: found.sql, schema, columns, integerKey }
  const constraints = table.isView ? [] : readConstraints(query, source)
  return createTable({ ...table, constraints }, isSameName)
}

const isSameName = (first: string, second: string): boolean => first.toLowerCase() === second.toLowerCase()

// Views, virtual tables and WITHOUT ROWID tables may have no rowid.
function findRowId(query: Query, table: string, schema: string, rows: readonly ColumnRow[]): string | undefined {
  const isAnotherColumn = rows.some(({ name }) => isSameName(name, 'rowid'))
  if (isAnotherColumn || findIntegerKey(rows) !== undefined) return undefined
  const [found] = query<{ hasRowId: number }>(
    `select type = 'table' and not wr as hasRowId from pragma_table_list where name = ? and schema = ?`,
    table,
    schema,
  )
  return found?.hasRowId === 1 ? 'rowid' : undefined
}

/** A row of `pragma_table_xinfo`. */
export interface ColumnRow {
  readonly name: string
  readonly type: string
  readonly notnull: number
  readonly dflt_value: string | null
  readonly pk: number
  readonly hidden: number
}

const readColumnRows = (query: Query, table: string, schema: string): readonly ColumnRow[] =>
  query<ColumnRow>('select * from pragma_table_xinfo(?, ?)', table, schema)

// An INTEGER PRIMARY KEY is the rowid itself, and the only kind of column whose values SQLite generates.
export function findIntegerKey(rows: readonly ColumnRow[]): string | undefined {
  const [key, ...others] = rows.filter(({ pk }) => pk > 0)
  return others.length === 0 && key !== undefined && /^integer$/i.test(key.type) ? key.name : undefined
}

export const findKeyColumns = (rows: readonly ColumnRow[]): readonly string[] =>
  rows
    .filter(({ pk }) => pk > 0)
    .toSorted((left, right) => left.pk - right.pk)
    .map(({ name }) => name)

// The declared types that SQLite stores as integers, texts or numbers; `uuid` and `boolean` are names without a meaning for
// SQLite. A column of a date may contain texts or numbers.
function findKind(type: string): ColumnKind {
  if (/int/i.test(type)) return 'integer'
  if (/^uuid$/i.test(type)) return 'uuid'
  if (/char|clob|text/i.test(type)) return 'text'
  if (/real|floa|doub/i.test(type)) return 'float'
  if (/^bool/i.test(type)) return 'boolean'
  return /^(?:numeric|decimal)/i.test(type) ? 'decimal' : 'other'
}

function toColumns(rows: readonly ColumnRow[]): readonly Column[] {
  const integerKey = findIntegerKey(rows)
  return rows.map(({ name, type, notnull, dflt_value, hidden }) => {
    // `hidden` is 2 for a virtual generated column, and 3 for a stored one.
    const isGenerated = hidden === 2 || hidden === 3
    return {
      name,
      type,
      plainType: type.replace(/\s*\(.*/s, ''),
      kind: findKind(type),
      notNull: notnull === 1,
      hasDefault: dflt_value !== null || name === integerKey || isGenerated,
      countsUp: name === integerKey,
      isGenerated,
    }
  })
}

interface TableSource {
  readonly name: string
  readonly schema: string
  /** The CREATE TABLE statement. */
  readonly sql: string
  readonly columns: readonly Column[]
  readonly integerKey: string | undefined
}

function readConstraints(
  query: Query,
  { name: table, schema, sql: tableSql, columns, integerKey }: TableSource,
): readonly Constraint[] {
  const formatLabel = (names: readonly string[]) => names.map(name => `${table}.${name}`).join(', ')
  const notNulls = columns.filter(({ notNull }) => notNull).map(({ name }) => name)
  return [
    ...notNulls.map(name => ({ kind: 'not null' as const, label: formatLabel([name]), columns: [name] })),
    // pragma_index_list omits it.
    ...(integerKey === undefined
      ? []
      : [{ kind: 'unique' as const, label: formatLabel([integerKey]), columns: [integerKey] }]),
    ...readUniqueIndexes(query, table, schema).map(({ index, columnNames, isPartial, definition }) =>
      definition === undefined
        ? { kind: 'unique' as const, label: formatLabel(columnNames), columns: columnNames, isPartial }
        : {
            kind: 'unique' as const,
            isPartial,
            label: `index '${index}'`,
            columns: parseIndexColumns(
              definition,
              columns.map(({ name }) => name),
            ),
          },
    ),
    ...readForeignKeys(query, table, schema),
    ...parseChecks(
      tableSql,
      columns.map(({ name }) => name),
    ),
  ]
}

function readIndexes(query: Query, requested: string): readonly (readonly [string, readonly Index[]])[] {
  const [schema = 'main', name] = splitName(requested)
  const keyColumns = findKeyColumns(readColumnRows(query, name, schema))
  const [table] = query<{ type: string }>(
    'select type from pragma_table_list where name = ? and schema = ?',
    name,
    schema,
  )
  if (table === undefined || table.type === 'view') return []
  const indexes = query<{ name: string }>('select name from pragma_index_list(?, ?) where not partial', name, schema)
  const columns = indexes.map(index => readSortedColumns(query, index.name, schema))
  // An INTEGER PRIMARY KEY has no index of its own.
  return [[requested, [keyColumns.map(name => ({ name, descending: false })), ...columns.map(createIndex)]]]
}

interface SortedColumnRow {
  readonly name: string | null
  readonly descending: number
  readonly hasOwnCollation: number
}

// An expression has no name. An index has the collation of its column, unless its definition names another one.
const readSortedColumns = (query: Query, index: string, schema: string): readonly (IndexedColumn | null)[] =>
  query<SortedColumnRow>(
    `select part.name, part."desc" as descending, part.coll <> 'BINARY' and coalesce(definition.sql like '%collate%', false) as hasOwnCollation from pragma_index_xinfo(?, ?) as part left join ${quote(schema)}.sqlite_schema as definition on definition.name = ? where part.key order by part.seqno`,
    index,
    schema,
    index,
  ).map(({ name, descending, hasOwnCollation }) =>
    name === null || hasOwnCollation === 1 ? null : { name, descending: descending === 1 },
  )

const readIndexColumns = (query: Query, index: string, schema: string): readonly (string | null)[] =>
  query<{ name: string | null }>('select name from pragma_index_info(?, ?) order by seqno', index, schema).map(
    ({ name }) => name,
  )

interface UniqueIndex {
  readonly index: string
  readonly columnNames: readonly string[]
  readonly isPartial: boolean
  /** The CREATE INDEX statement, if the index contains an expression. */
  readonly definition: string | undefined
}

function readUniqueIndexes(query: Query, table: string, schema: string): readonly UniqueIndex[] {
  const indexes = query<{ name: string; partial: number; sql: string | null }>(
    `select list.name, list.partial, definition.sql from pragma_index_list(?, ?) as list left join ${quote(schema)}.sqlite_schema as definition on definition.name = list.name where list."unique"`,
    table,
    schema,
  )
  return indexes.map(({ name: index, partial, sql }) => {
    const parts = readIndexColumns(query, index, schema)
    // An expression has no column name.
    const columnNames = parts.filter(name => name !== null)
    const hasExpression = columnNames.length < parts.length
    const isPartial = partial === 1 && !leavesOutNulls(sql ?? '', columnNames)
    return { index, columnNames, isPartial, definition: hasExpression ? (sql ?? undefined) : undefined }
  })
}

// Two rows with null are never equal, so an index loses nothing without them.
const leavesOutNulls = (definition: string, columns: readonly string[]): boolean => {
  const [, column] = /\swhere\s+["`[]?(\w+)["`\]]?\s+(?:is\s+not\s+null|notnull)\s*$/i.exec(definition) ?? []
  return column !== undefined && columns.some(name => isSameName(name, column))
}

interface ForeignKeyRow {
  readonly id: number
  readonly table: string
  readonly from: string
  /** Null if the constraint refers to the primary key. */
  readonly to: string | null
}

function readForeignKeys(query: Query, table: string, schema: string): readonly Constraint[] {
  const rows = query<ForeignKeyRow>('select * from pragma_foreign_key_list(?, ?) order by id, seq', table, schema)
  return [...Map.groupBy(rows, ({ id }) => id).values()].map(columns => {
    const [{ table: target, to }] = columns as [ForeignKeyRow]
    const references = { table: target, column: to ?? findPrimaryKey(query, target, schema) ?? 'rowid' }
    return {
      kind: 'foreign key' as const,
      // SQLite's error does not identify the foreign key.
      label: undefined,
      columns: columns.map(({ from }) => from),
      ...(columns.length === 1 && { references }),
    }
  })
}

const findPrimaryKey = (query: Query, table: string, schema: string): string | undefined =>
  query<ColumnRow>('select * from pragma_table_xinfo(?, ?) where pk = 1', table, schema)[0]?.name
