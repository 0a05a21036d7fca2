// Cuts a list into pages. Runs only on lists of resources (LIM-PAG-p1). May reject with NotFound for a page that
// does not exist; a page that the caller asks for in nonsense is the paginator's to refuse or to ignore.

import type { SqlValue } from '../database/database.ts'
import { JsonText, type ResponseBody } from '../response.ts'
import type { Secret } from '../secret.ts'

/** The list, ready to be cut: each call is one statement. */
export interface PageSource {
  /** Up to `limit` items after the first `offset`, each as JSON text, and the exact number of all items. */
  slice(offset: number, limit: number): Promise<{ readonly items: readonly string[]; readonly count: number }>
  count(): Promise<number>
  /** Up to `limit` items behind a position in the paginator's ordering, or the first ones; backward from its end. */
  walk(direction: Direction, start: Position | null, limit: number): Promise<readonly WalkedItem[]>
}

export type Direction = 'forward' | 'backward'

/** Where an item stands in an ordering: the values of its columns, the key among them. */
export type Position = readonly SqlValue[]

/** An item as JSON text, and where it stands. */
export interface WalkedItem {
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

/** A pagination style. */
export interface Paginator {
  /** The columns that `walk` goes by, `-` before one for descending; needed by paginators that walk. */
  readonly ordering?: readonly string[]
  /** Does it need the API's secret? */
  readonly needsSecret?: boolean
  /** The page that is asked for; nothing where this request's list is not paginated. */
  paginate(request: PageRequest, source: PageSource): Promise<Page | undefined>
}

/** The common list response (END-LIST): items are JSON text already. */
export function envelope(
  count: number,
  next: string | null,
  previous: string | null,
  items: readonly string[],
): JsonText {
  return new JsonText(
    `{"count":${count},"next":${JSON.stringify(next)},"previous":${JSON.stringify(previous)},"results":[${items.join(',')}]}`,
  )
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
