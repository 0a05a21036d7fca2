// One form that searches, filters and orders a list, and works without JavaScript. It keeps the other parameters of the
// URL, except those that select a page: the filtered list starts at its first page.

import { html } from 'ghtml'
import type { Field, RelationTarget } from '../fields/field.ts'
import { formatLabel } from '../fields/format-label.ts'
import type { ListMetadata } from '../metadata.ts'
import type { PaginationLinks } from './pagination-links.ts'

/** A list, and the query parameters of its URL. */
export interface ListQuery {
  readonly listMetadata: ListMetadata
  readonly path: string
  /** Without the parameters that select a page. */
  readonly query: URLSearchParams
  /** Returns the URL of a related resource's list, which may belong to another API. */
  readonly listUrl: (target: RelationTarget) => string
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
  const { listMetadata, path, query } = list
  const { filters, sizeParameter } = listMetadata
  const formParams = listFormParameters(listMetadata)
  if (formParams.length === 0) return ''
  const otherParams = [...query].filter(([name]) => !formParams.includes(name))
  const keptParams = otherParams.filter(([name]) => !listMetadata.changesList(name))
  const isChanged = keptParams.length < otherParams.length || formParams.some(name => (query.get(name) ?? '') !== '')
  const resetUrl = formatHref(path, new URLSearchParams(keptParams))
  return html`<form class="filters" method="get" action="${path}" role="search" aria-label="Filter the list">
!${otherParams.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}!${isSearchable(listMetadata) ? searchControl(query) : ''}!${Object.entries(filters).map(([name, field]) => filterControl(name, field, list))}!${isOrderable(listMetadata) ? orderingControl(list) : ''}!${sizeParameter === undefined ? '' : sizeControl(sizeParameter, list)}<p><button>Apply</button>!${isChanged ? html` <a href="${resetUrl}">Reset</a>` : ''}</p>
</form>
`
}

/** Whether the list has a search. */
export const isSearchable = ({ searchFields }: ListMetadata): boolean => Object.keys(searchFields).length > 0

const isOrderable = ({ orderingFields }: ListMetadata): boolean => Object.keys(orderingFields).length > 0

/** The parameters of the form. */
export const listFormParameters = (list: ListMetadata): readonly string[] => [
  ...(isSearchable(list) ? ['search'] : []),
  ...Object.keys(list.filters),
  ...(isOrderable(list) ? ['ordering'] : []),
  ...(list.sizeParameter === undefined ? [] : [list.sizeParameter]),
]

/** The URL of the same list in another order. */
export function formatOrderingUrl({ path, query }: ListQuery, ordering: string): string {
  const orderedQuery = new URLSearchParams(query)
  orderedQuery.set('ordering', ordering)
  return formatHref(path, orderedQuery)
}

/** A URL with this query. */
export const formatHref = (path: string, query: URLSearchParams): string =>
  query.size === 0 ? path : `${path}?${query}`

const searchControl = (query: URLSearchParams): string =>
  html`<p><label for="list-search">Search</label><input id="list-search" type="search" name="search" value="${query.get('search') ?? ''}"></p>`

type Option = readonly [value: string, text: string]

function filterControl(name: string, field: Field, { query, listUrl }: ListQuery): string {
  const id = `list-${name}`
  const value = query.getAll(name).join(',')
  const options = listOptions(field)
  const input = options
    ? select(id, name, [['', 'Any'], ...options], value)
    : html`<input id="${id}" name="${name}" value="${value}" !${field.relation ? html`data-search-url="${listUrl(field.relation.target)}" data-value-field="${field.relation.findValueField()}" autocomplete="off"` : ''}>`
  return html`<p><label for="${id}">${formatLabel(name, field)}</label>!${input}</p>`
}

function listOptions({ type, choices }: Field): readonly Option[] | undefined {
  if (type !== 'boolean') return choices && [...choices].map(([value, label]) => [String(value), label])
  return [
    ['true', 'Yes'],
    ['false', 'No'],
  ]
}

function orderingControl({ listMetadata, query }: ListQuery): string {
  const ordering = query.get('ordering') ?? ''
  const fieldOptions = Object.entries(listMetadata.orderingFields).flatMap(([name, field]): Option[] => [
    [name, `${formatLabel(name, field)}, ascending`],
    [`-${name}`, `${formatLabel(name, field)}, descending`],
  ])
  // An ordering by several fields, which the URL may contain, gets an option of its own.
  const isOther = ordering !== '' && !fieldOptions.some(([value]) => value === ordering)
  const otherOption: readonly Option[] = isOther ? [[ordering, ordering]] : []
  const options: readonly Option[] = [['', 'Default order'], ...otherOption, ...fieldOptions]
  return html`<p><label for="list-ordering">Order</label>!${select('list-ordering', 'ordering', options, ordering)}</p>`
}

function sizeControl(name: string, { listMetadata, query }: ListQuery): string {
  const { min_value: min = 1, max_value: max } = listMetadata.pageParameters[name] ?? {}
  return html`<p><label for="list-page-size">Page size</label><input id="list-page-size" type="number" name="${name}" min="${min}" !${max === undefined ? '' : html`max="${max}"`} value="${query.get(name) ?? ''}"></p>`
}

const select = (id: string, name: string, options: readonly Option[], selected: string): string =>
  html`<select id="${id}" name="${name}">!${options.map(([value, text]) => html`<option value="${value}" !${value === selected ? 'selected' : ''}>${text}</option>`)}</select>`
