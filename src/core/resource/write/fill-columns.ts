// Writes the columns of a declared table that fill themselves. They need no hook, so no object is loaded for them.

import type { SqlValue } from '../../database/database.ts'
import { NotAuthenticated, PermissionDenied } from '../../errors/exceptions.ts'
import { formatDateTime } from '../../fields/kinds/date-time.ts'
import type { HandlerContext } from '../../http/context.ts'
import type { Identity } from '../../http/identity.ts'
import { frameworkMessages } from '../../messages/english.ts'
import type { FilledColumn } from '../../tables/filled-columns.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import type { Columns } from '../declare/hooks.ts'
import { readTenant } from '../validate/caller-columns.ts'

/** The columns of a write; undefined if there are none. Throws if the caller has no account to own a new object. */
export function fillColumns(
  bound: BoundResource,
  { user }: HandlerContext,
  action: 'create' | 'update',
): Columns | undefined {
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

/** The key of the caller's account; null for a caller without one, if the column may be null. */
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

/** The key of the caller's tenant. Throws if the caller has none. */
function requireTenant(
  { resource, hookChecks }: BoundResource,
  user: Identity,
  tenant: Extract<FilledColumn, { readonly fill: 'tenant' }>,
): SqlValue {
  const found = readTenant(resource, user, tenant)
  if (found !== null && isKey(hookChecks, tenant.column, found)) return found
  throw user.isAuthenticated
    ? new PermissionDenied(frameworkMessages('permission_denied.no_tenant'))
    : new NotAuthenticated()
}

const isKey = (checks: BoundResource['hookChecks'], column: string, key: SqlValue): boolean =>
  (checks.get(column) ?? []).every(check => check(key) === undefined)
