// The permissions, fields, row filter and serializer of each action of a resource.

import type { Fields } from '../../fields/field.ts'
import { createRequestValues, listRequestUsers, type ReadRequestValues } from '../../fields/request-values.ts'
import { type Envelope, findExpandedMember } from '../../http/envelope/envelope.ts'
import { checkComplete, createRowFilter, type Permission } from '../../policy/permissions/permission.ts'
import type { RowFilter } from '../../policy/permissions/row-filter.ts'
import { type Action, allActions } from '../declare/action-options.ts'
import type { Resource } from '../declare/resource.ts'
import { createSerializer, type Serializer } from './serializer.ts'

export interface ActionPlan {
  readonly permissions: readonly Permission[]
  /** The permissions that also decide about an object as it was written. */
  readonly writtenPermissions: readonly Permission[]
  /** The fields of the request body, with read-only ones, which it cannot set. */
  readonly takes: Fields
  /** The fields of the response. */
  readonly shows: Fields
  readonly filter: RowFilter | undefined
  readonly serializer: Serializer
  /** Reads the values that the SQL of the fields uses. */
  readonly readRequestValues: ReadRequestValues
}

export type ActionPlans = Readonly<Record<Action, ActionPlan>>

interface ShownActions {
  readonly plans: ActionPlans
  readonly envelope?: Envelope | undefined
}

/** Whether the response of a write shows what a GET shows, so that both have the same `ETag`. */
export function showsAsRetrieved({ plans, envelope }: ShownActions, action: 'create' | 'update'): boolean {
  const member = findExpandedMember(envelope)
  const hasMember = member?.objects === true && member.always
  return !hasMember && Object.keys(plans[action].shows).join() === Object.keys(plans.retrieve.shows).join()
}

interface PlanOptions {
  /** The permissions of every action whose `perAction` options set none. */
  readonly permissions: readonly Permission[]
  readonly clock: () => Date
}

export function createActionPlans(resource: Resource, options: PlanOptions): ActionPlans {
  return Object.fromEntries(
    allActions.map(action => [action, createActionPlan(resource, options, action)]),
  ) as ActionPlans
}

function createActionPlan(
  resource: Resource,
  { permissions: defaultPermissions, clock }: PlanOptions,
  action: Action,
): ActionPlan {
  const { permissions = defaultPermissions, takes, shows } = resource.perAction[action] ?? {}
  checkComplete(permissions)
  return Object.freeze({
    permissions,
    writtenPermissions: permissions.filter(({ checksWritten }) => checksWritten),
    takes: pickFields(resource, takes),
    filter: createRowFilter(permissions, resource.ownRows),
    ...showFields(resource, pickFields(resource, shows), clock),
  })
}

/** The members of a plan that follow from the fields of the response. */
export const showFields = (
  { name }: Pick<Resource, 'name'>,
  shows: Fields,
  clock: () => Date,
): Pick<ActionPlan, 'shows' | 'serializer' | 'readRequestValues'> => ({
  shows,
  serializer: createSerializer(name, shows),
  readRequestValues: createRequestValues(listRequestUsers(name, shows), clock),
})

const pickFields = ({ fields }: Resource, names: readonly string[] | undefined): Fields =>
  names === undefined ? fields : Object.fromEntries(names.map(name => [name, fields[name]!]))
