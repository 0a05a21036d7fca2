// Changes the rows of one resource: with one statement if all change in the same columns and no hook must run between them, otherwise one
// by one.

import { timeSlices } from '../../../base/time-slices.ts'
import type { Arguments, Connection } from '../../../database/database.ts'
import type { Columns } from '../../declare/hooks.ts'
import type { RowPart } from '../../sql/many.ts'
import { removeReplaced, saveChildren, saveReferred, type WriteOptions } from '../../validate/children.ts'
import { runAfterSave, runBeforeSave } from '../run-hooks.ts'
import {
  type CheckPrecondition,
  createTransactionOptions,
  needsTransaction,
  StaleObject,
  saveRelationRows,
  toAssignments,
  toColumnValues,
} from '../write.ts'
import { updateManyParts, updateParts } from './row-parts.ts'
import {
  addColumns,
  checkWritten,
  createRepresentationValues,
  lockRows,
  placeErrors,
  type RowToWrite,
  type RowValues,
  type RowWriter,
  readRows,
  rowsPerSlice,
  rowsPerStatement,
} from './row-writer.ts'

/**
 * Changes one object, with one statement if it can do all, otherwise in a transaction; resolves to its representation. Rejects with
 * StaleObject if the object has changed since it was loaded, and with ConstraintViolation.
 */
export async function updateOne(
  writer: RowWriter,
  row: RowToWrite,
  { precondition, ...options }: WriteOptions & { readonly precondition: CheckPrecondition | undefined },
): Promise<string> {
  const { bound, filters } = writer
  const { database, statements, resource } = bound
  const loaded = row.row.loaded!
  const { key, snapshot } = loaded
  const shown = createRepresentationValues(writer, 'update')
  if (precondition === undefined && !needsTransaction(bound, row.row)) {
    const changes = toAssignments(bound.columns.update, listChanges(writer, row))
    const values = { ...changes, ...shown, id: key, snapshot, ...filters.update }
    const [written] = await database.write(statements.update, values)
    if (written === undefined) throw new StaleObject()
    return written[0]
  }
  return database.transaction(
    async connection => {
      await lockRows(writer, connection, 'update', [loaded])
      await precondition?.(key, connection)
      const json = await updateRows(writer, connection, [row], { ...options, shown })
      if (resource.afterSave === undefined && json !== undefined) return json
      const [read] = await readRows(writer, connection, 'update', [key])
      return read![1]
    },
    precondition === undefined ? createTransactionOptions(bound, row.row.children, options.rows) : {},
  )
}

interface UpdateOptions extends WriteOptions {
  /** The parameters of the representation of the only row, which is written even if no column changes. */
  readonly shown?: Arguments
}

/** Changes locked objects. With `shown`, it resolves to the representation. Rejects with ConstraintViolation. The caller settles files. */
export async function updateRows(
  writer: RowWriter,
  connection: Connection,
  rows: readonly RowToWrite[],
  options: UpdateOptions,
): Promise<string | undefined> {
  if (rows.length === 0) return undefined
  const { bound, request } = writer
  const keys = rows.map(({ row }) => row.loaded!.key)
  const before = await bound.recorder?.read(connection, keys)
  let json: string | undefined
  await timeSlices.inGroups(rows, rowsPerStatement, async group => {
    json = await updateGroup(writer, connection, group, options)
  })
  await checkWritten(
    writer,
    connection,
    'update',
    rows.map(({ row, place }) => ({ place, key: row.loaded!.key })),
  )
  if (before !== undefined) {
    const bodies = new Map(rows.map(({ row }) => [row.loaded!.key, row.values]))
    const onlyChanged = options.shown === undefined
    await bound.recorder!.record(request, connection, { action: 'update', keys, before, bodies, onlyChanged })
  }
  return json
}

