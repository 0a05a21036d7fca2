// Creates the objects that hooks get, runs the hooks, and checks the columns that they return. A wrong name or type is a mistake of the
// service: the write fails, the response is 500, and the log has the cause, on each database (decision 088).

import type { Column, Table } from '../../database/catalogue.ts'
import { type ColumnCheck, columnChecks, createChoiceCheck } from '../../database/column-checks.ts'
import type { Connection } from '../../database/database.ts'
import { ValidationError } from '../../errors/exceptions.ts'
import type { Values } from '../../fields/declared-fields.ts'
import type { Field } from '../../fields/field.ts'
import { formatDateTime } from '../../fields/kinds/date-time.ts'
import { nameType } from '../../fields/normalizer.ts'
import { findStoredField } from '../../fields/storage.ts'
import { renameErrors } from '../../fields/wire-names.ts'
import type { HandlerContext } from '../../http/context.ts'
import type { KeyValue } from '../../keys/key.ts'
import { listColumnNames } from '../../tables/column-names.ts'
import { type Table as DeclaredTable, isTableColumn } from '../../tables/table.ts'
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
import { checkPathValue, findTakenBy, hasNamedUrls } from '../names/taken-segments.ts'
import { findStoredKind } from '../sql/check-column.ts'
import type { ReadValues } from '../validate/validation.ts'

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
  { user, auth, version, request: foundRequest, view, baseUrl, rawBody, setHeaders }: HandlerContext,
): HookContext {
  const request = isMissing(foundRequest) ? undefined : foundRequest
  return {
    user,
    auth,
    version,
    request,
    parameters: request?.params as HookContext['parameters'],
    view,
    baseUrl,
    rawBody,
    setHeaders,
    now: formatDateTime(clock())!,
    connection: database,
    ...(ignoresPermissions && { ignoresPermissions }),
  }
}

/** Finds the checks of the columns that hooks write: that of the field which shows a column, and that of its type in the table. */
export function fillHookChecks({ resource, database, hookChecks }: BoundResource, table: Table): void {
  for (const name of resource.hookColumns) {
    const field = findStoredField(resource.fields, name)?.[1] ?? findDeclaredField(resource.declaredTable, name)
    const column = table.column(name)
    if (column === undefined) continue
    const fill = resource.filledColumns.create.find(filled => filled.column === name)?.fill
    const checks = [
      field && findFieldCheck(field, column),
      database.dialect.findColumnCheck(column),
      column.kind === 'integer' && fill === 'owner' ? checkAccountKey : undefined,
      column.kind === 'integer' && fill === 'tenant' ? checkTenantKey : undefined,
    ]
    hookChecks.set(
      name,
      checks.filter(check => check !== undefined),
    )
  }
}

// A database takes the text '1' for an integer, and it may be the id of another scheme's caller.
const checkAccountKey: ColumnCheck = value => (Number.isSafeInteger(value) ? undefined : 'the key of an account')
const checkTenantKey: ColumnCheck = value => (Number.isSafeInteger(value) ? undefined : 'the key of a tenant')

// The field of a column of the declared table that no field of the resource shows.
function findDeclaredField(table: DeclaredTable | undefined, column: string): Field | undefined {
  const declared = table?.columns[listColumnNames(table).get(column) ?? '']
  if (declared === undefined || isTableColumn(declared)) return declared?.field
  return findStoredField({ [column]: declared }, column)?.[1]
}

function findFieldCheck(field: Field, column: Column): ColumnCheck | undefined {
  if (field.choices !== undefined && field.store === undefined) return createChoiceCheck([...field.choices.keys()])
  const kind = findStoredKind(field, column)
  return kind && columnChecks[kind]
}

// The columns that a hook returned. Throws for a column that is not in `hookColumns`, and for a value that it does not take; throws
// ValidationError for a value with which the object would have no URL.
function checkHookColumns(bound: BoundResource, hook: 'prepare' | 'beforeSave', returned: unknown): Columns {
  const columns = (returned ?? {}) as Columns
  const { resource, hookChecks } = bound
  const { name, hookColumns } = resource
  for (const [column, value] of Object.entries(columns)) {
    if (!hookColumns.includes(column))
      throw new Error(
        `resource "${name}": ${hook} returned the column "${column}", which "hookColumns" does not name: add it to "hookColumns"`,
      )
    if (value === undefined)
      throw new Error(
        `resource "${name}": ${hook} returned undefined for the column "${column}": return a value or null, or leave the column out`,
      )
    if (value === null) continue
    for (const check of hookChecks.get(column) ?? []) {
      const expected = check(value)
      if (expected !== undefined)
        throw new Error(
          `resource "${name}": ${hook} returned ${nameType(value)} for the column "${column}": return ${expected}`,
        )
    }
    if (isInPath(bound, column)) checkPathColumn(bound, column, value)
  }
  return columns
}

function isInPath({ resource, identifier }: BoundResource, column: string): boolean {
  const { parts = [identifier] } = identifier
  return hasNamedUrls(resource) && parts.some(part => part.column === column)
}

function checkPathColumn({ resource, takenSegments }: BoundResource, column: string, value: string | number | boolean) {
  const [field] = findStoredField(resource.fields, column) ?? []
  try {
    checkPathValue(String(value), field === undefined ? takenSegments : findTakenBy(resource, field, takenSegments))
  } catch (error) {
    throw field === undefined ? error : new ValidationError({ [field]: (error as ValidationError).errors })
  }
}
