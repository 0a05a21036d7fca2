// Inserts several rows of one resource in a transaction: with one statement where the database needs a round trip per statement
// and no hook must run between the rows, otherwise one by one.

import { isPromise } from '../../../base/maybe-promise.ts'
import { timeSlices } from '../../../base/time-slices.ts'
import type { Arguments, Connection } from '../../../database/database.ts'
import type { KeyValue } from '../../../keys/key.ts'
import type { BoundResource } from '../../bind/bound-resource.ts'
import type { Columns } from '../../declare/hooks.ts'
import type { InsertedRow, ManyStatements } from '../../sql/many.ts'
import { saveChildren, saveReferred, type WriteOptions } from '../../validate/children.ts'
import { runAfterSave, runBeforeSave } from '../run-hooks.ts'
import { runsFunctions, saveRelationRows } from '../write.ts'
import { canInsertTogether } from './can-insert-together.ts'
import {
  addColumns,
  placeErrors,
  type RowToWrite,
  type RowValues,
  type RowWriter,
  rowsPerSlice,
  rowsPerStatement,
} from './row-writer.ts'

/**
 * Inserts rows in their order. Rejects with ConstraintViolation. `shown`: the parameters of their representations, which are
 * returned if nothing that is written after the rows can change them.
 */
export async function insertRows(
  writer: RowWriter,
  connection: Connection,
  rows: readonly RowToWrite[],
  { shown, ...options }: WriteOptions & { readonly shown?: Arguments },
): Promise<readonly InsertedRow[]> {
  const { bound, request } = writer
  const { beforeSave, afterSave } = bound.resource
  const isTogether = !(beforeSave || afterSave || options.isolated)
  const hasMore = bound.relationRows.length > 0 || rows.some(({ row }) => row.children.length > 0)
  const groupOptions = { ...options, ...(!hasMore && shown && { shown }) }
  const inserted: InsertedRow[] = []
  await timeSlices.inGroups(rows, isTogether ? rowsPerStatement : rowsPerSlice, async slice => {
    for (const group of isTogether ? [slice] : slice.map(row => [row]))
      for (const row of await insertGroup(writer, connection, group, groupOptions)) inserted.push(row)
  })
  if (bound.recorder !== undefined) {
    const keys = inserted.map(([key]) => key)
    const bodies = new Map(rows.map(({ row }, index) => [keys[index]!, row.values]))
    await bound.recorder.record(request, connection, { action: 'create', keys, bodies })
  }
  return inserted
}

/**
 * Inserts rows outside of a transaction, if one statement can do it; resolves to undefined otherwise. It saves the round trips of
 * BEGIN and COMMIT.
 */
export async function insertAlone(
  { bound, statements }: RowWriter,
  rows: readonly RowToWrite[],
  { shown, isolated }: WriteOptions & { readonly shown: Arguments },
): Promise<readonly InsertedRow[] | undefined> {
  const { database, relationRows } = bound
  const isWhole =
    !(isolated || runsFunctions(bound)) &&
    relationRows.length === 0 &&
    rows.every(({ row }) => row.children.length === 0)
  if (!isWhole || rows.length > database.dialect.insertedRows.maxRows(statements.columns)) return undefined
  if (!canInsertTogether(bound, statements, rows)) return undefined
  const values = rows.map(row => listValues(statements, row))
  return insertPart(bound, statements, values, { shown, run: database.write })
}

