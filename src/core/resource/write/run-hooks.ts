// Creates the objects that hooks get, and runs them.

import type { Connection } from '../../database/database.ts'
import type { Values } from '../../fields/declared-fields.ts'
import { formatDateTime } from '../../fields/kinds/date-time.ts'
import { renameErrors } from '../../fields/wire-names.ts'
import type { HandlerContext } from '../../http/context.ts'
import type { KeyValue } from '../../keys/key.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import {
  type AfterSaveContext,
  type Columns,
  type DestroyContext,
  type HookContext,
  hasHooks,
  type SaveContext,
} from '../declare/hooks.ts'
import type { Resource } from '../declare/resource.ts'
import { isMissing } from '../names/missing-request.ts'
import type { ReadValues } from '../validate/validation.ts'
import { checkHookColumns } from './hook-columns.ts'

/** A create or an update whose values are valid. */
export interface ValidWrite extends ReadValues {
  /** The primary key of the changed object; undefined for a new one. */
  readonly id: KeyValue | undefined
  /** The stored values of the changed object; empty for a new one. */
  readonly existing: Values
}

/** Creates the object that `validate` and `prepare` get; undefined if the resource has no hooks of a save. */
export function createSaveContext(
  bound: BoundResource,
  request: HandlerContext,
  { id, existing, values, given }: ValidWrite,
): SaveContext | undefined {
  if (!hasHooks(bound.resource, id === undefined ? 'create' : 'update')) return undefined
  const shared = createHookContext(bound, request)
  if (id === undefined) return { ...shared, action: 'create', key: undefined, before: undefined, values, given }
  return { ...shared, action: 'update', key: id, before: existing, values: { ...existing, ...values }, given }
}

/** Runs `validate` and `prepare`; resolves to the columns that `prepare` returned. */
export async function prepareColumns(bound: BoundResource, context: SaveContext | undefined): Promise<Columns> {
  const { resource } = bound
  if (context === undefined) return {}
  return renameErrors(resource.fields, async () => {
    await resource.validate?.(context)
    return checkHookColumns(bound, 'prepare', await resource.prepare?.(context))
  })
}

/** Runs `beforeSave` in a transaction; resolves to the columns that it returned. */
export async function runBeforeSave(
  bound: BoundResource,
  context: SaveContext | undefined,
  connection: Connection,
): Promise<Columns> {
  const { resource } = bound
  if (context === undefined) return {}
  return renameErrors(resource.fields, async () =>
    checkHookColumns(bound, 'beforeSave', await resource.beforeSave?.({ ...context, connection })),
  )
}

/** Runs `afterSave` in a transaction. */
export async function runAfterSave(
  { fields, afterSave }: Resource,
  { values: after, ...shared }: SaveContext,
  saved: Pick<AfterSaveContext, 'key' | 'connection'>,
): Promise<void> {
  await renameErrors(fields, async () => afterSave?.({ ...shared, after, ...saved }))
}

/** Creates the object that the hooks of a delete get. */
export function createDestroyContext(
  bound: BoundResource,
  request: HandlerContext,
  { key, before }: Pick<DestroyContext, 'key' | 'before'>,
  connection: Connection,
): DestroyContext {
  return { ...createHookContext(bound, request), action: 'destroy', key, before, connection }
}

function createHookContext(
  { clock, database, ignoresPermissions }: BoundResource,
  { user, auth, request: foundRequest, view, baseUrl }: HandlerContext,
): HookContext {
  const request = isMissing(foundRequest) ? undefined : foundRequest
  return {
    user,
    auth,
    request,
    parameters: request?.params as HookContext['parameters'],
    view,
    baseUrl,
    now: formatDateTime(clock())!,
    connection: database,
    ...(ignoresPermissions && { ignoresPermissions }),
  }
}
