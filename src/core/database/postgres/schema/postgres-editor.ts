// Runs changes on PostgreSQL. A statement that blocks the table is short; what reads all rows of an existing table follows the commit,
// and blocks nobody.

import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { quote } from '../../catalogue.ts'
import { formatCheck, listCreations } from '../../editors/definitions.ts'
import type { LaterWork, SchemaEditor } from '../../editors/schema-editor.ts'
import { applyChanges } from '../../schema/apply-changes.ts'
import type { Change } from '../../schema/change.ts'
import { addColumn } from './add-column.ts'
import { alterColumn } from './alter-column.ts'
import type { Editing, TableChange } from './editing.ts'
import { examine, examineRows } from './examine.ts'
import { finish, listLater } from './finish.ts'
import { definitions } from './postgres-definitions.ts'
import { normalize, readState } from './postgres-state.ts'

export const postgresEditor: SchemaEditor = Object.freeze<SchemaEditor>({
  async run(kysely, changes, { alone = false, existing } = {}) {
    const later: LaterWork[] = []
    const created = new Set<string>()
    const examined = await examineRows(kysely, changes)
    const execute = async (text: string) => void (await sql.raw(text).execute(kysely))
    for (const [index, change] of changes.entries()) {
      const canWait: Editing['canWait'] = (table, replaces = () => false) =>
        !alone &&
        !created.has(table) &&
        !changes.slice(index + 1).some(each => removesTable(each, table) || replaces(each))
      const findColumn: Editing['findColumn'] = async (table, column) => {
        const { tables } = existing ? applyChanges(existing, changes.slice(0, index)) : await readState(kysely, [table])
        return tables[table]?.columns[column]
      }
      await runChange(
        { kysely, later, created, examined, execute, isListed: existing !== undefined, findColumn, canWait },
        change,
      )
    }
    return later
  },
  finish,
  listLater,
  readState,
  normalize,
  async enterEmptySchema(kysely) {
    const schema = sql.id(`resource_api_${randomUUID()}`)
    const { rows } = await sql<{ name: string }>`select unnest(current_schemas(false)) as name`.execute(kysely)
    const path = [schema, ...rows.map(({ name }) => sql.id(name))]
    await sql`create schema ${schema}`.execute(kysely)
    await sql`set local search_path to ${sql.join(path)}`.execute(kysely)
  },
  formatType: definitions.formatType,
  formatDefault: definitions.formatDefault,
})

const removesTable = (change: Change, table: string): boolean =>
  ('renameTable' in change && change.renameTable === table) || ('dropTable' in change && change.dropTable === table)

async function runChange(editing: Editing, change: Change): Promise<void> {
  const { execute, created } = editing
  if ('createTable' in change) {
    created.add(change.createTable)
    for (const text of listCreations(definitions, change)) await execute(text)
    return
  }
  if ('dropTable' in change) return execute(`drop table ${quote(change.dropTable)}`)
  if ('renameTable' in change) {
    if (created.delete(change.renameTable)) created.add(change.to)
    return execute(`alter table ${quote(change.renameTable)} rename to ${quote(change.to)}`)
  }
  if ('createView' in change)
    return execute(`create view ${quote(change.createView)} as ${definitions.pick(change.sql)}`)
  if ('dropView' in change) return execute(`drop view ${quote(change.dropView)}`)
  return changeTable(editing, change)
}

async function changeTable(editing: Editing, change: TableChange): Promise<void> {
  const { execute } = editing
  const table = `alter table ${quote(change.table)}`
  if ('addColumn' in change) return addColumn(editing, change)
  if ('alterColumn' in change) return alterColumn(editing, change)
  if ('renameColumn' in change)
    return execute(`${table} rename column ${quote(change.renameColumn)} to ${quote(change.to)}`)
  if ('dropColumn' in change) return dropColumn(editing, change.table, change.dropColumn)
  if ('addIndex' in change) return addIndex(editing, change)
  if ('renameIndex' in change) return execute(`alter index ${quote(change.renameIndex)} rename to ${quote(change.to)}`)
  if ('dropIndex' in change) return dropIndex(editing, change.table, change.dropIndex)
  if ('addCheck' in change) return addCheck(editing, change)
  return execute(`${table} drop constraint ${quote(change.dropCheck)}`)
}

// With a column, PostgreSQL drops the checks that need it.
async function dropColumn({ kysely, execute }: Editing, table: string, column: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select n.conname as name from pg_constraint n
    join pg_attribute a on a.attrelid = n.conrelid and a.attnum = any(n.conkey)
    where n.conrelid = to_regclass(${quote(table)}) and n.contype = 'c' and a.attname = ${column}`.execute(kysely)
  if (rows[0] !== undefined)
    throw new Error(`table "${table}": the check "${rows[0].name}" needs the column "${column}": drop the check first`)
  await execute(`alter table ${quote(table)} drop column ${quote(column)}`)
}

async function addIndex(editing: Editing, change: Extract<TableChange, { addIndex: string }>): Promise<void> {
  const { execute, kysely, later, canWait, created, examined } = editing
  const { table, addIndex: name, ...index } = change
  if (!created.has(table) && !examined.has(change)) await examine(kysely, change)
  const replaces = (later: Change) =>
    'table' in later &&
    later.table === table &&
    ('renameColumn' in later ||
      ('renameIndex' in later && later.renameIndex === name) ||
      ('dropIndex' in later && later.dropIndex === name))
  if (!canWait(table, replaces)) return execute(definitions.formatIndex(table, name, index))
  // Otherwise an index of another table with this name would later look like this one.
  const { rows } = await sql`select 1 where to_regclass(${quote(name)}) is not null`.execute(kysely)
  if (rows.length > 0) throw new Error(`table "${table}": the index "${name}": something else has this name`)
  later.push({ kind: 'index', table, name, index })
}

// The index of a UNIQUE constraint goes with the constraint.
async function dropIndex({ kysely, execute }: Editing, table: string, name: string): Promise<void> {
  const { rows } = await sql`
    select 1 from pg_constraint where conrelid = to_regclass(${quote(table)}) and conname = ${name} and contype = 'u'`.execute(
    kysely,
  )
  const isConstraint = rows.length > 0
  await execute(
    isConstraint ? `alter table ${quote(table)} drop constraint ${quote(name)}` : `drop index ${quote(name)}`,
  )
}

async function addCheck(editing: Editing, change: Extract<TableChange, { addCheck: string }>): Promise<void> {
  const { execute, kysely, later, canWait, created, examined } = editing
  const { table, addCheck: name } = change
  const text = definitions.pick(change.sql)
  if (!created.has(table) && !examined.has(change)) await examine(kysely, change)
  const isLater = canWait(table, change => 'dropCheck' in change && change.dropCheck === name)
  await execute(`alter table ${quote(table)} add ${formatCheck(name, text)}${isLater ? ' not valid' : ''}`)
  if (isLater) later.push({ kind: 'validate', table, constraint: name })
}
