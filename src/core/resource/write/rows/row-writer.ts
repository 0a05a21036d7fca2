// Shared by inserts, changes and removals of the rows of one resource, from one row to thousands.

import { runPortions } from '../../../base/time-slices.ts'
import { type Arguments, type Connection, ConstraintViolation, type SqlValue } from '../../../database/database.ts'
import type { Values } from '../../../fields/declared-fields.ts'
import { storageColumn } from '../../../fields/storage.ts'
import type { HandlerContext } from '../../../http/context.ts'
import type { KeyValue } from '../../../keys/key.ts'
import { checkObjectPermissions } from '../../../policy/permissions/permission.ts'
import { readFilterValues } from '../../../policy/permissions/row-filter.ts'
import type { BoundResource } from '../../bind/bound-resource.ts'
import type { Columns } from '../../declare/hooks.ts'
import type { InsertedRow, ManyStatements } from '../../sql/many.ts'
import { keepStoredJson } from '../../sql/serializer.ts'
import { ExplainedViolation, type Place } from '../../validate/children.ts'
import { createSaveError } from '../constraint-errors.ts'
import type { FileChange } from '../file-writes.ts'
import { StaleObject } from '../write.ts'
import type { LoadedObject, ReadRow } from './read-row.ts'

/** How many rows one statement writes. More rows would keep the event loop from other requests. */
export const rowsPerStatement = 500
/** How many rows are written one by one before the event loop may run. */
export const rowsPerSlice = 32

/** A row, and the columns that neither its body nor its hooks set. */
export interface RowToWrite {
  readonly row: ReadRow
  readonly columns: Columns
  readonly place: Place
}

/** The stored values of a row, whose replaced files are removed after the commit. */
export const toFileChange = ({ row }: RowToWrite): FileChange => ({ before: row.loaded?.values, after: row.values })

/** The place of the only row of a request: its errors are those of the request. */
export const keepPlace: Place = error => error

/** Adds columns that hooks or other statements set. */
export const addColumns = (row: RowToWrite, columns: Columns | undefined): RowToWrite =>
  columns === undefined ? row : { ...row, columns: { ...row.columns, ...columns } }

/** An object that a request has written. */
export interface Written {
  readonly key: KeyValue
  /** The value in its path. */
  readonly name: KeyValue
  /** Its representation; undefined for a deleted object. */
  readonly json?: string
}

/** The resource of the rows, its statements, and the values of its row filters and of those of related resources. */
export interface RowWriter {
  readonly bound: BoundResource
  readonly request: HandlerContext
  readonly statements: ManyStatements
  readonly related: Arguments
  readonly filters: Readonly<Partial<Record<'update' | 'destroy', Arguments>>>
}

/** `filters`: those of the actions that load or lock rows. */
export const createWriter = (
  bound: BoundResource,
  request: HandlerContext,
  { related, filters = {} }: Pick<RowWriter, 'related'> & Partial<Pick<RowWriter, 'filters'>>,
): RowWriter => ({ bound, request, statements: bound.many, related, filters })

/** Reads the values of the row filters of changes and removals. */
export async function readFilters({ plans }: BoundResource, request: HandlerContext): Promise<RowWriter['filters']> {
  return {
    update: await readFilterValues(plans.update.filter, request),
    destroy: await readFilterValues(plans.destroy.filter, request),
  }
}

/** The values of the fields whose columns the URL sets. */
export function toUrlValues({ resource }: BoundResource, columns: Readonly<Record<string, KeyValue>>): Values {
  const values: Record<string, KeyValue> = {}
  for (const column of Object.keys(columns))
    for (const [name, field] of Object.entries(resource.fields))
      if (!field.readOnly && storageColumn(name, field) === column) values[name] = columns[column]!
  return values
}

/** The values of a row, in the order of its columns. */
export type RowValues = readonly SqlValue[]

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

/**
 * Runs a part of a write, whose errors get the place of the row. The transaction has failed when a violation is explained, so
 * `bound` reads with another connection.
 */
export async function placeErrors<Result>(
  writer: RowWriter,
  row: RowToWrite,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof ExplainedViolation)
      throw new ExplainedViolation(error, async () => row.place(await error.explain()))
    if (error instanceof ConstraintViolation)
      throw new ExplainedViolation(error, async () => row.place(await createRowError(writer.bound, row, error)))
    throw row.place(error as Error)
  }
}

/** Creates the error of a row whose values are valid, and that violates a constraint. */
export function createRowError(
  bound: BoundResource,
  { row: { values, prepared, loaded }, columns }: RowToWrite,
  violation: ConstraintViolation,
): Promise<Error> {
  return createSaveError(bound, violation, {
    action: loaded === undefined ? 'create' : 'update',
    values,
    columns: { ...prepared, ...columns },
    existing: loaded?.values ?? {},
  })
}

type SaveAction = 'create' | 'update'

/** A row with its representation. */
export type ShownRow = readonly [key: KeyValue, json: string, name?: KeyValue]

export const isShown = (row: InsertedRow): row is ShownRow => row[1] !== undefined

/** The parameters of representations. */
export const createRepresentationValues = ({ bound, related, request }: RowWriter, action: SaveAction): Arguments => ({
  ...related,
  ...bound.plans[action].readRequestValues(request),
  base: request.baseUrl,
})

/** Reads the representations of written rows, in the order of the keys. */
export async function readRows(
  writer: RowWriter,
  connection: Connection,
  action: SaveAction,
  keys: readonly KeyValue[],
): Promise<readonly ShownRow[]> {
  const { statements } = writer
  const values = createRepresentationValues(writer, action)
  const rows = await runPortions(keys, portion =>
    connection.run(statements.written[action], { ...values, keys: statements.formatKeys(portion) }),
  )
  const byKey = new Map(rows.map(row => [row[0], row]))
  return keys.map(key => byKey.get(key)!)
}

/** Checks the permissions of written objects; rejects with the first refusal, in the place of its row. */
export async function checkWritten(
  { bound, request, statements }: RowWriter,
  connection: Connection,
  action: SaveAction,
  written: readonly (Pick<RowToWrite, 'place'> & { readonly key: KeyValue })[],
): Promise<void> {
  const { writtenPermissions } = bound.plans[action]
  if (writtenPermissions.length === 0) return
  const objects = await runPortions(written, portion =>
    connection.run(statements.permitted[action], { keys: statements.formatKeys(portion.map(({ key }) => key)) }),
  )
  const byKey = new Map(objects)
  for (const { key, place } of written) {
    try {
      await checkObjectPermissions(request, writtenPermissions, JSON.parse(byKey.get(key)!))
    } catch (error) {
      throw place(error as Error)
    }
  }
}

/** Adds the values that TypeScript computes. */
export async function serializeRows(
  { bound, request }: RowWriter,
  action: SaveAction,
  rows: readonly ShownRow[],
): Promise<readonly Written[]> {
  const { serializer } = bound.plans[action]
  const texts =
    serializer === keepStoredJson
      ? undefined
      : await serializer.serializeAll(
          rows.map(([, json]) => json),
          request,
        )
  return rows.map(([key, json, name = key], index) => ({ key, name, json: texts === undefined ? json : texts[index]! }))
}
