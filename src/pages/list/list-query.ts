// The query of a list's URL: what searches, filters and orders the list, without what selects a page.

import { columnsParameter, type ListMetadata } from '#core'
import type { Pickers } from '../forms/pickers.ts'
import type { Words } from '../html/words.ts'
import { listPossibleColumns } from '../values/list-columns.ts'
import type { PaginationLinks } from '../values/pagination-links.ts'
import type { FilterGroup } from './filter-groups.ts'

/** A list, and the query parameters of its URL. */
export interface ListQuery {
  readonly listMetadata: ListMetadata
  readonly path: string
  /** Without the parameters that select a page. */
  readonly query: URLSearchParams
  /** The filters that the caller has, by their values. */
  readonly groups: readonly FilterGroup[]
  /** The options of filters by a relation. */
  readonly pickers: Pickers
  readonly words: Words
  /** The errors of a rejected query, by parameter. */
  readonly errors: Readonly<Record<string, unknown>>
}

/**
 * Parses the URL of a page of a list. A parameter whose value in any of the pagination links differs from its value in
 * this URL selects a page, and is omitted from `query`.
 */
export function parseListQuery(url: string, links: PaginationLinks | undefined): Pick<ListQuery, 'path' | 'query'> {
  const { pathname: path, searchParams: query } = new URL(url, 'http://localhost')
  const urls = [links?.first, links?.previous, links?.next, links?.last].flatMap(link => URL.parse(link ?? '') ?? [])
  const pageParams = urls.flatMap(({ searchParams }) =>
    [...new Set([...searchParams.keys(), ...query.keys()])].filter(name => searchParams.get(name) !== query.get(name)),
  )
  for (const name of pageParams) query.delete(name)
  return { path, query }
}

/** Whether the list has a search. */
export const isSearchable = ({ searchFields }: ListMetadata): boolean => Object.keys(searchFields).length > 0

/** Whether the query can order the list. */
export const isOrderable = ({ orderingFields }: ListMetadata): boolean => Object.keys(orderingFields).length > 0

/** The parameters of the form. */
export const listFormParameters = (list: ListMetadata): readonly string[] => [
  ...(isSearchable(list) ? [list.parameterNames.search] : []),
  ...Object.keys(list.filters),
  ...(isOrderable(list) ? [list.parameterNames.ordering] : []),
  ...(list.sizeParameter === undefined ? [] : [list.sizeParameter]),
  ...(listPossibleColumns(list).length < 2 ? [] : [columnsParameter]),
]

/** The URL of the same list in another order. */
export function formatOrderingUrl({ listMetadata, path, query }: ListQuery, ordering: string): string {
  const orderedQuery = new URLSearchParams(query)
  orderedQuery.set(listMetadata.parameterNames.ordering, ordering)
  return formatHref(path, orderedQuery)
}

/** A URL with this query. */
export const formatHref = (path: string, query: URLSearchParams): string =>
  query.size === 0 ? path : `${path}?${query}`