async function updateGroup(
  writer: RowWriter,
  connection: Connection,
  rows: readonly RowToWrite[],
  options: UpdateOptions,
): Promise<string | undefined> {
  const { bound, statements, related } = writer
  const changes = options.isolated ? undefined : listUniformChanges(writer, rows)
  let json: string | undefined
  if (changes === undefined)
    await timeSlices.inGroups(rows, rowsPerSlice, async group => {
      for (const row of group) json = await updateRow(writer, connection, row, options)
    })
  else {
    const [columns, values] = changes
    const update = (part: RowPart, changed: readonly string[], rows: readonly RowValues[]) => {
      const written = [...changed, part.resource.key.column]
      const records = bound.database.dialect.formatRecords(rows, written, part.statements.listJsonColumns(written))
      return connection.run(part.statements.updateMany(changed), { ...related, rows: records })
    }
    if (statements.parts !== undefined)
      await updateManyParts(statements.parts, columns, values, async (...part) => update(...part))
    else await update({ resource: bound.resource, statements }, columns, values)
  }
  return json
}

// Relation rows and children are written before the row, whose statement returns them in the representation.
async function updateRow(
  writer: RowWriter,
  connection: Connection,
  given: RowToWrite,
  { shown, ...options }: UpdateOptions,
): Promise<string | undefined> {
  const { bound, statements, related } = writer
  const { row, place } = given
  const { key: id } = row.loaded!
  const parents = [{ key: id, children: row.children, place }]
  const { beforeSave, afterSave } = bound.resource
  const added = beforeSave && (await placeErrors(writer, given, () => runBeforeSave(bound, row.context, connection)))
  const changed = added === undefined ? given : { ...given, columns: { ...added, ...given.columns } }
  const hasChildren = row.children.length > 0
  const [referred] = (hasChildren ? await saveReferred(connection, parents, options) : undefined) ?? []
  if (bound.relationRows.length > 0)
    await placeErrors(writer, changed, () => saveRelationRows(bound, connection, { id, values: row.values, related }))
  if (hasChildren) await saveChildren(connection, parents, options)
  const json = await placeErrors(writer, changed, async () => {
    const changes = listChanges(writer, addColumns(changed, referred))
    if (statements.parts !== undefined) {
      await updateParts(writer, connection, statements.parts, { id, changes })
      return undefined
    }
    const values = { ...toAssignments(statements.changed, changes), id }
    if (shown !== undefined)
      return readJson(await connection.run(bound.statements.updateLocked, { ...values, ...shown }))
    if (Object.keys(changes).length > 0) await connection.run(statements.update, { ...values, ...related })
    return undefined
  })
  if (referred !== undefined) await removeReplaced(connection, parents, options)
  if (afterSave !== undefined)
    await placeErrors(writer, changed, () => runAfterSave(bound.resource, row.context!, { key: id, connection }))
  return json
}

function readJson([row]: readonly (readonly [json: string])[]): string {
  if (row === undefined) throw new StaleObject()
  return row[0]
}

const listChanges = ({ bound }: RowWriter, { row, columns }: RowToWrite): Columns => ({
  ...toColumnValues(bound, row.values),
  ...row.prepared,
  ...columns,
})

// The columns that change in each of the rows, and their values with the keys; undefined if they must be written one by one.
function listUniformChanges(
  writer: RowWriter,
  rows: readonly RowToWrite[],
): readonly [columns: readonly string[], rows: readonly RowValues[]] | undefined {
  const { bound, statements } = writer
  const { resource, relationRows } = bound
  const isSimple = !(resource.beforeSave || resource.afterSave) && relationRows.length === 0
  if (!isSimple || rows.length < 2 || rows.some(({ row }) => row.children.length > 0)) return undefined
  const changes = rows.map(row => listChanges(writer, row))
  const listChanged = (change: Columns) => Object.keys(change).filter(name => statements.changed.includes(name))
  const columns = listChanged(changes[0]!)
  const isUniform = changes.every(change => String(listChanged(change)) === String(columns))
  if (!isUniform || columns.length === 0 || !statements.canRecord([...columns, resource.key.column])) return undefined
  const listValues = (change: Columns): RowValues => columns.map(name => change[name]!)
  return [columns, rows.map(({ row }, index) => [...listValues(changes[index]!), row.loaded!.key])]
}
