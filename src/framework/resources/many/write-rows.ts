// Writes several objects of one resource in a transaction: with one statement where the database needs a round trip per
// statement and no hook must run between the rows, otherwise one by one.

import type { HandlerContext } from '../../context.ts'
import { type Arguments, type Connection, ConstraintViolation, type SqlValue } from '../../database/database.ts'
import type { KeyValue } from '../../keys/key.ts'
import { isPromise } from '../../maybe-promise.ts'
import type { BoundResource } from '../bound-resource.ts'
import { ExplainedViolation, type Place, saveChildren, type WriteOptions } from '../children/children.ts'
import { createDestroyError, createSaveError } from '../constraint-errors.ts'
import { settleFiles } from '../file-writes.ts'
import type { Columns } from '../hooks.ts'
import { createDestroyContext, runAfterSave, runBeforeSave } from '../run-hooks.ts'
import type { InsertedRow, ManyStatements } from '../sql/many.ts'
import { StaleObject, saveRelationRows, toAssignments, toColumnValues } from '../write.ts'
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
  if (group.some(({ row }) => row.children.length > 0)) {
    const parents = group.map(({ row: { children }, place }, index) => ({ key: inserted[index]![0], children, place }))
    await saveChildren(connection, parents, options)
  }
  if (bound.resource.afterSave !== undefined)
    await runPlaced(async () => {
      for (const [index, { row }] of group.entries())
        await runAfterSave(bound.resource, row.context!, { key: inserted[index]![0], connection })
    })
  return inserted
}

async function createRows(
  { bound, statements }: RowWriter,
  connection: Connection,
  group: readonly RowToWrite[],
): Promise<readonly NewRow[]> {
  const created: NewRow[] = []
  for (const { row, columns } of group) {
    const { values, context, prepared } = row
    const given =
      context === undefined
        ? columns
        : { ...prepared, ...(await runBeforeSave(bound, context, connection)), ...columns }
    created.push(statements.listValues(values, given))
  }
  return created
}

/** The values of a row, in the order of `ManyStatements.columns`. */
type NewRow = readonly SqlValue[]

async function insertColumns(
  { bound, statements }: RowWriter,
  connection: Connection,
  rows: readonly NewRow[],
  shown: Arguments | undefined,
): Promise<readonly InsertedRow[]> {
  return rows.length > 1 && findInsertPlan(bound, statements).isTogether
    ? insertTogether(bound, statements, connection, { rows, shown })
    : insertEach(statements, connection, rows)
}

async function insertTogether(
  bound: BoundResource,
  statements: ManyStatements,
  connection: Connection,
  { rows, shown }: { readonly rows: readonly NewRow[]; readonly shown: Arguments | undefined },
): Promise<readonly InsertedRow[]> {
  const { columns, insertMany } = statements
  const { maxRows, bind } = bound.database.dialect.insertedRows
  const { json } = findInsertPlan(bound, statements)
  const size = Math.min(rows.length, maxRows(columns))
  const inserted: InsertedRow[] = []
  for (let start = 0; start < rows.length; start += size) {
    const part = rows.slice(start, start + size)
    const statement = insertMany(part.length, shown !== undefined)
    const values = { ...bind(part, columns, json), ...shown }
    inserted.push(...orderRows(bound, columns, part, await connection.run(statement, values)))
  }
  return inserted
}

async function insertEach(
  { columns, insert }: ManyStatements,
  connection: Connection,
  rows: readonly NewRow[],
): Promise<readonly InsertedRow[]> {
  const inserted: InsertedRow[] = []
  for (const row of rows) {
    const inserting = connection.first(insert, nameValues(columns, row))
    inserted.push((isPromise(inserting) ? await inserting : inserting)!)
  }
  return inserted
}

const nameValues = (columns: readonly string[], row: NewRow): Arguments =>
  Object.fromEntries(columns.map((name, index) => [name, row[index]!]))

interface InsertPlan {
  /** Whether one statement can insert several rows. */
  readonly isTogether: boolean
  /** The columns whose values are the texts of JSON. */
  readonly json: ReadonlySet<string>
}

// The tables are known when Fastify is ready.
const insertPlans = new WeakMap<ManyStatements, InsertPlan>()

