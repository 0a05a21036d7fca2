// Inserts the rows of one resource: with one statement where the database needs a round trip per statement and no hook must run
// between the rows, otherwise one by one.

import { isPromise } from '../../../base/maybe-promise.ts'
import { timeSlices } from '../../../base/time-slices.ts'
import type { Arguments, Connection, Statement } from '../../../database/database.ts'
import type { KeyValue } from '../../../keys/key.ts'
import type { BoundResource } from '../../bind/bound-resource.ts'
import type { Columns } from '../../declare/hooks.ts'
import { nameParentColumn } from '../../sql/family-insert.ts'
import type { InsertedRow } from '../../sql/many.ts'
import { saveChildren, saveReferred, type WriteOptions } from '../../validate/children.ts'
import { runAfterSave, runBeforeSave } from '../run-hooks.ts'
import { createTransactionOptions, needsTransaction, saveRelationRows } from '../write.ts'
import type { ReadRow } from './read-row.ts'
import { insertParts } from './row-parts.ts'
import {
  addColumns,
  checkWritten,
  createRepresentationValues,
  isShown,
  placeErrors,
  type RowToWrite,
  type RowValues,
  type RowWriter,
  readRows,
  rowsPerSlice,
  rowsPerStatement,
  type ShownRow,
} from './row-writer.ts'

/**
 * Inserts rows in their order, with one statement if it can do all, otherwise in a transaction; resolves to the rows with their
 * representations. Rejects with ConstraintViolation.
 */
export async function insertAll(
  writer: RowWriter,
  rows: readonly RowToWrite[],
  options: WriteOptions,
): Promise<readonly ShownRow[]> {
  if (rows.length === 0) return []
  const { bound, statements } = writer
  const { database } = bound
  const shown = createRepresentationValues(writer, 'create')
  // The first attempt of several rows does not say which of them violates a constraint.
  const isAlone =
    rows.length === 1
      ? !needsTransaction(bound, rows[0]!.row)
      : !options.isolated &&
        rows.length <= database.dialect.insertedRows.maxRows(statements.columns) &&
        statements.insertsTogether() &&
        !rows.some(({ row }) => needsTransaction(bound, row))
  if (isAlone) {
    const values = rows.map(row => listValues(writer, row))
    return (await insertColumns(writer, database.write, values, shown)) as readonly ShownRow[]
  }
  const family = rows.length === 1 && !options.isolated ? await insertFamily(writer, rows[0]!, shown) : undefined
  if (family !== undefined) return [family]
  return database.transaction(
    async connection => {
      const inserted = await insertRows(writer, connection, rows, { ...options, shown })
      if (inserted.every(isShown)) return inserted
      const keys = inserted.map(([key]) => key)
      return readRows(writer, connection, 'create', keys)
    },
    createTransactionOptions(
      bound,
      rows.flatMap(({ row }) => row.children),
      options.rows,
    ),
  )
}

// A new object with one list of children.
async function insertFamily(writer: RowWriter, row: RowToWrite, shown: Arguments): Promise<ShownRow | undefined> {
  const { bound, statements } = writer
  const [write, ...others] = row.row.children
  if (write === undefined || others.length > 0 || needsTransaction(bound, { ...row.row, children: [] }))
    return undefined
  const values = nameValues(statements.columns.map(nameParentColumn), listValues(writer, row))
  return (await write.writer.insertFamily(bound, write, { ...values, ...shown })) as ShownRow | undefined
}

/**
 * Inserts rows in their order, in a transaction. Rejects with ConstraintViolation. `shown`: the parameters of their representations,
 * which are returned if nothing that is written after the rows can change them.
 */
export async function insertRows(
  writer: RowWriter,
  connection: Connection,
  rows: readonly RowToWrite[],
  { shown, ...options }: WriteOptions & { readonly shown?: Arguments },
): Promise<readonly InsertedRow[]> {
  const { bound, request, statements } = writer
  const { beforeSave, afterSave } = bound.resource
  const isTogether = !(beforeSave || afterSave || options.isolated)
  const isFinal = rows.length === 1 || (isTogether && statements.insertsTogether())
  const isReturned = shown !== undefined && isFinal && !afterSave && statements.parts === undefined
  const showsRows = isReturned && !rows.some(({ row }) => hasOwnRows(bound, row))
  const inserted: InsertedRow[] = []
  await timeSlices.inGroups(rows, isTogether ? rowsPerStatement : rowsPerSlice, async slice => {
    for (const group of isTogether ? [slice] : slice.map(row => [row]))
      for (const row of await insertGroup(writer, connection, group, { ...options, ...(showsRows && { shown }) }))
        inserted.push(row)
  })
  await checkWritten(
    writer,
    connection,
    'create',
    rows.map(({ place }, index) => ({ place, key: inserted[index]![0] })),
  )
  if (bound.recorder !== undefined) {
    const keys = inserted.map(([key]) => key)
    const bodies = new Map(rows.map(({ row }, index) => [keys[index]!, row.values]))
    await bound.recorder.record(request, connection, { action: 'create', keys, bodies })
  }
  return inserted
}

