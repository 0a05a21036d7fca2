// A resource as its callers see it: fields with `visible` exist only for some of them, and queries select fields and relations of the
// response. Requests that see the same fields share statements and cached pages.

import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts'
import type { FieldDefinition, Fields, ResourceReferences } from '../../fields/field.ts'
import { type FieldCondition, isMet } from '../../fields/field-visibility.ts'
import type { HandlerContext } from '../../http/context.ts'
import { findExpandedMember } from '../../http/envelope/envelope.ts'
import type { Caller } from '../../http/identity.ts'
import { findRefusal, type PermissionRefusal } from '../../policy/permissions/permission.ts'
import { toBaseUrl } from '../names/mounted-api.ts'
import type { Selection } from '../query/selection/read-selection.ts'
import type { SelectableAction } from '../query/selection/resource-selection.ts'
import type { Expansion } from '../query/selection/selectable-fields.ts'
import { showFields } from '../sql/action-plan.ts'
import { createRelatedRows } from '../sql/related-rows.ts'
import { representation } from '../sql/select.ts'
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

/** Handles a request: a handler, or a function that prepares something for later. */
type Handle<Result> = (context: HandlerContext) => MaybePromise<Result>

/**
 * A handler that `create` makes for the resource as the caller sees it, with the fields that the query selects. The view permissions
 * of each resource whose objects the response would contain must allow the caller to read, as for its own URLs; if not, the refusal
 * is the response.
 */
export function handleAsSelected<Result>(
  bound: BoundResource,
  action: SelectableAction,
  create: (bound: BoundResource) => Handle<Result>,
): Handle<Result> {
  const findHandler = createHandlers(create)
  findHandler(bound)
  const handle = (form: BoundResource, context: HandlerContext) => findHandler(seenBy(form, context))(context)
  if (bound.selection === undefined) return context => handle(bound, context)
  return context => {
    const selecting = selectForm(bound, action, context, true)
    return isPromise(selecting) ? selecting.then(form => handle(form, context)) : handle(selecting, context)
  }
}

/** The resource as the caller of a write sees it, with the fields of the response that its query selects. */
export function seenAsSelected(
  bound: BoundResource,
  action: SelectableAction,
  context: HandlerContext,
): MaybePromise<BoundResource> {
  const selecting = selectForm(bound, action, context, false)
  return isPromise(selecting) ? selecting.then(form => seenBy(form, context)) : seenBy(selecting, context)
}

/** The resource with the fields that the query of the request selects; itself without a selection. `isRead`: also those of sets. */
export function selectForm(
  bound: BoundResource,
  action: SelectableAction,
  context: HandlerContext,
  isRead: boolean,
): MaybePromise<BoundResource> {
  const search = parseSearch(context.request.url)
  if (search === '') return bound
  const selected = bound.selection?.read(action, new URLSearchParams(search), context, isRead)
  if (selected === undefined) return bound
  const form = restrict(bound, action + selected.key, () => selectFields(bound, action, selected))
  const checking = checkExpansions(selected.expansions, bound, context)
  return isPromise(checking) ? checking.then(() => form) : form
}

// Finds the handler of a form of a resource, which `create` makes once.
function createHandlers<Result>(
  create: (form: BoundResource) => Handle<Result>,
): (form: BoundResource) => Handle<Result> {
  const handlers = new WeakMap<BoundResource, Handle<Result>>()
  return form => {
    const handle = handlers.get(form) ?? create(form)
    handlers.set(form, handle)
    return handle
  }
}

function selectFields(
  { database, resource, plans, clock, api, registerReferences, envelope }: BoundResource,
  action: SelectableAction,
  selection: Selection,
): Partial<BoundResource> {
  const member = findExpandedMember(envelope)
  const isSeparate = member !== undefined && (action === 'list' || (action === 'retrieve' && member.objects))
  const separate = isSeparate ? selection.createSeparateFields() : undefined
  const shows = separate?.fields ?? selection.createFields()
  const related = createRelatedRows(api)
  registerReferences(related)
  representation(database, resource, shows, related)
  return {
    plans: { ...plans, [action]: { ...plans[action], ...showFields(resource, shows, clock) } },
    related,
    isSelection: true,
    ...(separate && { separateRelations: separate.relations }),
  }
}

// Throws the refusal of the first resource that the caller may not read.
function checkExpansions(
  expansions: readonly Expansion[],
  bound: BoundResource,
  context: HandlerContext,
): MaybePromise<void> {
  for (const [index, { view, api }] of expansions.entries()) {
    const baseUrl = toBaseUrl(api, bound.api, context.baseUrl)
    const deciding = findRefusal({ ...context, method: 'GET', view, baseUrl }, view.permissions)
    if (deciding instanceof Promise)
      return deciding.then(refusal => {
        throwRefusal(refusal)
        return checkExpansions(expansions.slice(index + 1), bound, context)
      })
    throwRefusal(deciding)
  }
}

function throwRefusal(refusal: PermissionRefusal | undefined): void {
  if (refusal !== undefined) throw refusal
}

/** The query of a request's URL, without its `?`; empty if it has none. */
export function parseSearch(url: string): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}
