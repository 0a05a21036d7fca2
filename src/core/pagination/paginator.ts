// Splits a list into pages. A paginator returns a plan: which part of the list the request needs. The list reads that
// part in one statement, and the plan creates the page. Only lists of resources are paginated (LIM-PAG-p1). A paginator
// may throw NotFound for a page that does not exist; each decides whether to reject or ignore an invalid parameter.

import type { Secret } from '../base/secret.ts'
import type { SqlValue } from '../database/database.ts'
import type { JsonSchema } from '../describe/json-schema.ts'
import { type JsonMember, JsonPage, type ResponseBody } from '../http/response.ts'
import { documentMessages } from '../messages/document-messages.ts'

/** The part of a list to read, and the function that creates its page. */
export type PagePlan = CountedPlan | UncountedPlan | KeysetPlan

/** Up to `limit` items after the first `offset`, and the number of all items. */
export interface CountedPlan {
  readonly kind: 'counted'
  /** `last`: the start of the last page of `limit` items. */
  readonly offset: number | 'last'
  readonly limit: number
  /** Called with the count before the last page is read; throws if the page must not be read. */
  checkCount?(count: number): void
  /** `count` is at most one more than the paginator's `maxCount`. */
  createPage(items: readonly string[], count: number): Page
}

/** Up to `limit` items after the first `offset`. */
export interface UncountedPlan {
  readonly kind: 'uncounted'
  readonly offset: number
  readonly limit: number
  createPage(items: readonly string[]): Page
}

/**
 * Up to `limit` items after `position` in the paginator's ordering, or from the start if it is null. If `direction` is
 * backward: the items before `position`, or from the end.
 */
export interface KeysetPlan {
  readonly kind: 'keyset'
  readonly direction: Direction
  readonly position: Position | null
  readonly limit: number
  createPage(items: readonly PositionedItem[]): Page
}

export type Direction = 'forward' | 'backward'

/** The position of an item in an order: its values, including the primary key. */
export type Position = readonly SqlValue[]

/** An item as JSON text, with its position. */
export interface PositionedItem {
  readonly item: string
  readonly position: Position
}

/** The part of a request that a paginator reads. */
export interface PageRequest {
  readonly query: URLSearchParams
  /** The absolute URL of the list, without its query. */
  readonly url: string
  /** The header fields of the request that `varyOn` names, if it has them; undefined for the links of pages. */
  readonly headers?: Readonly<Record<string, string>>
  /** The API's page size (LIM-PAG-r1); undefined if it is not set. */
  readonly pageSize: number | undefined
  /** The API's secret; undefined if it is not set. */
  readonly secret: Secret | undefined
  /**
   * The order that the query asks for, as the resource declares its names; undefined for the declared order. Positions of
   * keyset plans belong to this order, so a paginator must refuse those of another one.
   */
  readonly ordering: readonly string[] | undefined
}

/** One page as a response. */
export interface Page {
  /** Default 200. Its paginator names others in `statuses` of `describePages`. */
  readonly status?: number
  readonly body: ResponseBody
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * The members of a page beside its items, as the paginators of this package name them; `never` if a page is an array. A paginator
 * whose pages contain anything else has the type `Paginator`.
 */
export type PageMember = 'count' | 'count_is_exact' | 'next' | 'previous' | 'other'

/**
 * A pagination style. `Member`: the members of its pages, for the types of clients.
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
export interface Paginator<out Member extends PageMember = PageMember> {
  /** Exists only for the compiler. */
  readonly '~members'?: Member
  /**
   * The order of positions, unless the query asks for another one: names of columns, fields and paths, with a leading `-`
   * for descending. Required for paginators with keyset plans.
   */
  readonly ordering?: readonly string[]
  /**
   * The query parameters that the paginator reads, and their values, for `OPTIONS`. No filter may have their names, and
   * strict lists accept them.
   */
  readonly parameters?: Readonly<Record<string, ParameterDescription>>
  /** The parameter with which callers choose the size of a page; the pages have a control for it. */
  readonly sizeParameter?: string
  /**
   * The header fields that the paginator reads, such as `range`: the pages are cached by their values, responses name them in
   * `Vary`, and `OPTIONS` and the OpenAPI document list them. Default: none.
   */
  readonly varyOn?: readonly string[]
  /**
   * Numbers the page of a request, for the links between pages. `total` is undefined if the response does not tell it. May
   * return undefined: the list then has no numbered pages.
   */
  numberPage?(request: PageRequest, total: Total | undefined): PageNumber | undefined
  /**
   * Describes its pages for the OpenAPI document. `pageSize`: the API's. Undefined if no list is paginated; without this
   * function, the document says nothing about the bodies of lists.
   */
  describePages?(pageSize: number | undefined): PageDescription | undefined
  /** Counted plans count up to one item more than this; default: all items. */
  readonly maxCount?: number
  /** Whether the paginator needs the API's secret. */
  readonly needsSecret?: boolean
  /**
   * Returns the plan for this request; undefined if its list is not paginated. The plan and its page must depend only
   * on the request and the items, because pages are cached until the data changes (decision 041).
   */
  plan(request: PageRequest): PagePlan | undefined
}

