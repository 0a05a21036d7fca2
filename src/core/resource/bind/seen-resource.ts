// A resource as its callers see it: fields with `visible` exist only for some of them. Callers who see the same fields
// share statements and cached pages.

import type { FieldDefinition, Fields, ResourceReferences } from '../../fields/field.ts'
import { type FieldCondition, isMet } from '../../fields/field-visibility.ts'
import type { Caller } from '../../http/identity.ts'
import type { Handler } from '../../view/view.ts'
import { showFields } from '../sql/action-plan.ts'
import type { BoundResource } from './bound-resource.ts'
import { changePlans, restrict } from './restrict.ts'

/** The resource as the caller sees it: without the fields whose `visible` is false for the caller. */
export function seenBy(bound: BoundResource, caller: Caller): BoundResource {
  const { fieldConditions } = bound.related
  if (fieldConditions.size === 0) return bound
  const met = [...fieldConditions].map(condition => isMet(condition, caller))
  if (!met.includes(false)) return bound
  const hiddenKey = met.map(isVisible => (isVisible ? '+' : '-')).join('')
  return restrict(bound, hiddenKey, () => ({
    hiddenKey,
    ...hideFields(bound, new Set([...fieldConditions].filter((_, index) => !met[index]))),
  }))
}

/** Finds the handler of a form of a resource, which `create` makes once. */
export function createHandlers(create: (form: BoundResource) => Handler): (form: BoundResource) => Handler {
  const handlers = new WeakMap<BoundResource, Handler>()
  return form => {
    const handle = handlers.get(form) ?? create(form)
    handlers.set(form, handle)
    return handle
  }
}

type IsShown = ResourceReferences['isShown']

function hideFields(bound: BoundResource, unmet: ReadonlySet<FieldCondition>): Partial<BoundResource> {
  const { resource, clock, related, filters, search, ordering } = bound
  const isShown = ({ visible }: FieldDefinition) => visible === undefined || !unmet.has(visible)
  const keepShown = (fields: Fields) => Object.fromEntries(Object.entries(fields).filter(([, field]) => isShown(field)))
  return {
    plans: changePlans(bound.plans, plan => ({
      ...plan,
      takes: keepShown(plan.takes),
      ...showFields(resource, keepShown(plan.shows), clock),
    })),
    related: { ...related, ...narrowReferences(related, isShown) },
    filters: filters.narrow(isShown),
    search: search.narrow(isShown),
    ordering: ordering.narrow(isShown),
  }
}

const narrowReferences = (references: ResourceReferences, isShown: IsShown): ResourceReferences => ({
  ...references,
  isShown,
  within: target => narrowReferences(references.within(target), isShown),
})
