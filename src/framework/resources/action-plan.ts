// What one action of a resource goes by: its policies, its fields, and the rows that exist for it.

import type { Fields } from '../fields/field.ts'
import { type Permission, rowsFor } from '../permissions/permission.ts'
import type { RowFilter } from '../permissions/row-filter.ts'
import { type Action, everyAction, type Resource } from './resource.ts'
import { createSerializer, type Serializer } from './serializer.ts'

export interface ActionPlan {
  readonly permissions: readonly Permission[]
  readonly fields: Fields
  readonly filter: RowFilter | undefined
  readonly serialize: Serializer
}

/** The plan of each action. */
export type ActionPlans = Readonly<Record<Action, ActionPlan>>

/** The plans of a resource whose own permissions are these. */
export function createActionPlans(resource: Resource, permissions: readonly Permission[]): ActionPlans {
  return Object.fromEntries(
    everyAction.map(action => [action, createActionPlan(resource, permissions, action)]),
  ) as ActionPlans
}

function createActionPlan(resource: Resource, inherited: readonly Permission[], action: Action): ActionPlan {
  const { permissions = inherited, fields: names = Object.keys(resource.fields) } = resource.perAction[action] ?? {}
  const fields = Object.fromEntries(names.map(name => [name, resource.fields[name]!]))
  return Object.freeze({ permissions, fields, filter: rowsFor(permissions), serialize: createSerializer(fields) })
}
