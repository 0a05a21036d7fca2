// `?page=3` (LIM-PAG-r1): numbered pages in an envelope with the exact count (END-LIST).

import { JsonText } from '../answer.ts'
import { NotFound } from '../errors/exceptions.ts'
import { checkPageSize, linkTo, type PageRequest, type PageSource, type Paginator, parseCount } from './paginator.ts'

export interface PageNumberOptions {
  /** Items on a page; default: the API's page size. Without either, the list is not paginated. */
  readonly pageSize?: number
  /** Default `page`. */
  readonly pageQueryParam?: string
  /** The parameter by which callers choose the size; default: they cannot. */
  readonly pageSizeQueryParam?: string
  /** The largest size that callers may choose; a larger one is taken for this one. */
  readonly maxPageSize?: number
  /** Values of the page parameter that mean the last page; default `last`. */
  readonly lastPageStrings?: readonly string[]
}

/** Pages by number. */
export function pageNumber(options: PageNumberOptions = {}): Paginator {
  const { pageQueryParam = 'page', lastPageStrings = ['last'] } = options
  checkPageSize('pageNumber(): pageSize', options.pageSize)
  checkPageSize('pageNumber(): maxPageSize', options.maxPageSize)
  return Object.freeze({
    async paginate(asking: PageRequest, source: PageSource) {
      const request = withinMaximum(asking, options)
      const size = sizeOf(request, options)
      if (size === undefined) return undefined
      const asked = request.query.get(pageQueryParam) ?? '1'
      const number = lastPageStrings.includes(asked) ? pagesOf(await source.count(), size) : parseCount(asked)
      if (number === undefined || number < 1 || !Number.isSafeInteger(number * size))
        throw new NotFound('Invalid page.')
      const { items, count } = await source.slice((number - 1) * size, size)
      const pages = pagesOf(count, size)
      if (number > pages) throw new NotFound('Invalid page.')
      const link = (page: number) => linkTo(request, pageQueryParam, page === 1 ? undefined : String(page))
      const next = number < pages ? link(number + 1) : null
      const previous = number > 1 ? link(number - 1) : null
      return { content: envelope(count, next, previous, items) }
    },
  })
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

// An empty list has one page, which is empty.
const pagesOf = (count: number, size: number): number => Math.max(1, Math.ceil(count / size))

// A size beyond the maximum is the maximum, in the links too.
function withinMaximum(
  request: PageRequest,
  { pageSizeQueryParam: name, maxPageSize = Number.MAX_SAFE_INTEGER }: PageNumberOptions,
): PageRequest {
  if (name === undefined || (parseCount(request.query.get(name)) ?? 0) <= maxPageSize) return request
  const query = new URLSearchParams(request.query)
  query.set(name, String(maxPageSize))
  return { ...request, query }
}

function sizeOf({ query, pageSize }: PageRequest, options: PageNumberOptions): number | undefined {
  const { pageSizeQueryParam: name } = options
  const asked = name === undefined ? undefined : parseCount(query.get(name))
  return asked === undefined || asked < 1 ? (options.pageSize ?? pageSize) : asked
}
