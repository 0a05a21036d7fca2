// What create, update and destroy share: a write that lost a race begins again, and then sees what the winner wrote.

import type { HandlerContext, RequestContext } from '../context.ts'
import { type Arguments, type Connection, ConstraintViolation, type SqlValue } from '../database/database.ts'
import { Conflict, NotFound } from '../errors/exceptions.ts'
import { parseIntegers } from '../exact-json.ts'
import { formatDateTime } from '../fields/date-time.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import { checkObjectPermissions, type PermissionObject } from '../permissions/permission.ts'
import { rowValues } from '../permissions/row-filter.ts'
import { type BoundResource, keyOf } from './bound-resource.ts'
import type { Values } from './declared-fields.ts'
import type { Columns, Resource, WriteContext } from './resource.ts'
import { storageColumn, storedValue } from './storage.ts'

const attempts = 5

/** The object is no longer what was judged; thrown in a transaction, so that nothing of it stays. */
export class StaleObject extends Error {
  override name = 'StaleObject'
}

/**
 * Runs `work` until it wins; throws Conflict when it has lost every time. After a violation of a constraint `work` runs
 * once more, so that the validator can say what is wrong in its own words; the second one is explained, if `explain` is
 * given.
 */
export async function untilWon<Result>(
  work: () => Promise<Result>,
  explain?: (violation: ConstraintViolation) => MaybePromise<Error>,
): Promise<Result> {
  let hasViolated = false
  for (let attempt = 0; attempt < attempts; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (error instanceof StaleObject) continue
      if (!(error instanceof ConstraintViolation)) throw error
      if (hasViolated && explain !== undefined) throw await explain(error)
      hasViolated = true
    }
  }
  throw new Conflict()
}

/** An object before it is written. */
export interface Loaded {
  /** The database's own text of what was judged: a write holds only while it is the same. */
  readonly seen: string
  /** The stored fields' values, where hooks need them. */
  readonly values: Values
  /** The values of the action's filter. */
  readonly rows: Arguments
}

/** Finds the object and asks the object permissions; throws NotFound, NotAuthenticated or PermissionDenied. */
export async function loadObject(
  { database, statements, plans }: BoundResource,
  context: HandlerContext,
  action: 'update' | 'destroy',
  id: number,
): Promise<Loaded> {
  const rows = await rowValues(plans[action].filter, context)
  const row = await database.first(statements.load[action], { id, ...rows })
  if (row === undefined) throw new NotFound()
  const [seen] = row
  const { object, values } = parseIntegers(seen) as { object: PermissionObject; values: Values }
  await checkObjectPermissions(context, plans[action].permissions, object)
  return { seen, values, rows }
}

/** What the object permissions read of the object in a request's path, as this action would; throws NotFound. */
export function findPermissionObject(
  { database, statements, plans }: BoundResource,
  action: 'update' | 'destroy',
): (context: RequestContext) => Promise<PermissionObject> {
  return async context => {
    const rows = await rowValues(plans[action].filter, context)
    const row = await database.first(statements.load[action], { id: keyOf(context), ...rows })
    if (row === undefined) throw new NotFound()
    return (JSON.parse(row[0]) as { object: PermissionObject }).object
  }
}

/** The values of the columns that fields are kept in. */
export function columnValues({ resource }: BoundResource, values: Values): Record<string, SqlValue> {
  const columns: Record<string, SqlValue> = {}
  for (const [name, value] of Object.entries(values)) {
    const column = storageColumn(name, resource.fields[name]!)
    if (column !== undefined) columns[column] = storedValue(resource.fields[name]!, value)
  }
  return columns
}

/** Does a write of this resource take more than its one statement? */
export function needsTransaction({ resource }: BoundResource, values: Values): boolean {
  const { beforeSave, afterSave, fields } = resource
  return Boolean(beforeSave || afterSave) || Object.keys(values).some(name => fields[name]!.storage.kind === 'rows')
}

/**
 * Replaces the pairs of the relations that a body names, but for those whose objects do not exist for the caller: these
 * stay. Answers whether the body named any. `related`: the values of the related resources' row filters.
 */
export async function saveRows(
  bound: BoundResource,
  connection: Connection,
  { id, values, related }: { readonly id: number; readonly values: Values; readonly related: Arguments },
): Promise<boolean> {
  const named = bound.relationRows.filter(({ name }) => Object.hasOwn(values, name))
  for (const { name, remove, add } of named) {
    const keys = JSON.stringify(values[name] ?? [])
    await connection.run(remove, { ...related, id, keys })
    await connection.run(add, { id, keys })
  }
  return named.length > 0
}

/** The columns that a hook returned, if any; throws for one that would be written nowhere. */
export function checkHookColumns(
  { resource }: BoundResource,
  hook: 'prepare' | 'beforeSave',
  returned: Awaited<ReturnType<NonNullable<Resource['beforeSave']>>>,
): Columns {
  const { name, hookColumns } = resource
  for (const column in returned ?? {}) {
    if (!hookColumns.includes(column))
      throw new Error(
        `resource "${name}": ${hook} returned the column "${column}", which "hookColumns" does not name: add it to "hookColumns"`,
      )
  }
  return returned ?? {}
}

/** What the hooks of a save are told. */
export function writeContext(
  { clock }: BoundResource,
  { user, auth }: HandlerContext,
  id: number | undefined,
): WriteContext {
  return { user, auth, action: id === undefined ? 'create' : 'update', id, now: formatDateTime(clock())! }
}
