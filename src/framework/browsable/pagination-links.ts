// The links to other pages of a list, for every pagination style: taken from the body (END-LIST) or from the Link
// header (RFC 8288).

import { html } from 'ghtml'
import type { HeaderFields } from '../response.ts'

/** Links to other pages of the same list. */
export interface PaginationLinks {
  /** Number of objects on all pages; undefined if unknown. */
  readonly count: number | undefined
  readonly first: string | undefined
  readonly previous: string | undefined
  readonly next: string | undefined
  readonly last: string | undefined
}

/** The links of a response; undefined if it is not paginated. */
export function findPaginationLinks(body: unknown, headers: HeaderFields): PaginationLinks | undefined {
  const headerLinks = parseLinkHeader(headers.link)
  if (headerLinks !== undefined) return headerLinks
  const { results, next, previous, count } = Object(body) as Readonly<Record<string, unknown>>
  if (!Array.isArray(results) || next === undefined) return undefined
  return {
    count: count === undefined ? undefined : Number(String(count)),
    first: undefined,
    previous: toLink(previous),
    next: toLink(next),
    last: undefined,
  }
}

/** The navigation between pages; empty if the list has one page. */
export function paginationNav({ count, ...links }: PaginationLinks): string {
  const shown = Object.entries(links).filter(([, url]) => url !== undefined) as [string, string][]
  if (shown.length === 0) return ''
  const items = shown.map(
    ([name, url]) => html`<li><a href="${url}" rel="${relations[name]}">!${labels[name]}</a></li>`,
  )
  return html`<nav class="pagination" aria-label="Pages"><ul>!${items}</ul>!${count === undefined ? '' : html`<p>Total: ${count}</p>`}</nav>`
}

// Character references keep the page ASCII: V8 stores such a string in half the memory and sends it faster.
const labels: Readonly<Record<string, string>> = {
  first: 'First',
  previous: '&larr; Previous',
  next: 'Next &rarr;',
  last: 'Last',
}
const relations: Readonly<Record<string, string>> = { first: 'first', previous: 'prev', next: 'next', last: 'last' }

const toLink = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

function parseLinkHeader(header: string | string[] | undefined): PaginationLinks | undefined {
  if (typeof header !== 'string') return undefined
  const links = Object.fromEntries(
    [...header.matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(([, url, relation]) => [relation, url]),
  )
  return { count: undefined, first: links.first, previous: links.prev, next: links.next, last: links.last }
}
