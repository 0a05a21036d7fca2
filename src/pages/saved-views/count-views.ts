// The numbers of objects beside the saved views of the list that is open.

import { formatBody, JsonStream, parseIntegers, type RequestContext, type SiteApi, type Total, type View } from '#core'
import { readView } from '../page/read-view.ts'
import { createContextIn } from '../page/view-above.ts'
import { findPaginationLinks } from '../values/pagination-links.ts'
import type { SavedView } from './saved-views.ts'

/** How many views are counted: each is a read of the list. */
const maxCounted = 5

/** A list, and its saved views. */
interface ListWithViews {
  readonly api: SiteApi<View>
  readonly view: View
  readonly savedViews: readonly SavedView[]
}

/** The numbers by the ids of the first views. A list that does not count its objects, or refuses the query, has none. */
export async function countViews(context: RequestContext, list: ListWithViews): Promise<ReadonlyMap<number, Total>> {
  const { listMetadata } = list.view
  // A list without pages would be read as a whole.
  if (listMetadata === undefined || Object.keys(listMetadata.pageParameters).length === 0) return new Map()
  const totals = await Promise.all(
    list.savedViews.slice(0, maxCounted).map(async saved => [saved.id, await countView(context, list, saved)] as const),
  )
  return new Map(totals.flatMap(([id, total]) => (total === undefined ? [] : [[id, total] as const])))
}

async function countView(
  context: RequestContext,
  { api, view }: ListWithViews,
  { query }: SavedView,
): Promise<Total | undefined> {
  const { sizeParameter, pageParameters } = view.listMetadata!
  const parameters = new URLSearchParams(query)
  if (sizeParameter !== undefined) parameters.set(sizeParameter, String(pageParameters[sizeParameter]?.min_value ?? 1))
  const response = await readView(createContextIn({ ...context, view }, api, `${view.path}?${parameters}`), view)
  if (response === undefined || response.body instanceof JsonStream) return undefined
  return findPaginationLinks(parseIntegers(formatBody(response.body)), response.headers ?? {}, view.envelope)?.total
}
