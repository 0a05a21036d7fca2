// What one action of a resource goes by: its policies, its fields, and the rows that exist for it.

import type { Fields } from '../fields/field.ts'
import { type Permission, rowsFor } from '../permissions/permission.ts'
import type { RowFilter } from '../permissions/row-filter.ts'
import { createPresenter, type Presenter } from './presenter.ts'
import { type Action, everyAction, type Resource } from './resource.ts'

export interface Plan {
  readonly permissions: readonly Permission[]
  readonly fields: Fields
  readonly filter: RowFilter | undefined
  readonly present: Presenter
}

/** The plan of each action. */
export type Plans = Readonly<Record<Action, Plan>>

/** The plans of a resource whose own permissions are these. */
export function createPlans(resource: Resource, permissions: readonly Permission[]): Plans {
  return Object.fromEntries(everyAction.map(action => [action, createPlan(resource, permissions, action)])) as Plans
}

function createPlan(resource: Resource, inherited: readonly Permission[], action: Action): Plan {
  const { permissions = inherited, fields: names = Object.keys(resource.fields) } = resource.perAction[action] ?? {}
  const fields = Object.fromEntries(names.map(name => [name, resource.fields[name]!]))
  return Object.freeze({ permissions, fields, filter: rowsFor(permissions), present: createPresenter(fields) })
}
