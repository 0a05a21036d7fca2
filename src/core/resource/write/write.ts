// Shared by create, update and destroy. A write that lost a race is retried, and then reads what the winner wrote.

import { parseIntegers } from '../../base/exact-json.ts'
import type { MaybePromise } from '../../base/maybe-promise.ts'
import {
  type Arguments,
  type Connection,
  ConstraintViolation,
  type SqlValue,
  TransactionConflict,
  type TransactionOptions,
  ValueOutOfRange,
} from '../../database/database.ts'
import { Conflict, NotFound, PreconditionFailed, PreconditionRequired } from '../../errors/exceptions.ts'
import type { Values } from '../../fields/declared-fields.ts'
import type { Fields } from '../../fields/field.ts'
import { listStoredColumns, type StoredColumn } from '../../fields/storage.ts'
import { createTag, hasWritePreconditions, mayWrite, namesState } from '../../http/conditional/preconditions.ts'
import type { HandlerContext, RequestContext } from '../../http/context.ts'
import { readIdempotentRequest } from '../../http/idempotency/idempotent-request.ts'
import { type ApiResponse, JsonText } from '../../http/response.ts'
import type { KeyValue } from '../../keys/key.ts'
import { checkObjectPermissions, type PermissionObject } from '../../policy/permissions/permission.ts'
import { readFilterValues } from '../../policy/permissions/row-filter.ts'
import { markReplay } from '../../view/observers.ts'
import { checkResponse } from '../../view/render.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import { enterConnection } from '../bind/restrict.ts'
import { type Columns, hasTransactionHooks } from '../declare/hooks.ts'
import type { RequestRows } from '../declare/request-rows.ts'
import { prepareRepresentation, readObjectId } from '../read/retrieve.ts'
import type { ActionPlans } from '../sql/action-plan.ts'
import { type Attempt, type ChildrenWrite, ExplainedViolation } from '../validate/children.ts'
import type { ReadValues } from '../validate/validation.ts'
import type { LoadedObject } from './rows/read-row.ts'

const maxAttempts = 5

/** The object changed after its permissions were checked. Thrown inside a transaction, which it rolls back. */
export class StaleObject extends Error {
  override name = 'StaleObject'
}

/**
 * Runs `work` until it succeeds; throws Conflict after five lost races. After a constraint violation, or a
 * value that its column cannot hold, `work` runs once more with `isolated`, so that the validator can report the field's own error
 * and the error gets its place. If `explain` is set, the second violation throws the error that `explain` returns.
 */
export async function retryLostRaces<Result>(
  work: (attempt: Attempt) => Promise<Result>,
  explain?: (violation: ConstraintViolation) => MaybePromise<Error>,
): Promise<Result> {
  let hasViolated = false
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    try {
      return await work({ isolated: hasViolated })
    } catch (error) {
      if (error instanceof StaleObject || error instanceof TransactionConflict) continue
      // The first attempt may have written several rows with one statement, whose error names none of them.
      if (error instanceof ValueOutOfRange && !hasViolated) {
        hasViolated = true
        continue
      }
      if (!(error instanceof ConstraintViolation)) throw error
      if (hasViolated && error instanceof ExplainedViolation) throw await error.explain()
      if (hasViolated && explain !== undefined) throw await explain(error)
      hasViolated = true
    }
  }
  throw new Conflict()
}

/** How code or a path names an object. */
export interface ObjectName {
  readonly id: KeyValue
  /** Whether `id` is the key; otherwise, it is what the path contains. */
  readonly isKey: boolean
}

/** An object before a write, and the values of the action's row filter. */
interface Loaded extends LoadedObject {
  readonly filterValues: Arguments
}

/** Loads the object, and checks its permissions; throws NotFound, NotAuthenticated or PermissionDenied. */
export async function loadObject(
  { database, statements, plans }: BoundResource,
  context: HandlerContext,
  action: 'update' | 'destroy',
  { id, isKey }: ObjectName,
): Promise<Loaded> {
  const filterValues = await readFilterValues(plans[action].filter, context)
  const load = isKey ? statements.loadByKey : statements.load
  const row = await database.first(load[action], { id, ...filterValues })
  if (row === undefined) throw new NotFound()
  const [snapshot, key = id] = row
  const { object, values } = parseSnapshot(snapshot)
  await checkObjectPermissions(context, plans[action].permissions, object)
  return { key, snapshot, values, filterValues }
}

/** Parses a snapshot: the columns that object permissions read, and the values of the stored fields. */
export const parseSnapshot = (snapshot: string) =>
  parseIntegers(snapshot) as { readonly object: PermissionObject; readonly values: Values }

/** Loads the columns that the object permissions of this action read; throws NotFound. */
export function findPermissionObject(
  bound: BoundResource,
  action: 'update' | 'destroy',
): (context: RequestContext) => Promise<PermissionObject> {
  const { database, statements, plans } = bound
  return async context => {
    const filterValues = await readFilterValues(plans[action].filter, context)
    const row = await database.first(statements.load[action], {
      id: await readObjectId(bound, context),
      ...filterValues,
    })
    if (row === undefined) throw new NotFound()
    return (JSON.parse(row[0]) as { object: PermissionObject }).object
  }
}

/** Converts field values to column values. */
export function toColumnValues({ resource: { fields } }: BoundResource, values: Values): Record<string, SqlValue> {
  const stored = findStoredColumns(fields)
  const columns: Record<string, SqlValue> = {}
  for (const [name, value] of Object.entries(values))
    for (const { column, store } of stored[name]!) columns[column] = store(value)
  return columns
}

