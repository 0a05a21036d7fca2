// Adds, alters and drops columns of SQLite: with its own statements where they are safe, and otherwise in a new table.

import { sql } from 'kysely'
import { quote } from '../../catalogue.ts'
import { refuseMissing } from '../../editors/rows.ts'
import type { AddColumn, AlterColumn } from '../../schema/change.ts'
import type { ColumnState } from '../../schema/schema-state.ts'
import { definitions } from './definitions.ts'
import { type Editing, findEdit, readSource } from './editing.ts'
import { createColumn, editAddedColumn, editAlteredColumn, editDroppedColumn } from './table-edit.ts'
import { formatColumn } from './table-text.ts'

export async function addColumn(editing: Editing, change: AddColumn): Promise<void> {
  const { execute, edits, references } = editing
  const { table, addColumn: name, fill, ...column } = change
  if (column.references !== undefined) references.push({ table, column: name, references: column.references })
  if (fill === undefined && needsValue(column)) await refuseMissing(await readSource(editing, table), name)
  if (edits.has(table) || !canBeAdded(change)) return editAddedColumn(await findEdit(editing, table), change)
  await execute(`alter table ${quote(table)} add column ${formatColumn(createColumn(name, column))}`)
  if (fill !== undefined)
    await execute(`update ${quote(table)} set ${quote(name)} = ${definitions.formatDefault(fill)}`)
}

const needsValue = ({ nullable, default: value, generated }: ColumnState): boolean =>
  !nullable && value === undefined && generated === undefined

/** Whether SQLite can add the column to a table with rows. */
function canBeAdded({ nullable, default: value, generated }: ColumnState): boolean {
  if (generated !== undefined || typeof value === 'object') return false
  return nullable === true || value !== undefined
}

export async function alterColumn(editing: Editing, change: AlterColumn): Promise<void> {
  const { table, alterColumn: column, references } = change
  if (references !== undefined) editing.references.push({ table, column, references })
  editAlteredColumn(await findEdit(editing, table), change)
}

export async function dropColumn(editing: Editing, table: string, column: string): Promise<void> {
  const { kysely } = editing
  const { rows } = await sql<{ name: string }>`
    select o.name from sqlite_schema o, pragma_foreign_key_list(o.name) f
    where o.type = 'table' and f."table" = ${table} collate nocase and f."to" = ${column} collate nocase`.execute(
    kysely,
  )
  const other = rows.find(({ name }) => name !== table)
  if (other !== undefined)
    throw new Error(
      `table "${table}": the table "${other.name}" refers to the column "${column}": drop that reference first`,
    )
  const hasEdit = editing.edits.has(table)
  const edit = await findEdit(editing, table)
  const { clauses } = edit.text.columns.find(({ name }) => name === column) ?? { clauses: [] }
  const constraints = edit.text.constraints.length
  editDroppedColumn(edit, column)
  const isPlain = clauses.every(({ kind }) => ['not', 'null', 'default', 'collate'].includes(kind))
  if (hasEdit || !isPlain || edit.text.constraints.length < constraints) return
  editing.edits.delete(table)
  await editing.execute(`alter table ${quote(table)} drop column ${quote(column)}`)
}