function findInsertPlan(bound: BoundResource, statements: ManyStatements): InsertPlan {
  const found = insertPlans.get(statements)
  if (found !== undefined) return found
  const { columns } = statements
  const plan = { isTogether: canInsertMany(bound, columns), json: listJsonColumns(bound, columns) }
  insertPlans.set(statements, plan)
  return plan
}

// A key that the database makes, and that is not a sequence, does not say to which row it belongs.
function canInsertMany(bound: BoundResource, columns: readonly string[]): boolean {
  const { key } = bound.resource
  const isOrdered = columns.includes(key.column) || (key.source === 'database' && key.type === 'integer')
  return isOrdered && columns.length > 0 && canRecord(bound, columns)
}

function canRecord({ database, resource, tables }: BoundResource, columns: readonly string[]): boolean {
  const table = tables.get(resource.table)
  return columns.every(name => database.dialect.canRecord(table?.column(name)?.kind ?? 'other'))
}

function listJsonColumns({ resource, tables }: BoundResource, columns: readonly string[]): ReadonlySet<string> {
  const table = tables.get(resource.table)
  return new Set(columns.filter(name => table?.column(name)?.kind === 'json'))
}

// Neither database promises the order of RETURNING. Keys of a sequence increase in the order of the inserted rows.
function orderRows(
  { resource: { key } }: BoundResource,
  columns: readonly string[],
  rows: readonly NewRow[],
  inserted: readonly InsertedRow[],
): readonly InsertedRow[] {
  const place = columns.indexOf(key.column)
  if (place < 0) return inserted.toSorted(([left], [right]) => Number(left) - Number(right))
  const byKey = new Map(inserted.map(row => [row[0], row]))
  return rows.map(row => byKey.get(row[place] as KeyValue)!)
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
    const written = [...columns, bound.resource.key.column]
    const json = bound.database.dialect.formatRecords(values, written, listJsonColumns(bound, written))
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

// The columns that change in each of the rows, and their values with the keys; undefined if they must be written one by one.
function listUniformChanges(
  { bound, statements }: RowWriter,
  rows: readonly RowToWrite[],
): readonly [columns: readonly string[], rows: readonly NewRow[]] | undefined {
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
  const listValues = (change: Columns): readonly SqlValue[] => columns.map(name => change[name]!)
  return [columns, rows.map(({ row }, index) => [...listValues(changes[index]!), row.loaded!.key])]
}

/** A locked object that is deleted, and the place of its errors. */
export interface RowToRemove {
  readonly object: LoadedObject
  readonly place: Place
}

/** Deletes locked objects. Rejects with ConstraintViolation, or with Protected if another object refers to one of them. */
export async function removeRows(
  writer: RowWriter,
  connection: Connection,
  rows: readonly RowToRemove[],
  { isolated }: WriteOptions,
): Promise<void> {
  if (rows.length === 0) return
  const { bound, request } = writer
  const { beforeDestroy, afterDestroy } = bound.resource
  const contexts = rows.map(({ object: { key, values } }) =>
    createDestroyContext(bound, request, { key, before: values }, connection),
  )
  const keys = rows.map(({ object }) => object.key)
  const before = await bound.recorder?.read(connection, keys)
  const runHooks = async (hook: typeof beforeDestroy) => {
    for (const [index, { place }] of rows.entries()) await placeRemoval(place, async () => hook?.(contexts[index]!))
  }
  await runHooks(beforeDestroy)
  for (const group of isolated ? rows.map(row => [row]) : [rows]) await removeGroup(writer, connection, group)
  await runHooks(afterDestroy)
  if (before !== undefined) await bound.recorder!.record(request, connection, { action: 'destroy', keys, before })
  await settleFiles(
    bound,
    request,
    rows.map(({ object }) => ({ before: object.values })),
  )
}

// The violation of a statement that removes several rows names none of them, so the next attempt removes each by itself.
async function removeGroup(
  { bound, statements }: RowWriter,
  connection: Connection,
  group: readonly RowToRemove[],
): Promise<void> {
  const keys = statements.formatKeys(group.map(({ object }) => object.key))
  try {
    await connection.run(statements.remove, { keys })
  } catch (error) {
    if (group.length > 1 || !(error instanceof ConstraintViolation)) throw error
    throw group[0]!.place(createDestroyError(bound, error))
  }
}

async function placeRemoval(place: Place, run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    throw place(error as Error)
  }
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
