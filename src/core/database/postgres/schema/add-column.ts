// Adds a column on PostgreSQL. A constant value for the rows that exist is stored once, as the default of the moment, so no row is
// written.

import { quote } from '../../catalogue.ts'
import { refuseMissing } from '../../editors/rows.ts'
import type { AddColumn } from '../../schema/change.ts'
import type { ColumnState } from '../../schema/schema-state.ts'
import { addReference, type Editing, findSource } from './editing.ts'
import { definitions } from './postgres-definitions.ts'

export async function addColumn(editing: Editing, change: AddColumn): Promise<void> {
  const { kysely, execute, created } = editing
  const { table, addColumn: name, fill, references, ...column } = change
  if (fill === undefined && needsValue(column) && !created.has(table))
    await refuseMissing(await findSource(kysely, table), name)
  const alter = `alter table ${quote(table)}`
  const add = (added: ColumnState) => execute(`${alter} add column ${quote(name)} ${definitions.formatColumn(added)}`)
  const alterAdded = (text: string) => execute(`${alter} alter column ${quote(name)} ${text}`)
  const restoreDefault = () =>
    alterAdded(
      column.default === undefined ? 'drop default' : `set default ${definitions.formatDefault(column.default)}`,
    )
  if (fill === undefined) await add(column)
  else if (typeof fill === 'object' && 'sql' in fill) {
    // It may use other columns of the row.
    await add({ type: column.type, nullable: true })
    await execute(`update ${quote(table)} set ${quote(name)} = ${definitions.formatDefault(fill)}`)
    if (!column.nullable) await alterAdded('set not null')
    if (column.default !== undefined) await restoreDefault()
  } else {
    await add({ ...column, default: fill })
    await restoreDefault()
  }
  if (references !== undefined) await addReference(editing, table, name, references)
}

const needsValue = (column: ColumnState): boolean =>
  !column.nullable && column.default === undefined && column.generated === undefined && column.type !== 'key'
