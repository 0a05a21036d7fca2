// What a list can be asked for, as one form that needs no script: a search, a choice for each filter, and an order. What
// else the URL asks for stays, but the page: of another list there is no such page.

import { html } from 'ghtml'
import type { Field } from '../fields/field.ts'
import { type ListMetadata, labelOf } from '../metadata.ts'
import type { PageLinks } from './pages-of-list.ts'

/** A list, and what its URL asks for beside the page. */
export interface AskedList {
  readonly listing: ListMetadata
  readonly path: string
  readonly query: URLSearchParams
  /** The path of the API. */
  readonly root: string
}

/** Reads the URL of a page; parameters in which the links to other pages differ say which page it is. */
export function askedList(url: string, links: PageLinks | undefined): Pick<AskedList, 'path' | 'query'> {
  const { pathname: path, searchParams: query } = new URL(url, 'http://localhost')
  const others = [links?.first, links?.previous, links?.next, links?.last].flatMap(link => URL.parse(link ?? '') ?? [])
  const moving = others.flatMap(({ searchParams: other }) =>
    [...new Set([...other.keys(), ...query.keys()])].filter(name => other.get(name) !== query.get(name)),
  )
  for (const name of moving) query.delete(name)
  return { path, query }
}

/** The form; nothing for a list that can only be read. */
export function listControls(list: AskedList): string {
  const { listing, path, query } = list
  const { isSearched, filters, orderingFields } = listing
  const isOrdered = Object.keys(orderingFields).length > 0
  const own = [...(isSearched ? ['search'] : []), ...Object.keys(filters), ...(isOrdered ? ['ordering'] : [])]
  if (own.length === 0) return ''
  const kept = [...query].filter(([name]) => !own.includes(name))
  const isNarrowed = own.some(name => (query.get(name) ?? '') !== '')
  const rest = new URLSearchParams(kept)
  return html`<form class="narrowing" method="get" action="${path}" role="search" aria-label="What is listed">
!${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}!${isSearched ? searchControl(query) : ''}!${Object.entries(filters).map(([name, field]) => filterControl(name, field, list))}!${isOrdered ? orderingControl(list) : ''}<p><button>Show</button>!${isNarrowed ? html` <a href="${hrefOf(path, rest)}">Show all</a>` : ''}</p>
</form>
`
}

/** The same list in another order. */
export function orderedHref({ path, query }: AskedList, ordering: string): string {
  const other = new URLSearchParams(query)
  other.set('ordering', ordering)
  return hrefOf(path, other)
}

const hrefOf = (path: string, query: URLSearchParams): string => (query.size === 0 ? path : `${path}?${query}`)

const searchControl = (query: URLSearchParams): string =>
  html`<p><label for="list-search">Search</label><input id="list-search" type="search" name="search" value="${query.get('search') ?? ''}"></p>`

type Option = readonly [value: string, text: string]

function filterControl(name: string, field: Field, { query, root }: AskedList): string {
  const id = `list-${name}`
  const value = query.get(name) ?? ''
  const options = optionsOf(field)
  const input = options
    ? select(id, name, [['', 'Any'], ...options], value)
    : html`<input id="${id}" name="${name}" value="${value}" !${field.relation ? html`data-search="${`${root}/${field.relation.target.name}/`}" data-key="!${field.relation.linked ? 'url' : 'id'}" autocomplete="off"` : ''}>`
  return html`<p><label for="${id}">${labelOf(name, field)}</label>!${input}</p>`
}

function optionsOf({ type, choices }: Field): readonly Option[] | undefined {
  if (type !== 'boolean') return choices && [...choices].map(choice => [choice, choice])
  return [
    ['true', 'Yes'],
    ['false', 'No'],
  ]
}

function orderingControl({ listing, query }: AskedList): string {
  const asked = query.get('ordering') ?? ''
  const known = Object.entries(listing.orderingFields).flatMap(([name, field]): Option[] => [
    [name, `${labelOf(name, field)}, ascending`],
    [`-${name}`, `${labelOf(name, field)}, descending`],
  ])
  const other: readonly Option[] = known.some(([value]) => value === asked) ? [] : [[asked, asked || 'As usual']]
  const usual: readonly Option[] = other[0]?.[0] === '' ? [] : [['', 'As usual']]
  const options = [...usual, ...other, ...known]
  return html`<p><label for="list-ordering">Order</label>!${select('list-ordering', 'ordering', options, asked)}</p>`
}

const select = (id: string, name: string, options: readonly Option[], chosen: string): string =>
  html`<select id="${id}" name="${name}">!${options.map(([value, text]) => html`<option value="${value}" !${value === chosen ? 'selected' : ''}>${text}</option>`)}</select>`