/** The bodies of pages. */
export interface PageDescription {
  /** The schemas of the members besides the items; null if the items are the whole body. */
  readonly members: Readonly<Record<string, JsonSchema>> | null
  /** True: a list is only paginated if its query asks for a page. */
  readonly isOptional: boolean
  /** The statuses of pages besides 200, such as 206 and 416. Their bodies are those of pages. */
  readonly statuses?: readonly number[]
}

/** The members `next` and `previous` of a page. */
export const describeLinks = {
  next: { type: ['string', 'null'], format: 'uri', description: documentMessages('document.next') },
  previous: {
    type: ['string', 'null'],
    format: 'uri',
    description: 'The URL of the previous page; null on the first one.',
  },
} satisfies Readonly<Record<string, JsonSchema>>

/** The rows of a list, as far as they were counted. */
export interface Total {
  readonly count: number
  /** False: the list has more rows than `count`. */
  readonly isExact: boolean
}

/** The number of a page, which counts from 1. */
export interface PageNumber {
  readonly number: number
  /** The number of its first item, which counts from 1; undefined if it is unknown. */
  readonly firstItem?: number
  /** The last page that callers can reach; undefined if it is unknown. */
  readonly last: number | undefined
  /** Returns the URL of the page with this number. */
  link(number: number): string
}

/** The values of a query parameter. */
export interface ParameterDescription {
  readonly type: 'integer' | 'string'
  readonly min_value?: number
  readonly max_value?: number
}

/** Describes a whole number; without a largest one, if it is undefined. */
export const describeInteger = (min: number, max: number | undefined): ParameterDescription => ({
  type: 'integer',
  min_value: min,
  ...(max !== undefined && { max_value: max }),
})

/** Creates the common list response (END-LIST) from items that are JSON already. */
export function envelope(count: number, next: string | null, previous: string | null, items: readonly string[]): Page {
  const members: readonly JsonMember[] = [
    ['count', String(count)],
    ['next', JSON.stringify(next)],
    ['previous', JSON.stringify(previous)],
  ]
  return { body: new JsonPage(items, members) }
}

/** Returns the URL with changed query parameters; undefined removes one, and the others are preserved. */
export function createPageLink(
  { url, query }: PageRequest,
  changes: Readonly<Record<string, string | undefined>>,
): string {
  const changed = new URLSearchParams(query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) changed.delete(name)
    else changed.set(name, value)
  }
  return changed.size === 0 ? url : `${url}?${changed}`
}

/** Parses a whole number of plain digits, at most MAX_SAFE_INTEGER; undefined for anything else. */
export function parseCount(text: string | null): number | undefined {
  return text !== null && /^\d+$/.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : undefined
}

/** Throws if two parameters of a paginator have the same name. */
export function checkDistinct(owner: string, first: string, second: string | undefined): void {
  if (first === second) throw new Error(`${owner}: two parameters are called "${first}": rename one`)
}

/** Throws if a declared page size is not a positive whole number. */
export function checkPageSize(option: string, size: number | undefined): void {
  if (size !== undefined && !(Number.isSafeInteger(size) && size > 0))
    throw new Error(`${option} must be a whole number from 1, not ${size}`)
}
