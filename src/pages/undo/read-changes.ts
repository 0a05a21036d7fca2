// The changes that the audit log has, as the caller may read them: those of an object in its view `history`, and the caller's own ones in
// the view `activity` of its API, such as in the administration.

import { addSlash, formatBody, isObject, parseIntegers, type RequestContext, type View } from '#core'
import type { Change } from '../object/history-changes.ts'
import { readView } from '../page/read-view.ts'
import { createContextAt } from '../page/view-above.ts'

/** A change in the log, with its object if the view tells it. */
export interface LoggedChange extends Change {
  readonly id: number
  readonly resource?: string
  readonly object_key?: string
  readonly object_name?: string | null
}

/** The changes of the object of a view, the newest first; none if the caller may not read them. */
export function readHistory(
  context: RequestContext,
  view: View,
  query: Readonly<Record<string, string>>,
): Promise<readonly LoggedChange[]> {
  const below = view.children.includes('history') ? view.findView(`${view.path}history/`) : undefined
  return below === undefined ? Promise.resolve([]) : readChanges(createContextAt(context, below), below, query)
}

/** The caller's own changes of objects of a list, the newest first; none if no log tells. */
export function readActivity(
  context: RequestContext,
  list: View,
  query: Readonly<Record<string, string>>,
): Promise<readonly LoggedChange[]> {
  return list.resource === undefined
    ? Promise.resolve([])
    : readOwnChanges(context, list, { resource: list.resource.name, ...query })
}

/** The caller's own changes of all objects of an API, the newest first; none if no log tells. `sibling`: any view of the API. */
export function readOwnChanges(
  context: RequestContext,
  sibling: View,
  query: Readonly<Record<string, string>>,
): Promise<readonly LoggedChange[]> {
  const view = sibling.findView(addSlash('/activity'))
  const { user } = context
  if (view === undefined || !user.isAuthenticated) return Promise.resolve([])
  const own = { user: user.username, ...query }
  const request = Object.create(context.request, { params: { value: {} } })
  return readChanges({ ...context, view, request }, view, own)
}

async function readChanges(
  context: RequestContext,
  view: View,
  query: Readonly<Record<string, string>>,
): Promise<readonly LoggedChange[]> {
  const [path] = context.request.url.split('?', 1)
  const properties = { url: { value: `${path}?${new URLSearchParams(query)}` }, query: { value: query } }
  const response = await readView({ ...context, request: Object.create(context.request, properties) }, view)
  const { results } = Object(response?.body && parseIntegers(formatBody(response.body))) as {
    readonly results?: unknown
  }
  // An application may have a view with this name and other values.
  return Array.isArray(results) && results.every(isChange) ? results : []
}

const isChange = (value: unknown): value is LoggedChange =>
  isObject(value) && typeof value.id === 'number' && typeof value.created === 'string' && isObject(value.changes)
