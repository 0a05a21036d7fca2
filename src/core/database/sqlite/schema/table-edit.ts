// The changes of one table that need a new table, collected until it is built: the text of the new table, and where the values of its
// columns come from.

import { isDeepStrictEqual } from 'node:util'
import { quote } from '../../catalogue.ts'
import { formatCheck, formatReference } from '../../editors/definitions.ts'
import type { AddColumn, AlterColumn } from '../../schema/change.ts'
import type { ColumnState } from '../../schema/schema-state.ts'
import { findKeyColumns } from '../sqlite-catalogue.ts'
import { definitions } from './definitions.ts'
import { listChecks, normalizeColumn, toState } from './sqlite-state.ts'
import type { CatalogueTable } from './sqlite-table.ts'
import type { Clause, ColumnText, ConstraintText, TableText } from './table-text.ts'
import { convertValue, findInvalid } from './values.ts'

export interface TableEdit {
  readonly table: CatalogueTable
  text: TableText
  /** The definitions of the columns, with the changes. */
  columns: Readonly<Record<string, ColumnState>>
  /** The SQL of each column's values; none for generated columns. */
  readonly values: Map<string, string>
  /** The conditions of values that the new columns must not have, by column. */
  readonly invalid: Map<string, { readonly type: string; readonly condition: string }>
  /** The columns that may no longer be null. */
  readonly notNull: Set<string>
}

export function createEdit(table: CatalogueTable): TableEdit {
  const stored = table.columns.filter(({ hidden }) => hidden === 0)
  return {
    table,
    text: table.text,
    columns: toState(table).columns,
    values: new Map(stored.map(({ name }) => [name, quote(name)])),
    invalid: new Map(),
    notNull: new Set(),
  }
}

export function editAddedColumn(edit: TableEdit, change: AddColumn): void {
  const { table: _, addColumn: name, fill, ...column } = change
  const value = fill ?? column.default
  edit.text = { ...edit.text, columns: [...edit.text.columns, createColumn(name, column)] }
  edit.columns = { ...edit.columns, [name]: column }
  if (column.generated === undefined)
    edit.values.set(name, value === undefined ? 'null' : definitions.formatDefault(value))
}

export const createColumn = (name: string, column: ColumnState): ColumnText => ({
  name,
  type: definitions.formatType(column.type),
  clauses: columnParts.flatMap(part => createClause(part, column)),
})

/** The kinds of the clauses that define each part of a column; the first one is that of a new clause. */
const clauseKinds = {
  nullable: ['not', 'null'],
  default: ['default'],
  generated: ['generated', 'as'],
  references: ['references'],
} as const

type ColumnPart = keyof typeof clauseKinds

const columnParts = Object.keys(clauseKinds) as readonly ColumnPart[]

function createClause(part: ColumnPart, column: ColumnState): readonly Clause[] {
  const [kind] = clauseKinds[part]
  const { nullable, type, default: value, generated, references } = column
  if (part === 'nullable') return nullable || type === 'key' ? [] : [{ kind, text: 'not null' }]
  if (part === 'default')
    return value === undefined ? [] : [{ kind, text: `default ${definitions.formatDefault(value)}` }]
  if (part === 'references') return references === undefined ? [] : [{ kind, text: formatReference(references) }]
  if (generated === undefined) return []
  const inner = definitions.pick(generated)
  return [{ kind, text: `generated always as (${inner}) stored`, inner }]
}

/** Throws if a constraint or a generated column needs the column. */
export function editDroppedColumn(edit: TableEdit, name: string): void {
  const { columns, constraints } = edit.text
  const key = name.toLowerCase()
  const isOwn = ({ kind, columns: own }: ConstraintText) =>
    (kind === 'foreign' || kind === 'unique') && own.length === 1 && own[0]!.toLowerCase() === key
  const left = constraints.filter(constraint => !isOwn(constraint))
  const needing =
    left.find(({ words }) => words.has(key)) ??
    columns
      .filter(column => column.name !== name)
      .flatMap(({ clauses }) => clauses)
      .find(clause => mentions(clause, key))
  if (needing !== undefined)
    throw new Error(
      `table "${edit.table.name}": "${needing.text}" needs the column "${name}": drop or change that first`,
    )
  edit.text = { ...edit.text, columns: columns.filter(column => column.name !== name), constraints: left }
  edit.columns = Object.fromEntries(Object.entries(edit.columns).filter(([column]) => column !== name))
  for (const each of [edit.values, edit.invalid, edit.notNull]) each.delete(name)
}