// Rows of other tables that are written after the row, and belong to its representation.
const hasOwnRows = ({ relationRows }: BoundResource, { values, children }: ReadRow): boolean =>
  children.some(({ column }) => column === undefined) || relationRows.some(({ name }) => Object.hasOwn(values, name))

async function insertGroup(
  writer: RowWriter,
  connection: Connection,
  group: readonly RowToWrite[],
  { shown, ...options }: WriteOptions & { readonly shown?: Arguments },
): Promise<readonly InsertedRow[]> {
  const { bound, related } = writer
  const { beforeSave, afterSave } = bound.resource
  const [only] = group.length === 1 ? group : []
  const runPlaced = <Result>(run: () => Promise<Result>, written?: Columns) =>
    only === undefined ? run() : placeErrors(writer, addColumns(only, written), run)
  const added = beforeSave && (await runPlaced(() => runBeforeEach(writer, connection, group)))
  const hasChildren = group.some(({ row }) => row.children.length > 0)
  const parents = hasChildren
    ? group.map(({ row: { children }, place }) => ({ key: undefined, children, place }))
    : undefined
  const referred = parents && (await saveReferred(connection, parents, options))
  const values = group.map((row, index) =>
    listValues(writer, referred === undefined ? row : addColumns(row, referred[index]), added?.[index]),
  )
  const inserted = await runPlaced(async () => {
    const rows = await insertColumns(writer, connection.run, values, shown)
    if (bound.relationRows.length > 0)
      for (const [index, { row }] of group.entries())
        await saveRelationRows(bound, connection, { id: rows[index]![0], values: row.values, related })
    return rows
  }, added?.[0])
  if (parents !== undefined)
    await saveChildren(
      connection,
      parents.map((parent, index) => ({ ...parent, key: inserted[index]![0] })),
      options,
    )
  if (afterSave !== undefined)
    await runPlaced(async () => {
      for (const [index, { row }] of group.entries())
        await runAfterSave(bound.resource, row.context!, { key: inserted[index]![0], connection })
    })
  return inserted
}

/** `added`: the columns that `beforeSave` returned. */
const listValues = ({ statements }: RowWriter, { row, columns }: RowToWrite, added?: Columns): RowValues =>
  statements.listValues(row.values, row.prepared === undefined ? columns : { ...row.prepared, ...added, ...columns })

async function runBeforeEach(
  { bound }: RowWriter,
  connection: Connection,
  group: readonly RowToWrite[],
): Promise<readonly Columns[]> {
  const added: Columns[] = []
  for (const { row } of group) added.push(await runBeforeSave(bound, row.context, connection))
  return added
}

async function insertColumns(
  { bound, statements }: Pick<RowWriter, 'bound' | 'statements'>,
  run: Connection['run'],
  rows: readonly RowValues[],
  shown: Arguments | undefined,
): Promise<readonly InsertedRow[]> {
  const { columns, parts } = statements
  if (parts !== undefined)
    return insertParts(parts, columns, rows, ({ resource, statements }, values) =>
      insertColumns({ bound: { ...bound, resource }, statements }, run, values, undefined),
    )
  const { insertedRows } = bound.database.dialect
  const inserted: InsertedRow[] = []
  if (rows.length === 1 || !statements.insertsTogether()) {
    const insert: Statement<InsertedRow> = shown === undefined ? statements.insert : bound.statements.insert
    await timeSlices.inGroups(rows, rowsPerSlice, async group => {
      for (const row of group) {
        const inserting = run(insert, { ...nameValues(columns, row), ...shown })
        inserted.push((isPromise(inserting) ? await inserting : inserting)[0]!)
      }
    })
    return inserted
  }
  const size = Math.min(rows.length, insertedRows.maxRows(columns))
  await timeSlices.inGroups(rows, size, async group => {
    const values = Object.assign(insertedRows.bind(group), shown)
    const found = await run(statements.insertMany(group.length, shown !== undefined), values)
    for (const row of orderRows(bound, columns, group, found)) inserted.push(row)
  })
  return inserted
}

const nameValues = (columns: readonly string[], row: RowValues): Arguments =>
  Object.fromEntries(columns.map((name, index) => [name, row[index]!]))

// The order of RETURNING is undefined on both databases. Keys that the database makes increase in the order of the inserted rows (see
// `ManyStatements.insertsTogether`).
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
