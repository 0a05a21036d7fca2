// The last page of a list, to which the URL of a page beyond it leads.

import {
  formatBody,
  type ListMetadata,
  NotFound,
  type PageNumber,
  parseIntegers,
  type RenderContext,
  splitQuery,
  type View,
} from '#core'
import { pageUrl } from '../page/page-url.ts'
import { readView } from '../page/read-view.ts'
import { findPaginationLinks } from '../values/pagination-links.ts'

/** The URL of the last page; undefined if the request asks for no page beyond it, or if the list does not say which one is the last. */
export async function findLastPage(context: RenderContext<View>): Promise<string | undefined> {
  const { view, request, requestContext, error } = context
  const { listMetadata: list } = view
  if (!(error instanceof NotFound) || request.method !== 'GET' || !list || requestContext === undefined)
    return undefined
  const url = new URL(pageUrl({ view, request }), 'http://localhost')
  const asked = numberPage(list, url)
  if (asked === undefined || asked.number <= 1) return undefined
  const [path] = splitQuery(request.url)
  const firstUrl = path + new URL(asked.link(1), url).search
  const first = { ...requestContext, request: Object.create(request, { url: { value: firstUrl } }) }
  const response = await readView(first, view)
  if (response?.body === undefined) return undefined
  const links = findPaginationLinks(parseIntegers(formatBody(response.body)), response.headers ?? {}, view.envelope)
  const last = list.numberPage(url, links?.total)?.last
  return last === undefined || last >= asked.number ? undefined : asked.link(last)
}

function numberPage(list: ListMetadata, url: URL): PageNumber | undefined {
  try {
    return list.numberPage(url, undefined)
  } catch (error) {
    // The URL has no number.
    if (error instanceof NotFound) return undefined
    throw error
  }
}
