// `?limit=20&offset=40` (LIM-PAG-r2): any part of a list, in an envelope with the exact count (END-LIST).

import { checkPageSize, envelope, linkTo, type Paginator, parseCount } from './paginator.ts'

export interface LimitOffsetOptions {
  /** Items where the caller gives no limit; default: the API's page size. Without either, such a list is not paginated. */
  readonly defaultLimit?: number
  /** Default `limit`. */
  readonly limitQueryParam?: string
  /** Default `offset`. */
  readonly offsetQueryParam?: string
  /** The largest limit; a larger one is taken for this one, in the links too. */
  readonly maxLimit?: number
}

/** Parts of a list by limit and offset; nonsense in either parameter is ignored (LIM-GAP-b1). */
export function limitOffset(options: LimitOffsetOptions = {}): Paginator {
  const { limitQueryParam = 'limit', offsetQueryParam = 'offset', maxLimit = Number.MAX_SAFE_INTEGER } = options
  checkPageSize('limitOffset(): defaultLimit', options.defaultLimit)
  checkPageSize('limitOffset(): maxLimit', options.maxLimit)
  return Object.freeze<Paginator>({
    plan(request) {
      const asked = parseCount(request.query.get(limitQueryParam)) || (options.defaultLimit ?? request.pageSize)
      if (asked === undefined) return undefined
      const limit = Math.min(asked, maxLimit)
      const offset = parseCount(request.query.get(offsetQueryParam)) ?? 0
      const link = (start: number) =>
        linkTo(request, { [limitQueryParam]: String(limit), [offsetQueryParam]: start > 0 ? String(start) : undefined })
      return {
        kind: 'counted',
        offset,
        limit,
        createPage(items, count) {
          const next = count - offset > limit ? link(offset + limit) : null
          const previous = offset > 0 ? link(previousOffset(offset, limit, count)) : null
          return envelope(count, next, previous, items)
        },
      }
    },
  })
}

// Behind the end, the page before is the last one that has items.
function previousOffset(offset: number, limit: number, count: number): number {
  return offset < count ? offset - limit : Math.floor(Math.max(0, count - 1) / limit) * limit
}
