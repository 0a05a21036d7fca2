// Reads one of several bodies of a request. The caller reads them at the same time, so that their checks run together (`Gather`).

import { isPromise, type MaybePromise } from '../../../base/maybe-promise.ts'
import type { SqlValue } from '../../../database/database.ts'
import { NotAuthenticated, PermissionDenied } from '../../../errors/exceptions.ts'
import type { Values } from '../../../fields/declared-fields.ts'
import { formatDateTime } from '../../../fields/kinds/date-time.ts'
import { listChildren } from '../../../fields/storage.ts'
import type { HandlerContext } from '../../../http/context.ts'
import type { Identity } from '../../../http/identity.ts'
import type { RequestBody } from '../../../http/parsers/request-body.ts'
import type { KeyValue } from '../../../keys/key.ts'
import { frameworkMessages } from '../../../messages/english.ts'
import type { FilledColumn } from '../../../tables/filled-columns.ts'
import type { BoundResource } from '../../bind/bound-resource.ts'
import { type Columns, hasHooks, type SaveContext } from '../../declare/hooks.ts'
import { readTenant, seesAllTenants } from '../../validate/caller-columns.ts'
import type { ReadBody, ReadValues } from '../../validate/validation.ts'
import { createSaveContext, prepareColumns } from '../run-hooks.ts'

/** An object as it was loaded before a write. */
export interface LoadedObject {
  readonly key: KeyValue
  /** The database's JSON text of the checked columns. The write applies only if it is unchanged. */
  readonly snapshot: string
  /** The values of the stored fields; empty if no hook or check needs them. */
  readonly values: Values
}

/** A valid body of a new object, or of one that changes. */
export interface ReadRow extends ReadValues {
  /** Undefined for a new object. */
  readonly loaded?: LoadedObject
  /** The columns that fill themselves, and those that `prepare` returned; undefined if there are none. */
  readonly prepared?: Columns
  /** The argument of the hooks; undefined if there are none. */
  readonly context?: SaveContext | undefined
}

/** A body, and the object that it changes; undefined for a new one. */
interface BodyToRead {
  readonly body: RequestBody
  readonly loaded?: LoadedObject | undefined
}

/** Reads one body, and runs `validate` and `prepare`; throws or rejects with ValidationError. */
export function readRow(
  bound: BoundResource,
  request: HandlerContext,
  readBody: ReadBody,
  { body, loaded }: BodyToRead,
): MaybePromise<ReadRow> {
  const action = loaded === undefined ? 'create' : 'update'
  const [id, existing] = loaded === undefined ? [undefined, noValues] : [loaded.key, loaded.values]
  const filled = fillColumns(bound, request, action)
  const reading = readBody({ body, id, existing })
  if (!isPromise(reading) && !hasHooks(bound.resource, action))
    return { ...reading, ...(loaded && { loaded }), ...(filled && { prepared: filled }) }
  return prepareRow(bound, request, loaded, reading, filled)
}

/** How many bodies begin to be read before the event loop may run: few if the children of each object are loaded. */
export const findGroupSize = ({ plans }: BoundResource, action: 'create' | 'update'): number =>
  action === 'update' && listChildren(plans.update.takes).length > 0 ? 4 : 32

const noValues: Values = Object.freeze({})

async function prepareRow(
  bound: BoundResource,
  request: HandlerContext,
  loaded: LoadedObject | undefined,
  reading: MaybePromise<ReadValues>,
  filled: Columns | undefined,
): Promise<ReadRow> {
  const read = await reading
  const context = createSaveContext(bound, request, { id: loaded?.key, existing: loaded?.values ?? noValues, ...read })
  const prepared = await prepareColumns(bound, context)
  return { ...read, ...(loaded && { loaded }), context, prepared: { ...filled, ...prepared } }
}

// The columns of a declared table that fill themselves, for which no object is loaded; undefined if there are none. Throws if the caller has
// no account to own a new object.
function fillColumns(bound: BoundResource, { user }: HandlerContext, action: 'create' | 'update'): Columns | undefined {
  const filled = bound.resource.filledColumns[action]
  if (filled.length === 0) return undefined
  // All times of one write are the same.
  const now = formatDateTime(bound.clock())!
  const findValue = (column: FilledColumn): SqlValue => {
    if (column.fill === 'default') return column.value
    if (column.fill === 'owner') return findOwner(bound, user, column)
    return column.fill === 'tenant' ? requireTenant(bound, user, column) : now
  }
  return Object.fromEntries(filled.map(column => [column.column, findValue(column)]))
}

// The key of the caller's account; null for a caller without one, if the column may be null.
function findOwner(
  { hookChecks }: BoundResource,
  { isAuthenticated, id }: Identity,
  { column, nullable }: Extract<FilledColumn, { readonly fill: 'owner' }>,
): SqlValue {
  if (isAuthenticated && id !== undefined && id !== null && isKey(hookChecks, column, id)) return id
  if (nullable) return null
  throw isAuthenticated
    ? new PermissionDenied(frameworkMessages('permission_denied.no_account'))
    : new NotAuthenticated()
}

// The key of the caller's tenant. Throws if the caller has none, unless the row may have none and the caller sees such rows.
function requireTenant(
  { resource, hookChecks }: BoundResource,
  user: Identity,
  tenant: Extract<FilledColumn, { readonly fill: 'tenant' }>,
): SqlValue {
  const found = readTenant(resource, user, tenant)
  if (found !== null && isKey(hookChecks, tenant.column, found)) return found
  if (found === null && tenant.nullable && seesAllTenants(resource, user, tenant)) return null
  throw user.isAuthenticated
    ? new PermissionDenied(frameworkMessages('permission_denied.no_tenant'))
    : new NotAuthenticated()
}

const isKey = (checks: BoundResource['hookChecks'], column: string, key: SqlValue): boolean =>
  (checks.get(column) ?? []).every(check => check(key) === undefined)
