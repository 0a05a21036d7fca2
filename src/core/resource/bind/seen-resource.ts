// A resource as its callers see it: fields with `visible` exist only for some of them. Callers who see the same fields
// share statements and cached pages.

import { type BoundedMap, createBoundedMap } from '../../base/bounded-map.ts'
import type { FieldDefinition, Fields, ResourceReferences } from '../../fields/field.ts'
import { type FieldCondition, isMet } from '../../fields/field-visibility.ts'
import { createRequestValues, listRequestUsers } from '../../fields/request-values.ts'
import type { HandlerContext } from '../../http/context.ts'
import type { Caller } from '../../http/identity.ts'
import type { Handler } from '../../view/view.ts'
import type { ActionPlan, ActionPlans } from '../sql/action-plan.ts'
import type { RelatedRows } from '../sql/related-rows.ts'
import { createSerializer } from '../sql/serializer.ts'
import { compileStatements } from '../sql/statements.ts'
import { createValidator } from '../validate/validation.ts'
import type { BoundResource } from './bound-resource.ts'

/** The most sets of visible fields whose statements are kept. */
const maxKept = 64

const keptForms = new WeakMap<BoundResource, BoundedMap<string, BoundResource>>()

/** The resource as the caller sees it: without the fields whose `visible` is false for the caller. */
export function seenBy(bound: BoundResource, caller: Caller): BoundResource {
  const { fieldConditions } = bound.related
  if (fieldConditions.size === 0) return bound
  const met = [...fieldConditions].map(condition => isMet(condition, caller))
  if (!met.includes(false)) return bound
  const hiddenKey = met.map(isVisible => (isVisible ? '+' : '-')).join('')
  const forms = keptForms.get(bound) ?? createBoundedMap<string, BoundResource>({ maxSize: maxKept })
  keptForms.set(bound, forms)
  const found = forms.get(hiddenKey)
  if (found !== undefined) return found
  const seen = narrow(bound, new Set([...fieldConditions].filter((_, index) => !met[index])), hiddenKey)
  forms.set(hiddenKey, seen)
  return seen
}

/** A handler that `create` makes for the resource as the caller sees it. */
export function handleAsSeen(bound: BoundResource, create: (seen: BoundResource) => Handler): Handler {
  const handle = create(bound)
  const others = new WeakMap<BoundResource, Handler>()
  return (context: HandlerContext) => {
    const seen = seenBy(bound, context)
    if (seen === bound) return handle(context)
    const other = others.get(seen) ?? create(seen)
    others.set(seen, other)
    return other(context)
  }
}

type IsShown = ResourceReferences['isShown']

function narrow(bound: BoundResource, unmet: ReadonlySet<FieldCondition>, hiddenKey: string): BoundResource {
  const { database, resource } = bound
  const isShown = ({ visible }: FieldDefinition) => visible === undefined || !unmet.has(visible)
  const plans = Object.fromEntries(
    Object.entries(bound.plans).map(([action, plan]) => [action, narrowPlan(bound, plan, isShown)]),
  ) as unknown as ActionPlans
  const related: RelatedRows = { ...bound.related, ...narrowReferences(bound.related, isShown) }
  return Object.freeze({
    ...bound,
    hiddenKey,
    plans,
    related,
    filters: bound.filters.narrow(isShown),
    search: bound.search.narrow(isShown),
    ordering: bound.ordering.narrow(isShown),
    statements: compileStatements(database, resource, plans, related),
    validate: {
      create: createValidator(resource, plans.create.takes, { ...bound, related }),
      update: createValidator(resource, plans.update.takes, { ...bound, related }),
    },
  })
}

function narrowPlan({ resource, clock }: BoundResource, plan: ActionPlan, isShown: IsShown): ActionPlan {
  const keepShown = (fields: Fields) => Object.fromEntries(Object.entries(fields).filter(([, field]) => isShown(field)))
  const shows = keepShown(plan.shows)
  return {
    ...plan,
    takes: keepShown(plan.takes),
    shows,
    serializer: createSerializer(resource.name, shows),
    readRequestValues: createRequestValues(listRequestUsers(resource.name, shows), clock),
  }
}

const narrowReferences = (references: ResourceReferences, isShown: IsShown): ResourceReferences => ({
  ...references,
  isShown,
  within: target => narrowReferences(references.within(target), isShown),
})
