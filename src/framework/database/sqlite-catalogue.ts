// Reads the catalogue of SQLite from pragmas, and CHECK constraints from the CREATE TABLE statement.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type Catalogue, type Column, type Constraint, createTable, splitName, type Table } from './catalogue.ts'
import { parseChecks, parseIndexColumns } from './sqlite-definitions.ts'

/** The catalogue of the database to which `handle` is connected. */
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
        const rows = createRowReader(handle)
        const found = names.map(name => readTable(rows, name))
        return new Map(found.flatMap((table, index) => (table === undefined ? [] : [[names[index]!, table] as const])))
      }),
    names: () => translateErrors(() => createRowReader(handle)<{ name: string }>(namesQuery).map(({ name }) => name)),
    compile: statements =>
      translateErrors(() => {
        for (const { sql } of statements) handle.prepare(sql)
      }),
  }
}

const namesQuery = `select name from sqlite_schema where type in ('table', 'view') and name not like 'sqlite\\_%' escape '\\'`

type ReadRows = <Row>(text: string, ...values: string[]) => Row[]

// Prepares each query once for all tables.
function createRowReader(handle: DatabaseSync): ReadRows {
  const prepared = new Map<string, StatementSync>()
  return <Row>(text: string, ...values: string[]) => {
    const statement = prepared.get(text) ?? handle.prepare(text)
    prepared.set(text, statement)
    return statement.all(...values) as Row[]
  }
}

function readTable(rows: ReadRows, requested: string): Table | undefined {
  const [schema = 'main', name] = splitName(requested)
  const [found] = rows<{ name: string; type: string; sql: string }>(
    `select name, type, sql from ${quoteName(schema)}.sqlite_schema where name = ? collate nocase and type in ('table', 'view')`,
    name,
  )
  if (found === undefined) return undefined
  const columns = readColumns(rows, found.name, schema)
  const table = { name: requested, isView: found.type === 'view', columns }
  const constraints = table.isView ? [] : readConstraints(rows, found.name, schema, columns, found.sql)
  return createTable({ ...table, constraints }, isSameName)
}

const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

const isSameName = (first: string, second: string): boolean => first.toLowerCase() === second.toLowerCase()

interface ColumnRow {
  readonly name: string
  readonly type: string
  readonly notnull: number
  readonly dflt_value: string | null
  readonly pk: number
  readonly hidden: number
}

function readColumns(rows: ReadRows, table: string, schema: string): readonly Column[] {
  const found = rows<ColumnRow>('select * from pragma_table_xinfo(?, ?)', table, schema)
  const hasSingleKey = found.filter(({ pk }) => pk > 0).length === 1
  return found.map(({ name, type, notnull, dflt_value, pk, hidden }) => {
    // SQLite generates values only for an INTEGER PRIMARY KEY.
    const isRowId = hasSingleKey && pk > 0 && /^integer$/i.test(type)
    const isGenerated = hidden === 2 || hidden === 3
    return {
      name,
      type,
      isInteger: /int/i.test(type),
      notNull: notnull === 1,
      hasDefault: dflt_value !== null || isRowId || isGenerated,
      isGenerated,
    }
  })
}

function readConstraints(
  rows: ReadRows,
  table: string,
  schema: string,
  columns: readonly Column[],
  text: string,
): readonly Constraint[] {
  const formatLabel = (names: readonly string[]) => names.map(name => `${table}.${name}`).join(', ')
  const notNulls = columns.filter(({ notNull }) => notNull).map(({ name }) => name)
  return [
    ...notNulls.map(name => ({ kind: 'not null' as const, label: formatLabel([name]), columns: [name] })),
    // Every column, because an INTEGER PRIMARY KEY has no index in pragma_index_list.
    ...columns.map(({ name }) => ({ kind: 'unique' as const, label: formatLabel([name]), columns: [name] })),
    ...readUniques(rows, table, schema).map(({ index, names, text: definition }) =>
      definition === undefined
        ? { kind: 'unique' as const, label: formatLabel(names), columns: names }
        : {
            kind: 'unique' as const,
            label: `index '${index}'`,
            columns: parseIndexColumns(
              definition,
              columns.map(({ name }) => name),
            ),
          },
    ),
    ...readForeignKeys(rows, table, schema),
    ...parseChecks(
      text,
      columns.map(({ name }) => name),
    ),
  ]
}

interface Unique {
  readonly index: string
  readonly names: readonly string[]
  /** The CREATE INDEX statement, if the index contains an expression. */
  readonly text: string | undefined
}

function readUniques(rows: ReadRows, table: string, schema: string): readonly Unique[] {
  const indexes = rows<{ name: string; sql: string | null }>(
    `select list.name, made.sql from pragma_index_list(?, ?) as list left join ${quoteName(schema)}.sqlite_schema as made on made.name = list.name where list."unique"`,
    table,
    schema,
  )
  return indexes.map(({ name: index, sql: text }) => {
    const found = rows<{ name: string | null }>(
      'select name from pragma_index_info(?, ?) order by seqno',
      index,
      schema,
    )
    const names = found.flatMap(({ name }) => name ?? [])
    return { index, names, text: names.length < found.length ? (text ?? undefined) : undefined }
  })
}

interface ForeignKeyRow {
  readonly id: number
  readonly table: string
  readonly from: string
  /** Null if the constraint refers to the primary key. */
  readonly to: string | null
}

function readForeignKeys(rows: ReadRows, table: string, schema: string): readonly Constraint[] {
  const found = rows<ForeignKeyRow>('select * from pragma_foreign_key_list(?, ?) order by id, seq', table, schema)
  return [...Map.groupBy(found, ({ id }) => id).values()].map(parts => {
    const [{ table: target, to }] = parts as [ForeignKeyRow]
    const references = { table: target, column: to ?? findPrimaryKey(rows, target, schema) ?? 'rowid' }
    return {
      kind: 'foreign key' as const,
      // SQLite's error does not identify the foreign key.
      label: undefined,
      columns: parts.map(({ from }) => from),
      ...(parts.length === 1 && { references }),
    }
  })
}

const findPrimaryKey = (rows: ReadRows, table: string, schema: string): string | undefined =>
  rows<ColumnRow>('select * from pragma_table_xinfo(?, ?) where pk = 1', table, schema)[0]?.name
