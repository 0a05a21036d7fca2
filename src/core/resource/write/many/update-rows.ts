// Changes several locked rows of one resource in a transaction: with one statement if all change in the same columns and no hook
// must run between them, otherwise one by one.

import { timeSlices } from '../../../base/time-slices.ts'
import type { Connection } from '../../../database/database.ts'
import type { Columns } from '../../declare/hooks.ts'
import { removeReplaced, saveChildren, saveReferred, type WriteOptions } from '../../validate/children.ts'
import { settleFiles } from '../file-writes.ts'
import { runAfterSave, runBeforeSave } from '../run-hooks.ts'
import { saveRelationRows, toAssignments, toColumnValues } from '../write.ts'
import {
  addColumns,
  canRecord,
  listJsonColumns,
  placeErrors,
  type RowToWrite,
  type RowValues,
  type RowWriter,
  rowsPerSlice,
  rowsPerStatement,
} from './row-writer.ts'

/** Changes locked objects. Rejects with ConstraintViolation. */
export async function updateRows(
  writer: RowWriter,
  connection: Connection,
  rows: readonly RowToWrite[],
  options: WriteOptions,
): Promise<void> {
  if (rows.length === 0) return
  const { bound, request, statements, related } = writer
  const keys = rows.map(({ row }) => row.loaded!.key)
  const before = await bound.recorder?.read(connection, keys)
  const changes = options.isolated ? undefined : listUniformChanges(writer, rows)
  if (changes === undefined)
    await timeSlices.inGroups(rows, rowsPerSlice, group => updateEach(writer, connection, group, options))
  else {
    const [columns, values] = changes
    const written = [...columns, bound.resource.key.column]
    await timeSlices.inGroups(values, rowsPerStatement, async group => {
      const json = bound.database.dialect.formatRecords(group, written, listJsonColumns(bound, written))
      await connection.run(statements.updateMany(columns), { ...related, rows: json })
    })
  }
  if (before !== undefined) {
    const bodies = new Map(rows.map(({ row }) => [row.loaded!.key, row.values]))
    await bound.recorder!.record(request, connection, { action: 'update', keys, before, bodies, onlyChanged: true })
  }
  await settleFiles(
    bound,
    request,
    rows.map(({ row }) => ({ before: row.loaded!.values, after: row.values })),
  )
}

async function updateEach(
  writer: RowWriter,
  connection: Connection,
  rows: readonly RowToWrite[],
  options: WriteOptions,
): Promise<void> {
  const { bound, statements, related } = writer
  for (const given of rows) {
    const { row, columns, place } = given
    const { key: id } = row.loaded!
    const parents = [{ key: id, children: row.children, place }]
    const added = await placeErrors(writer, given, 'update', async () => runBeforeSave(bound, row.context, connection))
    const [referred] = (await saveReferred(connection, parents, options)) ?? []
    await placeErrors(writer, addColumns(given, added), 'update', async () => {
      const changes = { ...toColumnValues(bound, row.values), ...row.prepared, ...added, ...columns, ...referred }
      await saveRelationRows(bound, connection, { id, values: row.values, related })
      if (Object.keys(changes).length > 0)
        await connection.run(statements.update, { ...toAssignments(statements.changed, changes), ...related, id })
    })
    if (referred !== undefined) await removeReplaced(connection, parents, options)
    await saveChildren(connection, parents, options)
    await placeErrors(writer, given, 'update', async () => {
      if (row.context !== undefined) await runAfterSave(bound.resource, row.context, { key: id, connection })
    })
  }
}

// The columns that change in each of the rows, and their values with the keys; undefined if they must be written one by one.
function listUniformChanges(
  { bound, statements }: RowWriter,
  rows: readonly RowToWrite[],
): readonly [columns: readonly string[], rows: readonly RowValues[]] | undefined {
  const { resource, relationRows } = bound
  const isSimple = !(resource.beforeSave || resource.afterSave) && relationRows.length === 0
  if (!isSimple || rows.length < 2 || rows.some(({ row }) => row.children.length > 0)) return undefined
  const changes = rows.map(({ row, columns }) => ({
    ...toColumnValues(bound, row.values),
    ...row.prepared,
    ...columns,
  }))
  const listChanged = (change: Columns) => Object.keys(change).filter(name => statements.changed.includes(name))
  const columns = listChanged(changes[0]!)
  const isUniform = changes.every(change => String(listChanged(change)) === String(columns))
  if (!isUniform || columns.length === 0 || !canRecord(bound, [...columns, resource.key.column])) return undefined
  const listValues = (change: Columns): RowValues => columns.map(name => change[name]!)
  return [columns, rows.map(({ row }, index) => [...listValues(changes[index]!), row.loaded!.key])]
}
