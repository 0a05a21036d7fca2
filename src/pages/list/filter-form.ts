// One form that searches, filters and orders a list, and works without JavaScript. It keeps the other parameters of the
// URL, except those that select a page: the filtered list starts at its first page.

import { html } from 'ghtml'
import { type ListMetadata, searchPrefix } from '#core'
import { selectHtml } from '../forms/combobox.ts'
import type { Pickers } from '../forms/pickers.ts'
import type { Words } from '../html/words.ts'
import type { PaginationLinks } from '../values/pagination-links.ts'
import { filterControls } from './filter-controls.ts'

/** A list, and the query parameters of its URL. */
export interface ListQuery {
  readonly listMetadata: ListMetadata
  readonly path: string
  /** Without the parameters that select a page. */
  readonly query: URLSearchParams
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

/**
 * The form; empty for a list without search, filters, ordering and sizes of pages. Its link to reset also removes groups of
 * filters and the choice of fields, which only the URL contains.
 */
export function filterForm(list: ListQuery): string {
  const { listMetadata, path, query, words } = list
  const { filters, sizeParameter } = listMetadata
  const formParams = listFormParameters(listMetadata)
  if (formParams.length === 0) return ''
  const otherParams = [...query].filter(([name]) => !formParams.includes(name) && !name.startsWith(searchPrefix))
  const keptParams = otherParams.filter(([name]) => !listMetadata.changesList(name))
  const isChanged = keptParams.length < otherParams.length || formParams.some(name => (query.get(name) ?? '') !== '')
  const resetUrl = formatHref(path, new URLSearchParams(keptParams))
  return html`<form class="filters" method="get" action="${path}" role="search" aria-label="${words('page.filter')}">
!${otherParams.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}!${isSearchable(listMetadata) ? searchControl(list) : ''}!${filterControls(filters, list)}!${isOrderable(listMetadata) ? orderingControl(list) : ''}!${sizeParameter === undefined ? '' : sizeControl(sizeParameter, list)}<p><button>${words('page.apply')}</button>!${isChanged ? html` <a class="button" href="${resetUrl}">${words('page.reset')}</a>` : ''}</p>
</form>
`
}

/** Whether the list has a search. */
export const isSearchable = ({ searchFields }: ListMetadata): boolean => Object.keys(searchFields).length > 0

const isOrderable = ({ orderingFields }: ListMetadata): boolean => Object.keys(orderingFields).length > 0

/** The parameters of the form. */
export const listFormParameters = (list: ListMetadata): readonly string[] => [
  ...(isSearchable(list) ? [list.parameterNames.search] : []),
  ...Object.keys(list.filters),
  ...(isOrderable(list) ? [list.parameterNames.ordering] : []),
  ...(list.sizeParameter === undefined ? [] : [list.sizeParameter]),
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

const maxSearchNames = 4

function searchControl({ listMetadata: { searchFields, parameterNames }, query, words }: ListQuery): string {
  const labels = Object.entries(searchFields).map(([name, field]) => words.label(name, field))
  const shown = labels.length > maxSearchNames ? [] : [...new Set(labels)]
  return html`<p class="search"><label for="list-search">${words('page.filter_search')}</label><input id="list-search" type="search" name="${parameterNames.search}" value="${query.get(parameterNames.search) ?? ''}" placeholder="${shown.join(', ')}"></p>`
}

function orderingControl({ listMetadata, query, words }: ListQuery): string {
  const { orderingFields, parameterNames, defaultOrdering = '' } = listMetadata
  const ordering = query.get(parameterNames.ordering) ?? ''
  const allOptions = Object.entries(orderingFields).flatMap(([name, field]) => {
    const label = words.label(name, field)
    return [
      { value: name, name: words('page.ascending', { name: label }) },
      { value: `-${name}`, name: words('page.descending', { name: label }) },
    ]
  })
  // An ordering by several fields, which the URL may contain, gets an option of its own.
  const select = {
    attributes: html`id="list-ordering" name="${parameterNames.ordering}"`,
    options: allOptions.filter(({ value }) => value !== defaultOrdering),
    selected: [ordering === defaultOrdering ? '' : ordering],
    isMultiple: false,
    emptyText: allOptions.find(({ value }) => value === defaultOrdering)?.name ?? words('page.default_order'),
  }
  return html`<p><label for="list-ordering">${words('page.order')}</label>!${selectHtml(select)}</p>`
}

function sizeControl(name: string, { listMetadata, query, words }: ListQuery): string {
  const { min_value: min = 1, max_value: max } = listMetadata.pageParameters[name] ?? {}
  return html`<p><label for="list-page-size">${words('page.page_size')}</label><input id="list-page-size" type="number" name="${name}" min="${min}" !${max === undefined ? '' : html`max="${max}"`} value="${query.get(name) ?? ''}"></p>`
}
