// Runs changes on SQLite. What SQLite cannot alter is collected, so that each table is rebuilt at most once, however many changes of a
// step need it.

import { sql } from 'kysely'
import { quote } from '../../catalogue.ts'
import { listCreations } from '../../editors/definitions.ts'
import { refuseDuplicates, refuseOrphans } from '../../editors/rows.ts'
import type { SchemaEditor } from '../../editors/schema-editor.ts'
import type { Change } from '../../schema/change.ts'
import { normalizeSql } from '../sqlite-definitions.ts'
import { addColumn, alterColumn, dropColumn } from './columns.ts'
import { definitions } from './definitions.ts'
import { type AddedReference, build, buildAll, type Editing, findEdit, readSource } from './editing.ts'
import { dropIndex, renameIndex } from './indexes.ts'
import { normalize, readState } from './sqlite-state.ts'
import { editAddedCheck, editDroppedCheck } from './table-edit.ts'

export const sqliteEditor: SchemaEditor = Object.freeze<SchemaEditor>({
  async run(kysely, changes) {
    const editing: Editing = {
      kysely,
      edits: new Map(),
      references: [],
      execute: async text => void (await sql.raw(text).execute(kysely)),
    }
    for (const change of changes) await runChange(editing, change)
    await buildAll(editing)
    for (const reference of editing.references) await checkReference(editing, reference)
    return []
  },
  finish: async () => undefined,
  readState,
  normalize,
  normalizeSql,
  formatType: definitions.formatType,
  formatDefault: definitions.formatDefault,
})

async function runChange(editing: Editing, change: Change): Promise<void> {
  const { execute } = editing
  if ('createTable' in change) {
    for (const text of listCreations(definitions, change)) await execute(text)
    return
  }
  if ('dropTable' in change) return dropTable(editing, change.dropTable)
  if ('renameTable' in change) {
    await buildAll(editing)
    return execute(`alter table ${quote(change.renameTable)} rename to ${quote(change.to)}`)
  }
  if ('createView' in change) {
    await buildAll(editing)
    return execute(`create view ${quote(change.createView)} as ${definitions.pick(change.sql)}`)
  }
  if ('dropView' in change) return execute(`drop view ${quote(change.dropView)}`)
  return changeTable(editing, change)
}

// Indexes and triggers that disappear with a table would come back with a new one of its name; those that are dropped do not.
async function dropTable({ kysely, edits, execute }: Editing, table: string): Promise<void> {
  edits.delete(table)
  const { rows } = await sql<{ type: string; name: string }>`
    select type, name from sqlite_schema
    where tbl_name = ${table} collate nocase and type in ('index', 'trigger') and sql is not null`.execute(kysely)
  for (const { type, name } of rows) await execute(`drop ${type} ${quote(name)}`)
  await execute(`drop table ${quote(table)}`)
}

async function changeTable(editing: Editing, change: Extract<Change, { readonly table: string }>): Promise<void> {
  const { execute } = editing
  const { table } = change
  if ('addColumn' in change) return addColumn(editing, change)
  if ('alterColumn' in change) return alterColumn(editing, change)
  if ('dropColumn' in change) return dropColumn(editing, table, change.dropColumn)
  if ('addCheck' in change)
    return editAddedCheck(await findEdit(editing, table), change.addCheck, definitions.pick(change.sql))
  if ('dropCheck' in change) return editDroppedCheck(await findEdit(editing, table), change.dropCheck)
  await build(editing, table)
  if ('renameColumn' in change)
    return execute(`alter table ${quote(table)} rename column ${quote(change.renameColumn)} to ${quote(change.to)}`)
  if ('renameIndex' in change) return renameIndex(editing, table, change.renameIndex, change.to)
  if ('dropIndex' in change) return dropIndex(editing, table, change.dropIndex)
  const { table: _, addIndex: name, ...index } = change
  if (index.unique) await refuseDuplicates(await readSource(editing, table), name, index, definitions)
  return execute(definitions.formatIndex(table, name, index))
}

// A later change of the step may have renamed or removed the column.
async function checkReference(editing: Editing, { table, column, references }: AddedReference): Promise<void> {
  const { rows } = await sql`
    select 1 from pragma_foreign_key_list(${table}) where "from" = ${column} and "table" = ${references.table}`.execute(
    editing.kysely,
  )
  if (rows.length > 0) await refuseOrphans(await readSource(editing, table), column, references)
}
