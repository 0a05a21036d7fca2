// Builds a new table from an edit, and puts it in the place of the old one, with its rows, indexes, triggers and last key. It runs in a
// step, which has foreign keys off and checks afterwards that nothing is lost.

import { type Kysely, sql } from 'kysely'
import { quote } from '../../catalogue.ts'
import { ConstraintViolation } from '../../database.ts'
import { type RowSource, refuseNulls, refuseValues, refuseViolations } from '../../editors/rows.ts'
import { findIntegerKey, findKeyColumns } from '../sqlite-catalogue.ts'
import { listChecks } from './sqlite-state.ts'
import type { TableEdit } from './table-edit.ts'
import { formatTable } from './table-text.ts'

export async function rebuild(kysely: Kysely<unknown>, edit: TableEdit): Promise<void> {
  const execute = async (text: string) => void (await sql.raw(text).execute(kysely))
  const { name } = edit.table
  const temporary = `resource_api_new_${name}`
  const objects = await readObjects(kysely, name)
  const lastKey = await readLastKey(kysely, edit)
  await execute(formatTable(quote(temporary), edit.text))
  await refuseCopiedNulls(kysely, edit)
  await copyRows(execute, edit, temporary)
  await execute(`drop table ${quote(name)}`)
  await execute(`alter table ${quote(temporary)} rename to ${quote(name)}`)
  if (lastKey !== undefined) await restoreLastKey(kysely, name, lastKey)
  await refuseUnfit(findSource(kysely, edit), edit)
  for (const object of objects) await restore(execute, object, name)
}

interface SchemaObject {
  readonly type: string
  readonly name: string
  readonly sql: string
}

async function readObjects(kysely: Kysely<unknown>, table: string): Promise<readonly SchemaObject[]> {
  const { rows } = await sql<SchemaObject>`
    select type, name, sql from sqlite_schema
    where tbl_name = ${table} collate nocase and type in ('index', 'trigger') and sql is not null order by type, name`.execute(
    kysely,
  )
  return rows
}

async function restore(
  execute: (text: string) => Promise<void>,
  { type, name, sql: text }: SchemaObject,
  table: string,
): Promise<void> {
  try {
    await execute(text)
  } catch (error) {
    if (error instanceof ConstraintViolation)
      throw new Error(
        `table "${table}": rows would have equal values under the unique index "${name}": change them first`,
        {
          cause: error,
        },
      )
    throw new Error(
      `table "${table}": the ${type} "${name}" does not fit the changed table (${(error as Error).message}): drop it before, and create the one that you want`,
      { cause: error },
    )
  }
}

const hasAutoincrement = ({ text }: TableEdit): boolean =>
  text.columns.some(
    ({ type, clauses }) =>
      clauses.some(clause => /\bautoincrement\b/i.test(clause.text)) || /autoincrement/i.test(type),
  )

async function readLastKey(kysely: Kysely<unknown>, edit: TableEdit): Promise<number | undefined> {
  if (!hasAutoincrement(edit)) return undefined
  const { rows } = await sql<{ seq: number }>`
    select seq from sqlite_sequence where name = ${edit.table.name}`.execute(kysely)
  return rows[0]?.seq
}

async function restoreLastKey(kysely: Kysely<unknown>, table: string, last: number): Promise<void> {
  await sql`delete from sqlite_sequence where name = ${table}`.execute(kysely)
  await sql`insert into sqlite_sequence (name, seq) values (${table}, ${last})`.execute(kysely)
}

/** The rows with the new values, before they are in the new table. */
async function refuseCopiedNulls(kysely: Kysely<unknown>, edit: TableEdit): Promise<void> {
  for (const column of edit.notNull)
    await refuseNulls(findSource(kysely, edit), column, `${edit.values.get(column)!} is null`)
}

export const findSource = (kysely: Kysely<unknown>, { table }: Pick<TableEdit, 'table'>): RowSource => ({
  kysely,
  table: table.name,
  key: findKeyColumns(table.columns),
})

// The checks are examined afterwards, so that the rows that violate one can be named. Implicit rowids stay, because full-text indexes
// refer to them.
async function copyRows(
  execute: (text: string) => Promise<void>,
  { table, values }: TableEdit,
  target: string,
): Promise<void> {
  const hasRowId = !table.isWithoutRowId && findIntegerKey(table.columns) === undefined
  const rowId = hasRowId ? findRowIds(values).slice(0, 1) : []
  const columns = [...rowId, ...values.keys().map(quote)]
  const sources = [...rowId, ...values.values()]
  await execute('pragma ignore_check_constraints = 1')
  await execute(
    `insert into ${quote(target)} (${columns.join(', ')}) select ${sources.join(', ')} from ${quote(table.name)}`,
  )
  await execute('pragma ignore_check_constraints = 0')
}

/** The names of the rowid that no column has. */
const findRowIds = (values: TableEdit['values']): readonly string[] => {
  const names = new Set(values.keys().map(name => name.toLowerCase()))
  return ['rowid', '_rowid_', 'oid'].filter(name => !names.has(name))
}

async function refuseUnfit(source: RowSource, { invalid, text, table }: TableEdit): Promise<void> {
  for (const [column, { type, condition }] of invalid) await refuseValues(source, column, type, condition)
  for (const [name, check] of listChecks(table.name, text)) await refuseViolations(source, name, check)
}
