// Completes the permissions of a resource, its actions, lists and views, whose conditions and owner need the declared table.

import { isObject } from '../../base/is-object.ts'
import type { Statement } from '../../database/database.ts'
import type { Dialect } from '../../database/dialect.ts'
import type { KeyValue } from '../../keys/key.ts'
import type { ConditionCheck, Permission, PermissionTable } from '../../policy/permissions/permission.ts'
import { readFilterValues } from '../../policy/permissions/row-filter.ts'
import { findFilledName, toColumn } from '../../tables/column-names.ts'
import type { Condition, StoredConditions } from '../../tables/condition.ts'
import { keyColumn } from '../../tables/find-relation.ts'
import type { Table } from '../../tables/table.ts'
import type { ObjectViews } from '../declare/views.ts'
import { compileMeets } from '../sql/check.ts'
import { createFilter, requireTable } from './row-conditions.ts'

interface Permitted {
  readonly permissions?: readonly Permission<never>[]
}

/** Completes the permissions of an action or a list, whose row filters may be conditions. */
export const completePolicies = <Policies extends Permitted>(
  policies: Policies,
  table: Table | undefined,
): Policies => ({
  ...policies,
  ...findCompletedPermissions(policies, table, 'permissions'),
})

/** The completed permissions of a list of them; empty if none needs the table. */
export function findCompletedPermissions(
  { permissions }: { readonly permissions?: unknown },
  table: Table | undefined,
  place: string,
): { readonly permissions?: readonly Permission[] } {
  // Node runs TypeScript without checking types, and the checks of permissions come later.
  if (!Array.isArray(permissions) || !permissions.some(each => each?.forTable)) return {}
  const tableOfPermission: PermissionTable = {
    createFilter: condition => createFilter(condition, table, place),
    createCheck: condition => createCheck(condition, table, place),
    findOwner: () => findOwner(table, place),
  }
  return { permissions: permissions.map((each: Permission) => each?.forTable?.(tableOfPermission) ?? each) }
}

function findOwner(table: Table | undefined, place: string): string {
  try {
    const declared = requireTable(table)
    const name = findFilledName(declared, 'owner')
    if (name !== undefined) return toColumn(declared, name)
    throw new Error(
      `the table "${declared.name}" has no column owner(): name the column, as in ownerOrReadOnly("author_id")`,
    )
  } catch (error) {
    throw new Error(`${place}: ${(error as Error).message}`)
  }
}

/** Completes the permissions of the views of an object, and of their methods. Later checks refuse what is no view. */
export const completeViews = (views: ObjectViews, table: Table | undefined, resource: string): ObjectViews =>
  isObject(views)
    ? mapNamed(views, `resource "${resource}": the view`, view => (isObject(view) ? completeView(view, table) : view))
    : views

const completeView = (view: ObjectViews[string], table: Table | undefined): ObjectViews[string] => ({
  ...completePolicies(view, table),
  ...(isObject(view.handlers) && {
    handlers: mapNamed(view.handlers, 'the method', handler =>
      isObject(handler) ? (completePolicies(handler as Permitted, table) as typeof handler) : handler,
    ),
  }),
})

function createCheck(condition: Condition | StoredConditions, table: Table | undefined, place: string): ConditionCheck {
  const filter = createFilter(condition, table, place)
  const column = keyColumn(table!)
  const statements = new WeakMap<Dialect, Statement>()
  return {
    columns: [column],
    async meets(context, object) {
      const database = context.view.connection()
      const statement = statements.get(database.dialect) ?? compileMeets(database, table!, filter)
      statements.set(database.dialect, statement)
      const values = { id: object[column] as KeyValue, ...(await readFilterValues(filter, context)) }
      return (await database.first(statement, values)) !== undefined
    },
  }
}

/** Changes each value. An error begins with the place and the name. */
export function mapNamed<Value>(
  values: Readonly<Record<string, Value>>,
  place: string,
  change: (value: Value, name: string) => Value,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      try {
        return [name, change(value, name)]
      } catch (error) {
        throw new Error(`${place} "${name}": ${(error as Error).message}`)
      }
    }),
  )
}
