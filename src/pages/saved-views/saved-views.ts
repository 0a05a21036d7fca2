// Saved views: names for the filters, the order and the columns of lists. They are objects of a resource, which pages read and write as
// their caller, and a query is read like that of any URL, so a view shows nothing that its reader may not see.

import {
  endUrl,
  formatBody,
  formatResourcePath,
  parseIntegers,
  type RequestContext,
  type SiteApi,
  savedViewParameter,
  type View,
} from '#core'
import { readItems } from '../page/read-data.ts'
import { readView } from '../page/read-view.ts'
import { createContextIn } from '../page/view-above.ts'

/** The name of the resource. */
export const savedViewsName = 'saved-views'

/** Longest name of a view, in characters. */
export const maxViewName = 60

/** A view as the resource shows it. */
export interface SavedView {
  readonly id: number
  readonly name: string
  /** The path of the list on the server, with a slash at its end. */
  readonly list: string
  /** The query of the list, without `?`. */
  readonly query: string
  readonly is_shared: boolean
  /** The username of whoever saved it. */
  readonly owner: string
}

/** The list of the saved views. */
export interface SavedViewList {
  readonly api: SiteApi<View>
  readonly view: View
  readonly href: string
}

/** Finds the list; undefined if the server has no saved views. */
export function findSavedViewList({ listApis }: Pick<View, 'listApis'>): SavedViewList | undefined {
  for (const api of listApis()) {
    const resource = api.resources.find(({ name }) => name === savedViewsName)
    const path = resource && `/${formatResourcePath(resource)}/`
    const view = path === undefined ? undefined : api.findView(path)
    if (view !== undefined) return { api, view, href: endUrl(api.root + path, api.urlEnd) }
  }
  return undefined
}

/** The views that the caller may open, by name; none for callers without an account. One statement. */
export async function readSavedViews(context: RequestContext, page: View): Promise<readonly SavedView[]> {
  const list = context.user.isAuthenticated ? findSavedViewList(page) : undefined
  if (list === undefined) return []
  const { api, view } = list
  const response = await readView(createContextIn({ ...context, view }, api, view.path), view)
  const items = response && readItems(parseIntegers(formatBody(response.body)), view.envelope)
  return (items ?? []) as readonly SavedView[]
}

/** The query of a list's URL that a view stores: without what selects a page, and without the view that is open. */
export function formatViewQuery(
  url: string,
  { listMetadata, formatParam }: Pick<View, 'listMetadata' | 'formatParam'>,
): string {
  const { pageParameters = {}, sizeParameter } = listMetadata ?? {}
  const { searchParams } = new URL(url, 'http://localhost')
  const left = [...searchParams].filter(
    ([name]) =>
      name !== savedViewParameter &&
      name !== formatParam &&
      (!Object.hasOwn(pageParameters, name) || name === sizeParameter),
  )
  return String(new URLSearchParams(left))
}

/** The view that is open at a URL of its list: the one that the URL names, or else the first one with the same query. */
export function findOpenView<Saved extends SavedView>(
  views: readonly Saved[],
  url: string,
  view: View,
): Saved | undefined {
  const id = new URL(url, 'http://localhost').searchParams.get(savedViewParameter)
  const query = formatViewQuery(url, view)
  return views.find(saved => String(saved.id) === id) ?? views.find(saved => saved.query === query && query !== '')
}

/** The URL of a view. `href`: that of its list. */
export const formatViewUrl = ({ id, query }: Pick<SavedView, 'id' | 'query'>, href: string): string =>
  `${href}?${query === '' ? '' : `${query}&`}${savedViewParameter}=${id}`
