// Reads the tables of SQLite as a state, and notes what a state cannot say about them.

import { type Kysely, sql } from 'kysely'
import { parseDefault } from '../../editors/definitions.ts'
import { normalizeReference, normalizeTable } from '../../editors/normalize.ts'
import type { ExistingState } from '../../editors/schema-editor.ts'
import type { ColumnState, IndexState, ReferenceState, TableState } from '../../schema/schema-state.ts'
import { type ColumnRow, findIntegerKey, findKeyColumns } from '../sqlite-catalogue.ts'
import { tokenize } from '../sqlite-definitions.ts'
import { canonicalType, definitions, findType, now } from './definitions.ts'
import { noteTable } from './sqlite-notes.ts'
import { type CatalogueIndex, type CatalogueReference, type CatalogueTable, readTable } from './sqlite-table.ts'
import type { TableText } from './table-text.ts'

export async function readState(kysely: Kysely<unknown>, names?: readonly string[]): Promise<ExistingState> {
  const { rows: views } = await sql<{ name: string; sql: string }>`
    select name, sql from sqlite_schema where type = 'view' order by name`.execute(kysely)
  const { rows } = await sql<{ name: string }>`
    select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name`.execute(
    kysely,
  )
  const isWanted = ({ name }: { readonly name: string }) => names === undefined || names.includes(name)
  const tables: CatalogueTable[] = []
  for (const { name } of rows.filter(isWanted)) tables.push(await readTable(kysely, name))
  return {
    tables: Object.fromEntries(tables.map(table => [table.name, toState(table)])),
    views: Object.fromEntries(views.filter(isWanted).map(view => [view.name, findViewQuery(view.sql)])),
    notes: Object.fromEntries(tables.map(table => [table.name, noteTable(table)])),
  }
}

const findViewQuery = (text: string): string => {
  const as = tokenize(text).find(token => /^as$/i.test(token.text))!
  return text.slice(as.start + 2).trim()
}

/** The names of CHECK constraints, with their SQL; those without a name get one. */
export function listChecks(table: string, text: TableText): readonly (readonly [name: string, sql: string])[] {
  const checks = [...text.columns.flatMap(({ clauses }) => clauses), ...text.constraints].filter(
    ({ kind }) => kind === 'check',
  )
  let unnamed = 0
  return checks.map(({ name, inner = '' }) => [name ?? `${table}_check${++unnamed === 1 ? '' : unnamed}`, inner])
}

/** The name of an index; a UNIQUE constraint has that of the index that a declaration asks for. */
export const findIndexName = (table: string, { name, origin, parts }: CatalogueIndex): string =>
  origin === 'u' ? [table, ...parts.map(part => part.name), 'unique'].join('_') : name

/** Whether the column is the rowid itself, whose values SQLite generates. */
const isIntegerKey = ({ columns, isWithoutRowId }: CatalogueTable, { name }: ColumnRow): boolean =>
  !isWithoutRowId && findIntegerKey(columns) === name

export function toState(table: CatalogueTable): TableState {
  const { name, columns, indexes, text } = table
  return {
    columns: Object.fromEntries(columns.map(column => [column.name, toColumn(table, column)])),
    key: findKeyColumns(columns),
    indexes: Object.fromEntries(
      indexes
        .filter(({ parts }) => parts.every(part => part.name !== null))
        .map(index => [findIndexName(name, index), toIndex(index)]),
    ),
    checks: Object.fromEntries(listChecks(name, text)),
  }
}

function toColumn(table: CatalogueTable, column: ColumnRow): ColumnState {
  const { name, type, notnull, pk, dflt_value: value, hidden } = column
  if (isIntegerKey(table, column)) return { type: 'key' }
  const own = table.references.find(({ columns: [first, ...others] }) => first === name && others.length === 0)
  const clauses = table.text.columns.find(each => each.name === name)?.clauses ?? []
  const generated = hidden > 1 ? clauses.find(({ kind }) => kind === 'generated' || kind === 'as')?.inner : undefined
  return {
    type: findType(type),
    // SQLite takes null in a primary key unless the column refuses it; no declaration means that.
    ...(notnull === 0 && pk === 0 && { nullable: true }),
    ...(value !== null && value.toLowerCase() !== 'null' && { default: parseDefault(value, now) }),
    ...(generated !== undefined && { generated }),
    ...(own && { references: toReference(own) }),
  }
}

const toReference = ({ table, targets, onDelete }: CatalogueReference): ReferenceState => ({
  table,
  ...(targets[0] !== 'id' && targets[0] !== null && { column: targets[0]! }),
  ...((onDelete === 'cascade' || onDelete === 'set null') && { onDelete }),
})

function toIndex({ parts, isUnique, sql: text }: CatalogueIndex): IndexState {
  const where = text === null ? undefined : tokenize(text).find(token => /^where$/i.test(token.text))
  return {
    columns: parts.map(({ name, descending }) => `${descending === 1 ? '-' : ''}${name}`),
    ...(isUnique === 1 && { unique: true }),
    ...(where && { where: text!.slice(where.start + 5).trim() }),
  }
}

/** The table as `readState` describes it once it exists. */
export const normalize = (table: TableState): TableState => normalizeTable(table, definitions, normalizeColumn)

/** `isKey`: the column is the whole primary key. */
export function normalizeColumn(column: ColumnState, isKey: boolean): ColumnState {
  const { nullable, default: value, generated, references } = column
  const type = canonicalType(column.type)
  if (type === 'key' || (isKey && type === 'integer')) return { type: 'key' }
  return {
    type,
    ...(nullable && { nullable }),
    ...(value !== undefined && { default: parseDefault(unwrap(definitions.formatDefault(value)), now) }),
    ...(generated !== undefined && { generated: definitions.pick(generated) }),
    ...(references && { references: normalizeReference(references) }),
  }
}

// The catalogue shows a default without its parentheses.
const unwrap = (text: string): string => text.replace(/^\((.*)\)$/s, '$1')