async function insertGroup(
  writer: RowWriter,
  connection: Connection,
  group: readonly RowToWrite[],
  { shown, ...options }: WriteOptions & { readonly shown?: Arguments },
): Promise<readonly InsertedRow[]> {
  const { bound, related } = writer
  const [only] = group.length === 1 ? group : []
  const runPlaced = <Result>(run: () => Promise<Result>, written?: Columns) =>
    only === undefined ? run() : placeErrors(writer, addColumns(only, written), 'create', run)
  const added = await runPlaced(() => runBeforeEach(writer, connection, group))
  const parents = group.some(({ row }) => row.children.length > 0)
    ? group.map(({ row: { children }, place }) => ({ key: undefined, children, place }))
    : []
  const referred = await saveReferred(connection, parents, options)
  const values = group.map((row, index) =>
    listValues(writer.statements, addColumns(row, referred?.[index]), added?.[index]),
  )
  const inserted = await runPlaced(async () => {
    const rows = await insertColumns(writer, connection, values, shown)
    if (bound.relationRows.length > 0)
      for (const [index, { row }] of group.entries())
        await saveRelationRows(bound, connection, { id: rows[index]![0], values: row.values, related })
    return rows
  }, added?.[0])
  if (parents.length > 0)
    await saveChildren(
      connection,
      parents.map((parent, index) => ({ ...parent, key: inserted[index]![0] })),
      options,
    )
  if (bound.resource.afterSave !== undefined)
    await runPlaced(async () => {
      for (const [index, { row }] of group.entries())
        await runAfterSave(bound.resource, row.context!, { key: inserted[index]![0], connection })
    })
  return inserted
}

async function runBeforeEach(
  { bound }: RowWriter,
  connection: Connection,
  group: readonly RowToWrite[],
): Promise<readonly (Columns | undefined)[] | undefined> {
  if (bound.resource.beforeSave === undefined) return undefined
  const added: (Columns | undefined)[] = []
  for (const { row } of group) added.push(await runBeforeSave(bound, row.context, connection))
  return added
}

/** `added`: the columns that `beforeSave` returned. */
const listValues = (statements: ManyStatements, { row, columns }: RowToWrite, added?: Columns): RowValues =>
  statements.listValues(row.values, row.context === undefined ? columns : { ...row.prepared, ...added, ...columns })

async function insertColumns(
  { bound, statements }: RowWriter,
  connection: Connection,
  rows: readonly RowValues[],
  shown: Arguments | undefined,
): Promise<readonly InsertedRow[]> {
  if (!canInsertTogether(bound, statements, rows)) return insertEach(statements, connection, rows)
  const size = Math.min(rows.length, bound.database.dialect.insertedRows.maxRows(statements.columns))
  const inserted: InsertedRow[] = []
  await timeSlices.inGroups(rows, size, async group => {
    const part = await insertPart(bound, statements, group, { shown, run: connection.run })
    for (const row of part) inserted.push(row)
  })
  return inserted
}

// Inserts as many rows as one statement can.
async function insertPart(
  bound: BoundResource,
  statements: ManyStatements,
  rows: readonly RowValues[],
  { shown, run }: { readonly shown: Arguments | undefined; readonly run: Connection['run'] },
): Promise<readonly InsertedRow[]> {
  const { columns } = statements
  const values = Object.assign(bound.database.dialect.insertedRows.bind(rows), shown)
  return orderRows(bound, columns, rows, await run(statements.insertMany(rows.length, shown !== undefined), values))
}

async function insertEach(
  { columns, insert }: ManyStatements,
  connection: Connection,
  rows: readonly RowValues[],
): Promise<readonly InsertedRow[]> {
  const inserted: InsertedRow[] = []
  await timeSlices.inGroups(rows, rowsPerSlice, async group => {
    for (const row of group) {
      const inserting = connection.first(insert, nameValues(columns, row))
      inserted.push((isPromise(inserting) ? await inserting : inserting)!)
    }
  })
  return inserted
}

const nameValues = (columns: readonly string[], row: RowValues): Arguments =>
  Object.fromEntries(columns.map((name, index) => [name, row[index]!]))

// The order of RETURNING is undefined on both databases. Keys that the database makes increase in the order of the inserted rows (see
// `canInsertTogether`).
function orderRows(
  { resource: { key } }: BoundResource,
  columns: readonly string[],
  rows: readonly RowValues[],
  inserted: readonly InsertedRow[],
): readonly InsertedRow[] {
  const place = columns.indexOf(key.column)
  if (place < 0) return inserted.toSorted(([left], [right]) => Number(left) - Number(right))
  const byKey = new Map(inserted.map(row => [row[0], row]))
  return rows.map(row => byKey.get(row[place] as KeyValue)!)
}
