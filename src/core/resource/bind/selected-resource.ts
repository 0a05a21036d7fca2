// Resources whose responses show the fields and relations that queries select. They are kept, so queries that select the
// same share their statements.

import { type BoundedMap, createBoundedMap } from '../../base/bounded-map.ts'
import { createRequestValues, listRequestUsers } from '../../fields/request-values.ts'
import type { Selection } from '../query/selection/read-selection.ts'
import type { SelectableAction } from '../query/selection/resource-selection.ts'
import type { ActionPlan, ActionPlans } from '../sql/action-plan.ts'
import { createRelatedRows } from '../sql/related-rows.ts'
import { representation } from '../sql/select.ts'
import { createSerializer } from '../sql/serializer.ts'
import { compileStatements } from '../sql/statements.ts'
import type { BoundResource } from './bound-resource.ts'

/** The most selections of a resource that are kept. */
const maxKept = 64

const keptResources = new WeakMap<BoundResource, BoundedMap<string, BoundResource>>()

/** The resource whose responses show what a query selects. */
export function findSelectedResource(
  bound: BoundResource,
  action: SelectableAction,
  selection: Selection,
): BoundResource {
  const kept = keptResources.get(bound) ?? createBoundedMap<string, BoundResource>({ maxSize: maxKept })
  keptResources.set(bound, kept)
  const key = action + selection.key
  const found = kept.get(key)
  if (found !== undefined) return found
  const selected = createSelectedResource(bound, action, selection)
  kept.set(key, selected)
  return selected
}

function createSelectedResource(bound: BoundResource, action: SelectableAction, selection: Selection): BoundResource {
  const { database, resource, clock, api, registerReferences } = bound
  const shows = selection.createFields()
  const plan: ActionPlan = {
    ...bound.plans[action],
    shows,
    serializer: createSerializer(resource.name, shows),
    readRequestValues: createRequestValues(listRequestUsers(resource.name, shows), clock),
  }
  const plans: ActionPlans = { ...bound.plans, [action]: plan }
  const related = createRelatedRows(api)
  registerReferences(related)
  representation(database, resource, shows, related)
  const statements = compileStatements(database, resource, plans, related)
  return Object.freeze({ ...bound, plans, related, statements, isSelection: true as const })
}
