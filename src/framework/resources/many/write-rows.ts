// Writes several objects of one resource in a transaction: with one statement where the database needs a round trip per
// statement and no hook must run between the rows, otherwise one by one.

import type { HandlerContext } from '../../context.ts'
import { type Arguments, type Connection, ConstraintViolation } from '../../database/database.ts'
import type { KeyValue } from '../../keys/key.ts'
import { isPromise } from '../../maybe-promise.ts'
import type { BoundResource } from '../bound-resource.ts'
import { ExplainedViolation, type Place, saveChildren, type WriteOptions } from '../children/children.ts'
import { createDestroyError, createSaveError } from '../constraint-errors.ts'
import { settleFiles } from '../file-writes.ts'
import type { Columns } from '../hooks.ts'
import { createDestroyContext, runAfterSave, runBeforeSave } from '../run-hooks.ts'
import type { InsertedRow, ManyStatements } from '../sql/many.ts'
import { createInsertedColumns, StaleObject, saveRelationRows, toAssignments, toColumnValues } from '../write.ts'
import type { LoadedObject, ReadRow } from './read-rows.ts'

/** A row, and the columns that neither its body nor its hooks set. */
export interface RowToWrite {
  readonly row: ReadRow
  readonly columns: Columns
  readonly place: Place
}

/** The resource of the rows, its statements, and the values of its row filters and of those of related resources. */
export interface RowWriter {
  readonly bound: BoundResource
  readonly request: HandlerContext
  readonly statements: ManyStatements
  readonly related: Arguments
  readonly filters: Readonly<Record<'update' | 'destroy', Arguments>>
}

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
  const { beforeSave, afterSave } = writer.bound.resource
  const isTogether = !(beforeSave || afterSave || options.isolated)
  const groups = isTogether ? [rows] : rows.map(row => [row])
  const hasMore = writer.bound.relationRows.length > 0 || rows.some(({ row }) => row.children.length > 0)
  const groupOptions = { ...options, ...(!hasMore && shown && { shown }) }
  const inserted: InsertedRow[] = []
  for (const group of groups) inserted.push(...(await insertGroup(writer, connection, group, groupOptions)))
  const keys = inserted.map(([key]) => key)
  const bodies = new Map(rows.map(({ row }, index) => [keys[index]!, row.values]))
  await writer.bound.recorder?.record(writer.request, connection, { action: 'create', keys, bodies })
  return inserted
}

async function insertGroup(
  writer: RowWriter,
  connection: Connection,
  group: readonly RowToWrite[],
  { shown, ...options }: WriteOptions & { readonly shown?: Arguments },
): Promise<readonly InsertedRow[]> {
  const { bound, related } = writer
  const [only] = group.length === 1 ? group : []
  const runPlaced = <Result>(run: () => Promise<Result>) =>
    only === undefined ? run() : placeErrors(writer, only, 'create', run)
  const inserted = await runPlaced(async () => {
    const rows = await insertColumns(writer, connection, await createRows(writer, connection, group), shown)
    if (bound.relationRows.length > 0)
      for (const [index, { row }] of group.entries())
        await saveRelationRows(bound, connection, { id: rows[index]![0], values: row.values, related })
    return rows
  })
  const parents = group.map(({ row: { children }, place }, index) => ({ key: inserted[index]![0], children, place }))
  await saveChildren(connection, parents, options)
  await runPlaced(async () => {
    for (const [index, { row }] of group.entries())
      if (row.context !== undefined)
        await runAfterSave(bound.resource, row.context, { key: inserted[index]![0], connection })
  })
  return inserted
}

async function createRows(
  { bound }: RowWriter,
  connection: Connection,
  group: readonly RowToWrite[],
): Promise<readonly Arguments[]> {
  const created: Arguments[] = []
  for (const { row, columns } of group) {
    const added = row.context && (await runBeforeSave(bound, row.context, connection))
    created.push(createInsertedColumns(bound, row.values, { ...row.prepared, ...added, ...columns }))
  }
  return created
}

async function insertColumns(
  { bound, statements }: RowWriter,
  connection: Connection,
  rows: readonly Arguments[],
  shown: Arguments | undefined,
): Promise<readonly InsertedRow[]> {
  if (rows.length > 1 && canInsertMany(bound, statements.columns)) {
    const json = formatRows(bound, statements.columns, rows)
    const statement = shown === undefined ? statements.insertMany : statements.insertShown
    return orderRows(bound, rows, await connection.run(statement, { ...shown, rows: json }))
  }
  const inserted: InsertedRow[] = []
  for (const row of rows) {
    const inserting = connection.first(statements.insert, row)
    inserted.push((isPromise(inserting) ? await inserting : inserting)!)
  }
  return inserted
}

// A key that the database makes, and that is not a sequence, does not say to which row it belongs.
function canInsertMany(bound: BoundResource, columns: readonly string[]): boolean {
  const { key } = bound.resource
  const isOrdered = columns.includes(key.column) || (key.source === 'database' && key.type === 'integer')
  return isOrdered && canRecord(bound, columns)
}