const mentions = ({ kind, inner = '' }: Clause, key: string): boolean =>
  ['check', 'generated', 'as'].includes(kind) && findWords(inner).has(key)

/** The words that may name columns, in lower case. */
const findWords = (sql: string): ReadonlySet<string> =>
  new Set(
    (sql.toLowerCase().match(/"(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*/gu) ?? []).map(word => word.replaceAll('"', '')),
  )

export function editAlteredColumn(edit: TableEdit, change: AlterColumn): void {
  const { alterColumn: name, table: _, fill, using, ...next } = change
  const current = edit.columns[name]
  if (current === undefined) throw new Error(`table "${edit.table.name}": column "${name}" does not exist`)
  const isKey = isDeepStrictEqual(findKeyColumns(edit.table.columns), [name])
  const [before, after] = [normalizeColumn(current, isKey), normalizeColumn(next, isKey)]
  edit.text = {
    ...edit.text,
    columns: edit.text.columns.map(column => (column.name === name ? alterText(column, before, after, next) : column)),
    constraints: isDeepStrictEqual(before.references, after.references)
      ? edit.text.constraints
      : edit.text.constraints.filter(({ kind, columns }) => kind !== 'foreign' || !isDeepStrictEqual(columns, [name])),
  }
  edit.columns = { ...edit.columns, [name]: next }
  if (next.generated !== undefined) return void edit.values.delete(name)
  const source = edit.values.get(name) ?? quote(name)
  const converted = using === undefined ? convertValue(source, next.type) : definitions.pick(using)
  edit.values.set(name, fill === undefined ? converted : `coalesce(${converted}, ${definitions.formatDefault(fill)})`)
  const condition = findInvalid(quote(name), next.type)
  if (condition !== undefined && !isDeepStrictEqual(current.type, next.type))
    edit.invalid.set(name, {
      type: typeof next.type === 'string' ? next.type : definitions.formatType(next.type),
      condition,
    })
  if (!next.nullable && current.nullable) edit.notNull.add(name)
}

/** Replaces the parts that differ; the others stay as they are written. */
function alterText(text: ColumnText, before: ColumnState, after: ColumnState, next: ColumnState): ColumnText {
  const changed = columnParts.filter(part => !isDeepStrictEqual(before[part], after[part]))
  const replaced: readonly string[] = changed.flatMap(part => clauseKinds[part])
  const clauses = [
    ...text.clauses.filter(({ kind }) => !replaced.includes(kind)),
    ...changed.flatMap(part => createClause(part, next)),
  ]
  const keepsType = isDeepStrictEqual(before.type, after.type) || next.type === 'key'
  return { name: text.name, type: keepsType ? text.type : definitions.formatType(next.type), clauses }
}

export function editAddedCheck(edit: TableEdit, name: string, sql: string): void {
  const check = { kind: 'check', text: formatCheck(name, sql), name, inner: sql, words: findWords(sql), columns: [] }
  edit.text = { ...edit.text, constraints: [...edit.text.constraints, check] }
}

export function editDroppedCheck(edit: TableEdit, name: string): void {
  const place = listChecks(edit.table.name, edit.text).findIndex(([each]) => each === name)
  if (place < 0) throw new Error(`table "${edit.table.name}": check "${name}" does not exist`)
  let seen = -1
  const isKept = ({ kind }: Clause) => kind !== 'check' || ++seen !== place
  const columns = edit.text.columns.map(column => ({ ...column, clauses: column.clauses.filter(isKept) }))
  edit.text = { ...edit.text, columns, constraints: edit.text.constraints.filter(isKept) }
}

/** Removes a UNIQUE constraint. */
export function editDroppedUnique(edit: TableEdit, names: readonly string[]): void {
  const isUnique = ({ kind, columns }: ConstraintText) => kind === 'unique' && isDeepStrictEqual(columns, names)
  const columns = edit.text.columns.map(column =>
    names.length === 1 && column.name === names[0]
      ? { ...column, clauses: column.clauses.filter(({ kind }) => kind !== 'unique') }
      : column,
  )
  edit.text = { ...edit.text, columns, constraints: edit.text.constraints.filter(each => !isUnique(each)) }
}
