// `?page=3` (LIM-PAG-r1): numbered pages in an envelope with the count (END-LIST).

import { checkOptionNames, type OptionNames } from '../base/option-names.ts'
import { NotFound } from '../errors/exceptions.ts'
import { frameworkMessages } from '../messages/english.ts'
import {
  checkDistinct,
  checkPageSize,
  createPageLink,
  describeInteger,
  type Page,
  type PageDescription,
  type PageRequest,
  type Paginator,
  parseCount,
  type Total,
} from './paginator.ts'
import {
  checkOffset,
  checkSliceOptions,
  describeSlice,
  type FoundSlice,
  findMaxCount,
  findReachablePage,
  planSlice,
  type SliceMember,
  type SliceOptions,
  sliceEnvelope,
  sliceOptionNames,
  toTotal,
} from './slices.ts'

export interface PageNumberOptions extends SliceOptions {
  /** Items per page; default: the API's page size. If neither is set, the list is not paginated. */
  readonly pageSize?: number
  /** Default `page`. */
  readonly pageQueryParam?: string
  /** The query parameter that sets the page size; default: callers cannot set it. */
  readonly pageSizeQueryParam?: string
  /** The largest page size that callers may set; a larger one is reduced to it. */
  readonly maxPageSize?: number
  /** Values of the page parameter that select the last page; default `last`. A list that is not counted has none. */
  readonly lastPageStrings?: readonly string[]
}

const optionNames: OptionNames<PageNumberOptions> = {
  ...sliceOptionNames,
  pageSize: true,
  pageQueryParam: true,
  pageSizeQueryParam: true,
  maxPageSize: true,
  lastPageStrings: true,
}

/** Creates a paginator by page number. */
export function pageNumber<const Count extends SliceOptions['count'] = 'exact'>(
  options: PageNumberOptions & { readonly count?: Count } = {},
): Paginator<SliceMember<Count>> {
  return createNumberedPaginator('pageNumber', options, {
    members: describeSlice(options),
    write(page) {
      const { number, slice, link } = page
      const next = slice.hasNext ? link(number + 1) : null
      const previous = number > 1 ? link(number - 1) : null
      return sliceEnvelope(options, slice, next, previous)
    },
  })
}

/** A page, with the function that links to the other pages. */
export interface NumberedPage {
  /** Counts from 1. */
  readonly number: number
  /** The last page that callers can reach; an empty list has one. Undefined if it is unknown. */
  readonly last: number | undefined
  readonly slice: FoundSlice
  /** Returns the URL of the page with this number. */
  link(number: number): string
}

/** The bodies of numbered pages. */
interface PageFormat extends Pick<PageDescription, 'members'> {
  /** Creates a page. */
  write(page: NumberedPage): Page
}

/** Creates a paginator by page number. Throws NotFound for a page that does not exist. */
export function createNumberedPaginator(
  name: string,
  options: PageNumberOptions,
  { members, write }: PageFormat,
): Paginator<never> {
  const { pageQueryParam = 'page', lastPageStrings = ['last'], count } = options
  checkOptionNames(`${name}()`, options, optionNames)
  checkPageSize(`${name}(): pageSize`, options.pageSize)
  checkPageSize(`${name}(): maxPageSize`, options.maxPageSize)
  checkSliceOptions(name, options)
  checkMaxPageSize(name, options)
  checkDistinct(`${name}()`, pageQueryParam, options.pageSizeQueryParam)
  const { pageSizeQueryParam } = options
  const maxCount = findMaxCount(options)
  const parameters = {
    [pageQueryParam]: describeInteger(1, undefined),
    ...(pageSizeQueryParam !== undefined && { [pageSizeQueryParam]: describeInteger(1, options.maxPageSize) }),
  }
  const lastPages = count === 'none' ? [] : lastPageStrings
  const readRequest = (original: PageRequest) => {
    const request = limitPageSize(original, options)
    const limit = readSize(request, options)
    if (limit === undefined) return undefined
    const text = request.query.get(pageQueryParam) ?? '1'
    const link = (page: number) => createPageLink(request, { [pageQueryParam]: page === 1 ? undefined : String(page) })
    return { limit, link, page: lastPages.includes(text) ? ('last' as const) : parsePage(text, limit) }
  }
  return Object.freeze<Paginator<never>>({
    parameters,
    ...(pageSizeQueryParam !== undefined && { sizeParameter: pageSizeQueryParam }),
    ...(maxCount !== undefined && { maxCount }),
    describePages(pageSize) {
      const isOptional = options.pageSize === undefined && pageSize === undefined
      return isOptional && pageSizeQueryParam === undefined ? undefined : { members, isOptional }
    },
    plan(original) {
      const request = readRequest(original)
      if (request === undefined) return undefined
      const { limit, link, page } = request
      const checkPage = (number: number) => checkOffset(options, pageQueryParam, (number - 1) * limit)
      if (page !== 'last') checkPage(page)
      const plan = planSlice(options, { offset: page === 'last' ? 'last' : (page - 1) * limit, limit }, slice => {
        const pages = countPages(slice.total, limit)
        const number = page === 'last' ? findLastPage(pages) : page
        if (number > (pages ?? (slice.items.length > 0 ? number : 1)))
          throw new NotFound(frameworkMessages('not_found.page'))
        checkPage(number)
        return write({ number, last: findReachablePage(options, pages, limit), slice, link })
      })
      // The database skips all rows before the last page, so a page beyond the largest offset is refused before that.
      return page === 'last' && options.maxOffset !== undefined
        ? { ...plan, checkCount: count => checkPage(findLastPage(countPages(toTotal(count, maxCount), limit))) }
        : plan
    },
    numberPage(original, total) {
      const request = readRequest(original)
      if (request === undefined) return undefined
      const { limit, link, page } = request
      const pages = countPages(total, limit)
      const number = page === 'last' ? pages : page
      if (number === undefined) return undefined
      return { number, firstItem: (number - 1) * limit + 1, last: findReachablePage(options, pages, limit), link }
    },
  })
}

function checkMaxPageSize(name: string, { pageSizeQueryParam, maxPageSize }: PageNumberOptions): void {
  if (maxPageSize !== undefined && pageSizeQueryParam === undefined)
    throw new Error(`${name}(): maxPageSize has no effect: name the parameter of the size in pageSizeQueryParam`)
}

function parsePage(text: string, size: number): number {
  const number = parseCount(text)
  if (number === undefined || number < 1 || !Number.isSafeInteger(number * size))
    throw new NotFound(frameworkMessages('not_found.page'))
  return number
}

// An empty list has one page, which is empty.
const countPages = (total: Total | undefined, size: number): number | undefined =>
  total?.isExact ? Math.max(1, Math.ceil(total.count / size)) : undefined

function findLastPage(pages: number | undefined): number {
  if (pages === undefined) throw new NotFound(frameworkMessages('not_found.page'))
  return pages
}

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