function canRecord({ database, resource, tables }: BoundResource, columns: readonly string[]): boolean {
  const table = tables.get(resource.table)
  return columns.every(name => database.dialect.canRecord(table?.column(name)?.kind ?? 'other'))
}

function formatRows(
  { database, resource, tables }: BoundResource,
  columns: readonly string[],
  rows: readonly Arguments[],
): string {
  const table = tables.get(resource.table)
  return database.dialect.formatRecords(rows, columns, name => table?.column(name)?.kind === 'json')
}

// Neither database promises the order of RETURNING. Keys of a sequence increase in the order of the inserted rows.
function orderRows(
  { resource: { key } }: BoundResource,
  rows: readonly Arguments[],
  inserted: readonly InsertedRow[],
): readonly InsertedRow[] {
  if (!Object.hasOwn(rows[0]!, key.column)) return inserted.toSorted(([left], [right]) => Number(left) - Number(right))
  const byKey = new Map(inserted.map(row => [row[0], row]))
  return rows.map(row => byKey.get(row[key.column] as KeyValue)!)
}

/** Locks objects; rejects with StaleObject if one changed, or if the caller no longer sees it. */
export async function lockRows(
  { statements, filters }: RowWriter,
  connection: Connection,
  action: 'update' | 'destroy',
  objects: readonly LoadedObject[],
): Promise<void> {
  if (objects.length === 0) return
  const keys = statements.formatKeys(objects.map(({ key }) => key))
  const rows = await connection.run(statements.lock[action], { ...filters[action], keys })
  const snapshots = new Map(rows.map(([key, snapshot]) => [key, snapshot]))
  if (objects.some(({ key, snapshot }) => snapshots.get(key) !== snapshot)) throw new StaleObject()
}

/** Changes locked objects. Rejects with ConstraintViolation. */
export async function updateRows(
  writer: RowWriter,
  connection: Connection,
  rows: readonly RowToWrite[],
  options: WriteOptions,
): Promise<void> {
  const { bound, request, statements, related } = writer
  const keys = rows.map(({ row }) => row.loaded!.key)
  const before = await bound.recorder?.read(connection, keys)
  const changes = options.isolated ? undefined : listUniformChanges(writer, rows)
  if (changes === undefined) await updateEach(writer, connection, rows, options)
  else {
    const [columns, values] = changes
    const json = formatRows(bound, [...columns, bound.resource.key.column], values)
    await connection.run(statements.updateMany(columns), { ...related, rows: json })
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
    await placeErrors(writer, given, 'update', async () => {
      const added = await runBeforeSave(bound, row.context, connection)
      const changes = { ...toColumnValues(bound, row.values), ...row.prepared, ...added, ...columns }
      await saveRelationRows(bound, connection, { id, values: row.values, related })
      if (Object.keys(changes).length > 0)
        await connection.run(statements.update, { ...toAssignments(statements.changed, changes), ...related, id })
    })
    await saveChildren(connection, [{ key: id, children: row.children, place }], options)
    await placeErrors(writer, given, 'update', async () => {
      if (row.context !== undefined) await runAfterSave(bound.resource, row.context, { key: id, connection })
    })
  }
}

// The columns that change in each of the rows, and the rows with their keys; undefined if they must be written one by one.
function listUniformChanges(
  { bound, statements }: RowWriter,
  rows: readonly RowToWrite[],
): readonly [columns: readonly string[], rows: readonly Arguments[]] | undefined {
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
  const { column } = resource.key
  return [columns, rows.map(({ row }, index) => ({ ...(changes[index] as Arguments), [column]: row.loaded!.key }))]
}

/** Deletes locked objects. Rejects with Protected if another object refers to one of them. */
export async function removeRows(
  { bound, request, statements }: RowWriter,
  connection: Connection,
  objects: readonly LoadedObject[],
): Promise<void> {
  if (objects.length === 0) return
  const { beforeDestroy, afterDestroy } = bound.resource
  const contexts = objects.map(({ key, values }) =>
    createDestroyContext(bound, request, { key, before: values }, connection),
  )
  const keys = objects.map(({ key }) => key)
  const before = await bound.recorder?.read(connection, keys)
  for (const context of contexts) await beforeDestroy?.(context)
  try {
    await connection.run(statements.remove, { keys: statements.formatKeys(keys) })
  } catch (error) {
    throw error instanceof ConstraintViolation ? createDestroyError(bound, error) : error
  }
  for (const context of contexts) await afterDestroy?.(context)
  if (before !== undefined) await bound.recorder!.record(request, connection, { action: 'destroy', keys, before })
  await settleFiles(
    bound,
    request,
    objects.map(({ values }) => ({ before: values })),
  )
}

// The transaction has failed when a violation is explained, so `bound` reads with another connection.
async function placeErrors<Result>(
  { bound }: RowWriter,
  { row, place }: RowToWrite,
  action: 'create' | 'update',
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof ExplainedViolation)
      throw new ExplainedViolation(error, async () => place(await error.explain()))
    if (error instanceof ConstraintViolation)
      throw new ExplainedViolation(error, async () => place(await createSaveError(bound, error, action, row.values)))
    throw place(error as Error)
  }
}
