// The slices of a list, which `pageNumber`, `limitOffset` and `linkHeader` show: how far the list is counted, whether more
// rows follow, and how deep a caller may go. Refuses an offset beyond the largest one with ValidationError.

import type { OptionNames } from '../base/option-names.ts'
import type { JsonSchema } from '../describe/json-schema.ts'
import { ValidationError } from '../errors/exceptions.ts'
import { type JsonMember, JsonPage } from '../http/response.ts'
import { documentMessages } from '../messages/document-messages.ts'
import { frameworkMessages } from '../messages/english.ts'
import { describeLinks, type Page, type PagePlan, type Total } from './paginator.ts'

export interface SliceOptions {
  /**
   * How many rows the list counts: all of them (`exact`, the default), none, or at most a number of them. `none` leaves
   * `count` out. With `{ atMost: 10_000 }`, counting stops there: `count` is then 10000, and `count_is_exact` is false.
   */
  readonly count?: 'exact' | 'none' | { readonly atMost: number }
  /** The most rows that may come before a page; a request beyond is 400. Default: none. */
  readonly maxOffset?: number
}

/** The members of a page beside its items, by the option `count`. */
export type SliceMember<Count> = [Count] extends ['none']
  ? 'next' | 'previous'
  : [Count] extends [{ readonly atMost: number }]
    ? 'count' | 'count_is_exact' | 'next' | 'previous'
    : 'count' | 'next' | 'previous'

/** The names of the options, for the checks of the paginators. */
export const sliceOptionNames: OptionNames<SliceOptions> = { count: true, maxOffset: true }

/** The part of a list that a request asks for. */
export interface Slice {
  /** `last`: the start of the last page of `limit` items. */
  readonly offset: number | 'last'
  readonly limit: number
}

/** The items of a slice, and what is known of the others. */
export interface FoundSlice {
  readonly items: readonly string[]
  /** Undefined: the list is not counted. */
  readonly total: Total | undefined
  readonly hasNext: boolean
}

/** The rows that a list counts, so that it can tell whether there are more; undefined for all. */
export const findMaxCount = ({ count }: SliceOptions): number | undefined =>
  typeof count === 'object' ? count.atMost : undefined

/** Plans a slice, which `createPage` shows. */
export function planSlice(
  { count: counting = 'exact' }: SliceOptions,
  { offset, limit }: Slice,
  createPage: (slice: FoundSlice) => Page,
): PagePlan {
  if (counting === 'exact')
    return {
      kind: 'counted',
      offset,
      limit,
      createPage: (items, count) =>
        createPage({ items, total: { count, isExact: true }, hasNext: offset !== 'last' && count - offset > limit }),
    }
  // One row more tells whether there is a next page.
  const createSlice = (items: readonly string[], total: Total | undefined) =>
    createPage({ items: items.slice(0, limit), total, hasNext: items.length > limit })
  if (counting !== 'none')
    return {
      kind: 'counted',
      offset,
      limit: offset === 'last' ? limit : limit + 1,
      createPage: (items, count) => createSlice(items, toTotal(count, counting.atMost)),
    }
  if (offset === 'last') throw new Error('the last page of a list that is not counted is unknown')
  return { kind: 'uncounted', offset, limit: limit + 1, createPage: items => createSlice(items, undefined) }
}

/** The total of a list that counts up to one row more than `maxCount`; undefined: it counts all rows. */
export const toTotal = (count: number, maxCount: number = Number.MAX_SAFE_INTEGER): Total => ({
  count: Math.min(count, maxCount),
  isExact: count <= maxCount,
})

/** Describes the members of {@link sliceEnvelope}. */
export const describeSlice = ({ count: counting }: SliceOptions): Readonly<Record<string, JsonSchema>> => ({
  ...(counting !== 'none' && {
    count: { type: 'integer', minimum: 0, description: documentMessages('document.count') },
  }),
  ...(typeof counting === 'object' && {
    count_is_exact: { type: 'boolean', description: documentMessages('document.count_is_exact') },
  }),
  ...describeLinks,
})

/** Creates the list response (END-LIST) of a slice. */
export function sliceEnvelope(
  { count: counting }: SliceOptions,
  { items, total }: FoundSlice,
  next: string | null,
  previous: string | null,
): Page {
  const members: JsonMember[] = []
  if (total !== undefined) members.push(['count', String(total.count)])
  if (total !== undefined && typeof counting === 'object') members.push(['count_is_exact', String(total.isExact)])
  members.push(['next', JSON.stringify(next)], ['previous', JSON.stringify(previous)])
  return { body: new JsonPage(items, members) }
}

/** The last of the pages that begin within the largest offset; undefined if it is not `pages`, or if that is unknown. */
export const findReachablePage = (
  { maxOffset = Number.MAX_SAFE_INTEGER }: SliceOptions,
  pages: number | undefined,
  limit: number,
): number | undefined => (pages !== undefined && (pages - 1) * limit <= maxOffset ? pages : undefined)

/** Throws ValidationError, keyed by the parameter, for an offset beyond the largest one. */
export function checkOffset(
  { maxOffset = Number.MAX_SAFE_INTEGER }: SliceOptions,
  parameter: string,
  offset: number,
): void {
  if (offset > maxOffset)
    throw new ValidationError({ [parameter]: [frameworkMessages('max_offset', { max: maxOffset })] })
}

/** Throws if the options are wrong. */
export function checkSliceOptions(paginator: string, { count = 'exact', maxOffset = 0 }: SliceOptions): void {
  const isCount = count === 'exact' || count === 'none' || (Number.isSafeInteger(count?.atMost) && count.atMost > 0)
  if (!isCount)
    throw new Error(
      `${paginator}(): count must be 'exact', 'none' or { atMost: n } with a whole number from 1, such as { atMost: 10_000 }`,
    )
  if (!(Number.isSafeInteger(maxOffset) && maxOffset >= 0))
    throw new Error(`${paginator}(): maxOffset must be a whole number from 0, not ${maxOffset}`)
}