const storedColumns = new WeakMap<Fields, Readonly<Record<string, readonly StoredColumn[]>>>()

function findStoredColumns(fields: Fields): Readonly<Record<string, readonly StoredColumn[]>> {
  const known = storedColumns.get(fields)
  if (known !== undefined) return known
  const entries = Object.entries(fields).map(([name, field]) => [name, listStoredColumns(name, field)] as const)
  const found = Object.fromEntries(entries)
  storedColumns.set(fields, found)
  return found
}

/** Does a write of these values take more than one statement? */
export function needsTransaction(
  { resource: { beforeSave, afterSave, parentRows }, recorder, relationRows, plans }: BoundResource,
  { values, children }: Pick<ReadValues, 'values' | 'children'>,
): boolean {
  const hasHooks = beforeSave !== undefined || afterSave !== undefined || recorder !== undefined
  return (
    hasHooks ||
    parentRows !== undefined ||
    checksWritten(plans) ||
    children.length > 0 ||
    relationRows.some(({ name }) => Object.hasOwn(values, name))
  )
}

const checksWritten = ({ create, update }: ActionPlans): boolean =>
  create.writtenPermissions.length > 0 || update.writtenPermissions.length > 0

/** Whether transactions of writes of the resource wait for nothing but their statements. */
export const isBriefWrite = ({ resource, recorder, plans }: BoundResource): boolean =>
  recorder?.isBrief !== false && !checksWritten(plans) && !hasTransactionHooks(resource)

/** The maximum number of rows that a brief transaction writes. One with more rows lets the event loop run in between. */
const maxBriefRows = 200

/** `rows`: those of the request. */
export const createTransactionOptions = (
  bound: BoundResource,
  children: readonly ChildrenWrite[],
  rows: RequestRows,
): TransactionOptions => ({
  isBrief: rows.total() <= maxBriefRows && isBriefWrite(bound) && children.every(({ isBrief }) => isBrief),
})

/** The parameters of `Statements.update`: each column, and whether it changes. */
export const toAssignments = (columns: readonly string[], values: Columns): Arguments =>
  Object.fromEntries(
    columns.flatMap(column => [
      [`set ${column}`, Object.hasOwn(values, column)],
      [column, values[column] ?? null],
    ]),
  )

/**
 * Replaces the rows of the to-many relations that `values` contains; rows that refer to hidden objects stay. `related`: the values of
 * the related resources' row filters.
 */
export async function saveRelationRows(
  bound: BoundResource,
  connection: Connection,
  { id, values, related }: { readonly id: KeyValue; readonly values: Values; readonly related: Arguments },
): Promise<void> {
  const relations = bound.relationRows.filter(({ name }) => Object.hasOwn(values, name))
  for (const { name, formatKeys, remove, add } of relations) {
    const keys = formatKeys((values[name] ?? []) as readonly KeyValue[])
    await connection.run(remove, { ...related, id, keys })
    await connection.run(add, { id, keys })
  }
}

/** Handles the request, with the resource inside the transaction that stores the response if there is one. */
type Respond = (entered: BoundResource) => MaybePromise<ApiResponse>

/**
 * Responds to a request that may be repeated: with an `Idempotency-Key`, the same request has an effect once, and gets the same
 * response again. `prepare` runs before the transaction begins: what it reads with other connections cannot make the
 * transaction wait for the pool.
 */
export async function respondOnce(
  bound: BoundResource,
  context: HandlerContext,
  prepare: () => MaybePromise<Respond>,
): Promise<ApiResponse> {
  const { idempotency, resource } = bound
  const key = context.request.headers['idempotency-key']
  // A secret must not be in the table of stored responses.
  if (idempotency === undefined || key === undefined || resource.noStore) return (await prepare())(bound)
  const request = readIdempotentRequest(context, key)
  const stored = await idempotency.find(request)
  if (stored !== undefined) return replay(context, stored)
  const respond = await prepare()
  const run = await idempotency.run(request, async connection => {
    const response = await respond(enterConnection(bound, connection))
    checkResponse(response, context)
    // The same response again has the same header fields.
    return context.ownHeaders === undefined
      ? response
      : { ...response, headers: { ...response.headers, ...context.ownHeaders } }
  })
  return run.isReplay ? replay(context, run.response) : run.response
}

function replay({ request }: HandlerContext, response: ApiResponse): ApiResponse {
  markReplay(request)
  return response
}

/**
 * Runs in the transaction of an update or a destroy, once its row is locked. Rejects with PreconditionRequired, or with
 * PreconditionFailed if the object is not in the state that the request demands.
 */
export type CheckPrecondition = (key: KeyValue, connection: Connection) => Promise<void>

/** Reads the preconditions of a request; undefined if it has none and needs none. */
export async function readPrecondition(
  bound: BoundResource,
  context: HandlerContext,
): Promise<CheckPrecondition | undefined> {
  const { headers } = context.request
  if (bound.resource.requireIfMatch && !namesState(headers))
    return async () => {
      throw new PreconditionRequired()
    }
  if (!hasWritePreconditions(headers)) return undefined
  const find = await prepareRepresentation(bound, context)
  return async (key, connection) => {
    const found = await find(key, connection)
    const current = found && {
      tag: createTag(new JsonText(found.json)),
      lastModified: found.lastModified,
    }
    if (!mayWrite(headers, current)) throw new PreconditionFailed()
  }
}
