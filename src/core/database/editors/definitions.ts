// Writes tables, columns and indexes as the SQL of one database.

import { DummyDriver, Kysely, type RawBuilder, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { quote } from '../catalogue.ts'
import type { ColumnTypes } from '../dialect.ts'
import { applyChanges } from '../schema/apply-changes.ts'
import type { CreateTable } from '../schema/change.ts'
import {
  type ColumnState,
  type ColumnType,
  type DefaultValue,
  emptyState,
  type IndexState,
  type ReferenceState,
  type SqlByDatabase,
  type SqlText,
  type TableState,
} from '../schema/schema-state.ts'

export interface Definitions {
  formatType(type: ColumnType): string
  formatDefault(value: DefaultValue): string
  /** Without the name. A column of the type `key` is a primary key. */
  formatColumn(column: ColumnState): string
  formatTable(name: string, table: Omit<TableState, 'indexes'>): string
  /** `mode`: what follows `index`, such as `concurrently`. */
  formatIndex(table: string, name: string, index: IndexState, mode?: string): string
  /** The SQL for this database. */
  pick(text: SqlText): string
}

export function createDefinitions(database: keyof SqlByDatabase, types: ColumnTypes): Definitions {
  const pick = (text: SqlText) => (typeof text === 'string' ? text : text[database])
  const formatType = (type: ColumnType): string => {
    if (typeof type === 'object') return type[database]
    if (type === 'integer') return toText(types.reference)
    const [, digits, places] = /^decimal\((\d+),(\d+)\)$/.exec(type) ?? []
    if (digits !== undefined) return toText(types.decimal(Number(digits), Number(places)))
    return toText(types[type as Exclude<keyof ColumnTypes, 'decimal'>])
  }
  const formatDefault = (value: DefaultValue): string => {
    if (typeof value === 'string') return quoteText(value)
    if (typeof value !== 'object') return String(value)
    return 'sql' in value ? `(${pick(value.sql)})` : toText(types.now)
  }
  const formatColumn = (column: ColumnState): string =>
    [
      formatType(column.type),
      column.nullable || column.type === 'key' ? undefined : 'not null',
      column.default === undefined ? undefined : `default ${formatDefault(column.default)}`,
      column.generated === undefined ? undefined : `generated always as (${pick(column.generated)}) stored`,
      column.references && formatReference(column.references),
    ]
      .filter(part => part !== undefined)
      .join(' ')
  return {
    pick,
    formatType,
    formatDefault,
    formatColumn,
    formatTable(name, { columns, key, checks }) {
      const hasKey = Object.values(columns).some(({ type }) => type === 'key')
      const items = [
        ...Object.entries(columns).map(([column, state]) => `${quote(column)} ${formatColumn(state)}`),
        ...(hasKey || key.length === 0 ? [] : [`primary key (${quoteAll(key)})`]),
        ...Object.entries(checks).map(([check, text]) => formatCheck(check, pick(text))),
      ]
      return `create table ${quote(name)} (${items.join(', ')})`
    },
    formatIndex(table, name, { columns, unique, where }, mode = '') {
      const items = columns.map(column => (column.startsWith('-') ? `${quote(column.slice(1))} desc` : quote(column)))
      const condition = where === undefined ? '' : ` where ${pick(where)}`
      return `create ${unique ? 'unique ' : ''}index ${mode}${quote(name)} on ${quote(table)} (${items.join(', ')})${condition}`
    },
  }
}

/** The statements that create a table with its indexes. */
export function listCreations({ formatTable, formatIndex }: Definitions, change: CreateTable): readonly string[] {
  const name = change.createTable
  const { indexes, ...table } = applyChanges(emptyState, [change]).tables[name]!
  return [formatTable(name, table), ...Object.entries(indexes).map(([index, state]) => formatIndex(name, index, state))]
}

export const formatReference = ({ table, column = 'id', onDelete }: ReferenceState): string =>
  `references ${quote(table)} (${quote(column)})${onDelete === undefined ? '' : ` on delete ${onDelete}`}`

export const formatCheck = (name: string, sql: string): string => `constraint ${quote(name)} check (${sql})`

export const quoteAll = (names: readonly string[]): string => names.map(quote).join(', ')

export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** The default value that this SQL is. */
export function parseDefault(text: string, now: string): DefaultValue {
  if (text.toLowerCase() === now.toLowerCase()) return { now: true }
  const [, quoted] = /^'((?:[^']|'')*)'$/s.exec(text) ?? []
  if (quoted !== undefined) return quoted.replaceAll("''", "'")
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : { sql: text }
}

// Types contain no parameters, so any compiler writes them.
const compiler = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: kysely => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
})

const toText = (type: RawBuilder<unknown>): string => type.compile(compiler).sql
