// Handles requests whose queries select fields and relations of the response. The view permissions of each resource whose
// objects the response would contain must allow the caller to read, as for its own URLs; if not, the refusal is the
// response.

import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts'
import type { HandlerContext } from '../../http/context.ts'
import { findRefusal, type PermissionRefusal } from '../../policy/permissions/permission.ts'
import type { Handler } from '../../view/view.ts'
import { toBaseUrl } from '../names/mounted-api.ts'
import { parseSearch } from '../query/parse-search.ts'
import type { Selection } from '../query/selection/read-selection.ts'
import type { SelectableAction } from '../query/selection/resource-selection.ts'
import type { Expansion } from '../query/selection/selectable-fields.ts'
import { showFields } from '../sql/action-plan.ts'
import { createRelatedRows } from '../sql/related-rows.ts'
import { representation } from '../sql/select.ts'
import type { BoundResource } from './bound-resource.ts'
import { restrict } from './restrict.ts'
import { createHandlers, seenBy } from './seen-resource.ts'

/** A handler that `create` makes for the resource as the caller sees it, with the fields that the query selects. */
export function handleAsSelected(
  bound: BoundResource,
  action: SelectableAction,
  create: (bound: BoundResource) => Handler,
): Handler {
  const { selection } = bound
  const findHandler = createHandlers(create)
  findHandler(bound)
  const handle = (form: BoundResource, context: HandlerContext) => findHandler(seenBy(form, context))(context)
  if (selection === undefined) return context => handle(bound, context)
  return context => {
    const search = parseSearch(context.request.url)
    const selected = search === '' ? undefined : selection.read(action, new URLSearchParams(search), context)
    if (selected === undefined) return handle(bound, context)
    const form = restrict(bound, action + selected.key, () => selectFields(bound, action, selected))
    const checking = checkExpansions(selected.expansions, bound, context)
    return isPromise(checking) ? checking.then(() => handle(form, context)) : handle(form, context)
  }
}

function selectFields(
  { database, resource, plans, clock, api, registerReferences }: BoundResource,
  action: SelectableAction,
  selection: Selection,
): Partial<BoundResource> {
  const shows = selection.createFields()
  const related = createRelatedRows(api)
  registerReferences(related)
  representation(database, resource, shows, related)
  return {
    plans: { ...plans, [action]: { ...plans[action], ...showFields(resource, shows, clock) } },
    related,
    isSelection: true,
  }
}

/** Throws the refusal of the first resource that the caller may not read. */
function checkExpansions(
  expansions: readonly Expansion[],
  bound: BoundResource,
  context: HandlerContext,
): MaybePromise<void> {
  for (const [index, { view, api }] of expansions.entries()) {
    const baseUrl = toBaseUrl(api, bound.api, context.baseUrl)
    const deciding = findRefusal({ ...context, method: 'GET', view, baseUrl }, view.permissions)
    if (isPromise(deciding))
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
