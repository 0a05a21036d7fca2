// The controls of a list's pages, whatever the style: from the links of the body (END-LIST), or of the Link field (RFC 8288).

import { html } from 'ghtml'
import type { HeaderFields } from '../response.ts'

/** Links to other pages of the same list. */
export interface PageLinks {
  readonly count: number | undefined
  readonly first: string | undefined
  readonly previous: string | undefined
  readonly next: string | undefined
  readonly last: string | undefined
}

/** The links of an answer; undefined where it is no page of a list. */
export function pageLinks(body: unknown, headers: HeaderFields): PageLinks | undefined {
  const ofHeader = linkField(headers.link)
  if (ofHeader !== undefined) return ofHeader
  const { results, next, previous, count } = Object(body) as Readonly<Record<string, unknown>>
  if (!Array.isArray(results) || next === undefined) return undefined
  return {
    count: count === undefined ? undefined : Number(String(count)),
    first: undefined,
    previous: linkOf(previous),
    next: linkOf(next),
    last: undefined,
  }
}

/** The controls; nothing for a list of one page. */
export function pageControls({ count, ...links }: PageLinks): string {
  const shown = Object.entries(links).filter(([, url]) => url !== undefined) as [string, string][]
  if (shown.length === 0) return ''
  const items = shown.map(
    ([name, url]) => html`<li><a href="${url}" rel="${relations[name]}">!${labels[name]}</a></li>`,
  )
  return html`<nav class="pages" aria-label="Pages"><ul>!${items}</ul>!${count === undefined ? '' : html`<p>${count} in all</p>`}</nav>`
}

// As HTML: a page of nothing but ASCII is half as long in memory, and quicker to send.
const labels: Readonly<Record<string, string>> = {
  first: 'First',
  previous: '&larr; Previous',
  next: 'Next &rarr;',
  last: 'Last',
}
const relations: Readonly<Record<string, string>> = { first: 'first', previous: 'prev', next: 'next', last: 'last' }

const linkOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

function linkField(field: string | string[] | undefined): PageLinks | undefined {
  if (typeof field !== 'string') return undefined
  const found = Object.fromEntries(
    [...field.matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(([, url, relation]) => [relation, url]),
  )
  return { count: undefined, first: found.first, previous: found.prev, next: found.next, last: found.last }
}
