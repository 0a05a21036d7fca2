// `?page=3` (LIM-PAG-r1): numbered pages in an envelope with the exact count (END-LIST).

import { NotFound } from '../errors/exceptions.ts'
import { frameworkMessages } from '../messages/english.ts'
import {
  checkPageSize,
  createPageLink,
  envelope,
  type Page,
  type PageRequest,
  type Paginator,
  parseCount,
} from './paginator.ts'

export interface PageNumberOptions {
  /** Items per page; default: the API's page size. If neither is set, the list is not paginated. */
  readonly pageSize?: number
  /** Default `page`. */
  readonly pageQueryParam?: string
  /** The query parameter that sets the page size; default: callers cannot set it. */
  readonly pageSizeQueryParam?: string
  /** The largest page size that callers may set; a larger one is reduced to it. */
  readonly maxPageSize?: number
  /** Values of the page parameter that select the last page; default `last`. */
  readonly lastPageStrings?: readonly string[]
}

/** Creates a paginator by page number. */
export function pageNumber(options: PageNumberOptions = {}): Paginator {
  return createNumberedPaginator('pageNumber', options, ({ number, pages, count, link }, items) => {
    const next = number < pages ? link(number + 1) : null
    const previous = number > 1 ? link(number - 1) : null
    return envelope(count, next, previous, items)
  })
}

/** A page, with the function that links to the other pages. */
export interface NumberedPage {
  /** Counts from 1. */
  readonly number: number
  /** The number of pages; an empty list has one. */
  readonly pages: number
  readonly count: number
  /** Returns the URL of the page with this number. */
  link(number: number): string
}

/** Creates a paginator by page number; `write` creates each page. Throws NotFound for a page that does not exist. */
export function createNumberedPaginator(
  name: string,
  options: PageNumberOptions,
  write: (page: NumberedPage, items: readonly string[]) => Page,
): Paginator {
  const { pageQueryParam = 'page', lastPageStrings = ['last'] } = options
  checkPageSize(`${name}(): pageSize`, options.pageSize)
  checkPageSize(`${name}(): maxPageSize`, options.maxPageSize)
  const { pageSizeQueryParam } = options
  return Object.freeze<Paginator>({
    parameters: [pageQueryParam, ...(pageSizeQueryParam === undefined ? [] : [pageSizeQueryParam])],
    plan(original) {
      const request = limitPageSize(original, options)
      const limit = readSize(request, options)
      if (limit === undefined) return undefined
      const pageText = request.query.get(pageQueryParam) ?? '1'
      const pageOrLast = lastPageStrings.includes(pageText) ? 'last' : parsePage(pageText, limit)
      const link = (page: number) =>
        createPageLink(request, { [pageQueryParam]: page === 1 ? undefined : String(page) })
      return {
        kind: 'counted',
        offset: pageOrLast === 'last' ? 'last' : (pageOrLast - 1) * limit,
        limit,
        createPage(items, count) {
          const pages = countPages(count, limit)
          const number = pageOrLast === 'last' ? pages : pageOrLast
          if (number > pages) throw new NotFound(frameworkMessages('not_found.page'))
          return write({ number, pages, count, link }, items)
        },
      }
    },
  })
}

function parsePage(text: string, size: number): number {
  const number = parseCount(text)
  if (number === undefined || number < 1 || !Number.isSafeInteger(number * size))
    throw new NotFound(frameworkMessages('not_found.page'))
  return number
}

// An empty list has one page, which is empty.
const countPages = (count: number, size: number): number => Math.max(1, Math.ceil(count / size))

// Reduces a size beyond the maximum to the maximum, in the links too.
function limitPageSize(
  request: PageRequest,
  { pageSizeQueryParam: name, maxPageSize = Number.MAX_SAFE_INTEGER }: PageNumberOptions,
): PageRequest {
  if (name === undefined || (parseCount(request.query.get(name)) ?? 0) <= maxPageSize) return request
  const query = new URLSearchParams(request.query)
  query.set(name, String(maxPageSize))
  return { ...request, query }
}

function readSize({ query, pageSize }: PageRequest, options: PageNumberOptions): number | undefined {
  const { pageSizeQueryParam: name } = options
  const requestedSize = name === undefined ? undefined : parseCount(query.get(name))
  return requestedSize === undefined || requestedSize < 1 ? (options.pageSize ?? pageSize) : requestedSize
}
