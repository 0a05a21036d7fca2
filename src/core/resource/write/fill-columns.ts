// Writes the columns of a declared table that fill themselves. They need no hook, so no object is loaded for them.

import type { SqlValue } from '../../database/database.ts'
import { formatDateTime } from '../../fields/kinds/date-time.ts'
import type { HandlerContext } from '../../http/context.ts'
import { type FilledColumn, requireAccountKey } from '../../tables/filled-columns.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import type { Columns } from '../declare/hooks.ts'

/** The columns of a create, or of an update; undefined if there are none. Throws if the caller has no account to own the object. */
export function fillColumns(bound: BoundResource, request: HandlerContext, isNew: boolean): Columns | undefined {
  const { filledColumns } = bound.resource
  const filled = isNew ? filledColumns : filledColumns.filter(({ fill }) => fill === 'updated')
  if (filled.length === 0) return undefined
  return Object.fromEntries(filled.map(each => [each.column, findValue(bound, request, each)]))
}

function findValue(
  bound: BoundResource,
  { user }: HandlerContext,
  { column, fill, nullable, value }: FilledColumn,
): SqlValue {
  if (fill === 'default') return value!
  if (fill !== 'owner') return formatDateTime(bound.clock())!
  const isKey = (id: unknown) => (bound.hookChecks.get(column) ?? []).every(check => check(id) === undefined)
  if (nullable && !(user.isAuthenticated && isKey(user.id ?? undefined))) return null
  return requireAccountKey(user, isKey)
}
