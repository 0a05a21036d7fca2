// The forms of a resource whose responses show what queries choose. They are kept, so queries that choose the same share
// their statements.

import { type BoundedMap, createBoundedMap } from '../../bounded-map.ts'
import { createRequestValues, listRequestUsers } from '../../fields/request-values.ts'
import type { ActionPlan, ActionPlans } from '../action-plan.ts'
import type { BoundResource } from '../bound-resource.ts'
import { createRelatedRows } from '../related-rows.ts'
import { createSerializer } from '../serializer.ts'
import { representation } from '../sql/select.ts'
import { compileStatements } from '../sql/statements.ts'
import type { Selection } from './read-selection.ts'
import type { SelectableAction } from './resource-selection.ts'

/** The most forms of a resource that are kept. */
const maxForms = 64

const keptForms = new WeakMap<BoundResource, BoundedMap<string, BoundResource>>()

/** The resource whose responses show what a query chose. */
export function findSelectedForm(bound: BoundResource, action: SelectableAction, selection: Selection): BoundResource {
  const forms = keptForms.get(bound) ?? createBoundedMap<string, BoundResource>({ maxSize: maxForms })
  keptForms.set(bound, forms)
  const key = action + selection.key
  const kept = forms.get(key)
  if (kept !== undefined) return kept
  const form = createForm(bound, action, selection)
  forms.set(key, form)
  return form
}

function createForm(bound: BoundResource, action: SelectableAction, selection: Selection): BoundResource {
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
