// Cuts a list into pages. A paginator says which part of the list a request needs (its plan), the list reads that part in
// one statement, and the plan makes the page of it. Runs only on lists of resources (LIM-PAG-p1). May reject with
// NotFound for a page that does not exist; a parameter that cannot be read is refused or ignored by the paginator.

import type { SqlValue } from '../database/database.ts'
import { JsonText, type ResponseBody } from '../response.ts'
import type { Secret } from '../secret.ts'

/** Which part of a list is read, and the page that is made of it. */
export type PagePlan = CountedPlan | UncountedPlan | KeysetPlan

/** Up to `limit` items after the first `offset`, and the exact number of all items. */
export interface CountedPlan {
  readonly kind: 'counted'
  /** `last`: where the last page of `limit` items begins, or the only one. */
  readonly offset: number | 'last'
  readonly limit: number
  createPage(items: readonly string[], count: number): Page
}

/** Up to `limit` items after the first `offset`. */
export interface UncountedPlan {
  readonly kind: 'uncounted'
  readonly offset: number
  readonly limit: number
  createPage(items: readonly string[]): Page
}

/** Up to `limit` items behind a position in the paginator's ordering, or the first ones; backward from its end. */
export interface KeysetPlan {
  readonly kind: 'keyset'
  readonly direction: Direction
  readonly position: Position | null
  readonly limit: number
  createPage(items: readonly PositionedItem[]): Page
}

export type Direction = 'forward' | 'backward'

/** Where an item stands in an ordering: the values of its columns, the key among them. */
export type Position = readonly SqlValue[]

/** An item as JSON text, and where it stands. */
export interface PositionedItem {
  readonly item: string
  readonly position: Position
}

/** What a request says about pages. */
export interface PageRequest {
  readonly query: URLSearchParams
  /** The absolute URL of the list, without its query. */
  readonly url: string
  /** The API's page size (LIM-PAG-r1); undefined where it has none. */
  readonly pageSize: number | undefined
  /** The API's secret; undefined where it has none. */
  readonly secret: Secret | undefined
}

/** One page as an answer. */
export interface Page {
  readonly body: ResponseBody
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * A pagination style.
 *
 * @example
 * // `?start=20`: ten items from there on.
 * const tens: Paginator = {
 *   plan({ query }) {
 *     const offset = parseCount(query.get('start')) ?? 0
 *     const createPage = (items: readonly string[], count: number) => envelope(count, null, null, items)
 *     return { kind: 'counted', offset, limit: 10, createPage }
 *   },
 * }
 */
export interface Paginator {
  /** The columns that positions consist of, `-` before one for descending; needed by paginators with keyset plans. */
  readonly ordering?: readonly string[]
  /** Does it need the API's secret? */
  readonly needsSecret?: boolean
  /**
   * What this request needs of the list; undefined where its list is not paginated. The plan and its page follow from
   * the request and the items alone, because a page is kept while nothing changes (decision 041).
   */
  plan(request: PageRequest): PagePlan | undefined
}

/** The common list response (END-LIST): items are JSON text already. */
export function envelope(count: number, next: string | null, previous: string | null, items: readonly string[]): Page {
  const links = `"next":${JSON.stringify(next)},"previous":${JSON.stringify(previous)}`
  return { body: new JsonText(`{"count":${count},${links},"results":[${items.join(',')}]}`) }
}

/** The URL with some query parameters changed, or left out for undefined; the others are kept. */
export function linkTo({ url, query }: PageRequest, changes: Readonly<Record<string, string | undefined>>): string {
  const changed = new URLSearchParams(query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) changed.delete(name)
    else changed.set(name, value)
  }
  return changed.size === 0 ? url : `${url}?${changed}`
}

/** A whole number of plain digits, at most the largest that a number holds exactly; undefined for anything else. */
export function parseCount(text: string | null): number | undefined {
  return text !== null && /^\d+$/.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : undefined
}

/** Throws where a page size of a declaration is none. */
export function checkPageSize(option: string, size: number | undefined): void {
  if (size !== undefined && !(Number.isSafeInteger(size) && size > 0))
    throw new Error(`${option} must be a whole number from 1, not ${size}`)
}
