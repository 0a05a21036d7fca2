// Shared by inserts, changes and removals of several rows of one resource.

import { type Arguments, type Connection, ConstraintViolation, type SqlValue } from '../../../database/database.ts'
import type { HandlerContext } from '../../../http/context.ts'
import { readFilterValues } from '../../../policy/permissions/row-filter.ts'
import type { BoundResource } from '../../bind/bound-resource.ts'
import type { Columns } from '../../declare/hooks.ts'
import type { ManyStatements } from '../../sql/many.ts'
import { ExplainedViolation, type Place } from '../../validate/children.ts'
import { createSaveError } from '../constraint-errors.ts'
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

/** Adds columns that hooks or other statements set. */
export const addColumns = (row: RowToWrite, columns: Columns | undefined): RowToWrite =>
  columns === undefined ? row : { ...row, columns: { ...row.columns, ...columns } }

/** The resource of the rows, its statements, and the values of its row filters and of those of related resources. */
export interface RowWriter {
  readonly bound: BoundResource
  readonly request: HandlerContext
  readonly statements: ManyStatements
  readonly related: Arguments
  readonly filters: Readonly<Record<'update' | 'destroy', Arguments>>
}

/** Reads the values of the row filters of changes and removals. */
export async function readFilters({ plans }: BoundResource, request: HandlerContext): Promise<RowWriter['filters']> {
  return {
    update: await readFilterValues(plans.update.filter, request),
    destroy: await readFilterValues(plans.destroy.filter, request),
  }
}

/** The values of a row, in the order of its columns. */
export type RowValues = readonly SqlValue[]

/** Whether one parameter can express the values of these columns of several rows. */
export function canRecord({ database, resource, tables }: BoundResource, columns: readonly string[]): boolean {
  const table = tables.get(resource.table)
  return columns.every(name => database.dialect.canRecord(table?.column(name)?.kind ?? 'other'))
}

/** The columns whose values are the texts of JSON. */
export function listJsonColumns({ resource, tables }: BoundResource, columns: readonly string[]): ReadonlySet<string> {
  const table = tables.get(resource.table)
  return new Set(columns.filter(name => table?.column(name)?.kind === 'json'))
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

/**
 * Runs a part of a write, whose errors get the place of the row. The transaction has failed when a violation is explained, so
 * `bound` reads with another connection.
 */
export async function placeErrors<Result>(
  { bound }: RowWriter,
  { row, columns, place }: RowToWrite,
  action: 'create' | 'update',
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof ExplainedViolation)
      throw new ExplainedViolation(error, async () => place(await error.explain()))
    if (error instanceof ConstraintViolation) {
      const { values, prepared, loaded } = row
      const failed = { action, values, columns: { ...prepared, ...columns }, existing: loaded?.values ?? {} }
      throw new ExplainedViolation(error, async () => place(await createSaveError(bound, error, failed)))
    }
    throw place(error as Error)
  }
}
