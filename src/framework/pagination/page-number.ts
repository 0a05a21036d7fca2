// `?page=3` (LIM-PAG-r1): numbered pages in an envelope with the exact count (END-LIST).

import { NotFound } from '../errors/exceptions.ts'
import {
  checkPageSize,
  envelope,
  linkTo,
  type Page,
  type PageRequest,
  type Paginator,
  parseCount,
} from './paginator.ts'

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
  return numberedPages('pageNumber', options, ({ number, pages, count, link }, items) => {
    const next = number < pages ? link(number + 1) : null
    const previous = number > 1 ? link(number - 1) : null
    return envelope(count, next, previous, items)
  })
}

/** A page that was found by its number, with what is needed to link to the others. */
export interface NumberedPage {
  /** From 1. */
  readonly number: number
  /** How many there are; an empty list has one. */
  readonly pages: number
  readonly count: number
  /** The URL of the page with this number. */
  link(number: number): string
}

/** A paginator by number, whose pages are written by `write`; NotFound for a page that does not exist. */
export function numberedPages(
  name: string,
  options: PageNumberOptions,
  write: (page: NumberedPage, items: readonly string[]) => Page,
): Paginator {
  const { pageQueryParam = 'page', lastPageStrings = ['last'] } = options
  checkPageSize(`${name}(): pageSize`, options.pageSize)
  checkPageSize(`${name}(): maxPageSize`, options.maxPageSize)
  return Object.freeze<Paginator>({
    plan(given) {
      const request = withinMaximum(given, options)
      const limit = sizeOf(request, options)
      if (limit === undefined) return undefined
      const asked = request.query.get(pageQueryParam) ?? '1'
      const wanted = lastPageStrings.includes(asked) ? 'last' : parsePage(asked, limit)
      const link = (page: number) => linkTo(request, { [pageQueryParam]: page === 1 ? undefined : String(page) })
      return {
        kind: 'counted',
        offset: wanted === 'last' ? 'last' : (wanted - 1) * limit,
        limit,
        createPage(items, count) {
          const pages = pagesOf(count, limit)
          const number = wanted === 'last' ? pages : wanted
          if (number > pages) throw new NotFound('Invalid page.')
          return write({ number, pages, count, link }, items)
        },
      }
    },
  })
}

function parsePage(text: string, size: number): number {
  const number = parseCount(text)
  if (number === undefined || number < 1 || !Number.isSafeInteger(number * size)) throw new NotFound('Invalid page.')
  return number
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
