// The links to other pages of a list: taken from the body (END-LIST) or from the Link header (RFC 8288), and numbered if the
// paginator numbers its pages.

import { html } from 'ghtml'
import type { Envelope, HeaderFields, ListMetadata, PageNames, PageNumber, Total } from '#core'
import { formatCount } from '../html/format-value.ts'
import type { Words } from '../html/words.ts'
import { readMember } from '../page/read-data.ts'

/** Links to other pages of the same list. */
export interface PaginationLinks {
  /** The objects on all pages; undefined if unknown. */
  readonly total: Total | undefined
  readonly first: string | undefined
  readonly previous: string | undefined
  readonly next: string | undefined
  readonly last: string | undefined
}

/** The links of a response; undefined if it is not paginated. */
export function findPaginationLinks(
  body: unknown,
  headers: HeaderFields,
  envelope: Envelope | undefined,
): PaginationLinks | undefined {
  const headerLinks = parseLinkHeader(headers.link)
  if (headerLinks !== undefined) return headerLinks
  const read = (member: keyof PageNames) => readMember(body, envelope, member)
  const [count, next] = [read('count'), read('next')]
  if (!Array.isArray(read('results')) || (next === undefined && count === undefined)) return undefined
  return {
    total:
      count === undefined ? undefined : { count: Number(String(count)), isExact: read('count_is_exact') !== false },
    first: undefined,
    previous: toLink(read('previous')),
    next: toLink(next),
    last: undefined,
  }
}

/** A page of a list. */
interface ShownPage {
  readonly url: string
  readonly list: ListMetadata | undefined
  readonly itemCount: number
  readonly words: Words
}

/** The navigation between pages. A list of one page has only the number of its objects. */
export function paginationNav(links: PaginationLinks, { url, list, itemCount, words }: ShownPage): string {
  const { first, previous, next, last } = links
  const numbers = list && listNumbers(links, url, list)
  const range = formatRange(links, { url, list, itemCount, words })
  if ([first, previous, next, last].every(link => link === undefined) && (numbers ?? []).length <= 1)
    return itemCount === 0 || range === '' ? '' : html`<p class="pagination">!${range}</p>`
  const item = (name: keyof typeof relations, link: string | undefined) => linkItem(name, link, words)
  const items =
    numbers === undefined
      ? [item('first', first), item('previous', previous), item('next', next), item('last', last)]
      : [item('previous', previous), ...numbers, item('next', next)]
  return html`<nav class="pagination" aria-label="${words('page.paging')}">!${range === '' ? '' : html`<p>!${range}</p>`}<ul>!${items}</ul></nav>`
}

// The HTML of `21–40 of 10,000`; only the total if the page has no number.
function formatRange(links: PaginationLinks, { url, list, itemCount, words }: ShownPage): string {
  const { total } = links
  if (total === undefined) return ''
  const format = (count: number) => formatCount(count, words.language)
  const count = format(total.count)
  const { firstItem } = list?.numberPage(parseUrl(url), total) ?? {}
  if (firstItem === undefined || itemCount === 0)
    return words(total.isExact ? 'page.total' : 'page.total_more', { count })
  const range = { first: format(firstItem), last: format(firstItem + itemCount - 1), count }
  const text = words(total.isExact ? 'page.range' : 'page.range_more', range)
  return html`${text}`.replaceAll('–', '&ndash;')
}

// Character references keep the page ASCII: V8 stores such a string in half the memory and sends it faster.
const labels = {
  first: ['', 'page.first', ''],
  previous: ['&larr; ', 'page.previous', ''],
  next: ['', 'page.next', ' &rarr;'],
  last: ['', 'page.last', ''],
} as const
const relations = { first: 'first', previous: 'prev', next: 'next', last: 'last' } as const

function linkItem(name: keyof typeof relations, url: string | undefined, words: Words): string {
  if (url === undefined) return ''
  const [before, key, after] = labels[name]
  return html`<li><a href="${url}" rel="${relations[name]}">!${before}${words(key)}!${after}</a></li>`
}

function listNumbers(links: PaginationLinks, url: string, list: ListMetadata): readonly string[] | undefined {
  const { total, next, last } = links
  const page = list.numberPage(parseUrl(url), total)
  if (page === undefined) return undefined
  const lastNumber = page.last ?? (last === undefined ? undefined : list.numberPage(parseUrl(last), undefined)?.number)
  // Without the number of the last page, only the next one is known to exist.
  const end = Math.max(page.number, lastNumber ?? (next === undefined ? page.number : page.number + 1))
  const numbers = selectNumbers(page.number, end).map(number => numberItem(page, number))
  return lastNumber === undefined && next !== undefined ? [...numbers, gapItem] : numbers
}

const parseUrl = (url: string): URL => new URL(url, 'http://localhost')

const neighbours = 2

/** The first page, the last one, and those around the current one; undefined is a gap. */
function selectNumbers(current: number, end: number): readonly (number | undefined)[] {
  const start = Math.max(1, current - neighbours)
  const stop = Math.min(end, current + neighbours)
  const around = Array.from({ length: stop - start + 1 }, (_, index) => start + index)
  return [
    ...listBefore(start),
    ...around,
    ...listBefore(end - stop + 1)
      .map(toEnd)
      .toReversed(),
  ]

  function toEnd(number: number | undefined): number | undefined {
    return number === undefined ? undefined : end - number + 1
  }
}

// A gap of one page is no shorter than its number.
function listBefore(start: number): readonly (number | undefined)[] {
  if (start <= 1) return []
  if (start === 2) return [1]
  return start === 3 ? [1, 2] : [1, undefined]
}

const gapItem = '<li>&hellip;</li>'

function numberItem({ number: current, link }: PageNumber, number: number | undefined): string {
  if (number === undefined) return gapItem
  if (number === current)
    return html`<li><strong aria-current="page" aria-label="Page ${number}">${number}</strong></li>`
  return html`<li><a href="${link(number)}" aria-label="Page ${number}">${number}</a></li>`
}

const toLink = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

function parseLinkHeader(header: string | string[] | undefined): PaginationLinks | undefined {
  if (typeof header !== 'string') return undefined
  const links = Object.fromEntries(
    [...header.matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(([, url, relation]) => [relation, url]),
  )
  return { total: undefined, first: links.first, previous: links.prev, next: links.next, last: links.last }
}
