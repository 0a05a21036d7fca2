// `?limit=20&offset=40` (LIM-PAG-r2): any slice of a list, in an envelope with the count (END-LIST).

import { checkOptionNames, type OptionNames } from '../base/option-names.ts'
import {
  checkDistinct,
  checkPageSize,
  createPageLink,
  describeInteger,
  type PageRequest,
  type Paginator,
  parseCount,
  type Total,
} from './paginator.ts'
import {
  checkOffset,
  checkSliceOptions,
  describeSlice,
  findMaxCount,
  findReachablePage,
  planSlice,
  type SliceMember,
  type SliceOptions,
  sliceEnvelope,
  sliceOptionNames,
} from './slices.ts'

export interface LimitOffsetOptions extends SliceOptions {
  /**
   * Items per page if the caller sends no limit; default: the API's page size. If neither is set, a list without a
   * limit is not paginated.
   */
  readonly defaultLimit?: number
  /** Default `limit`. */
  readonly limitQueryParam?: string
  /** Default `offset`. */
  readonly offsetQueryParam?: string
  /** The largest limit; a larger one is reduced to it, in the links too. */
  readonly maxLimit?: number
}

const optionNames: OptionNames<LimitOffsetOptions> = {
  ...sliceOptionNames,
  defaultLimit: true,
  limitQueryParam: true,
  offsetQueryParam: true,
  maxLimit: true,
}

/** Creates a paginator by limit and offset; an invalid value of either parameter is ignored (LIM-GAP-b1). */
export function limitOffset<const Count extends SliceOptions['count'] = 'exact'>(
  options: LimitOffsetOptions & { readonly count?: Count } = {},
): Paginator<SliceMember<Count>> {
  const { limitQueryParam = 'limit', offsetQueryParam = 'offset', maxLimit = Number.MAX_SAFE_INTEGER } = options
  checkOptionNames('limitOffset()', options, optionNames)
  checkPageSize('limitOffset(): defaultLimit', options.defaultLimit)
  checkPageSize('limitOffset(): maxLimit', options.maxLimit)
  checkSliceOptions('limitOffset', options)
  checkDistinct('limitOffset()', limitQueryParam, offsetQueryParam)
  const maxCount = findMaxCount(options)
  const parameters = {
    [limitQueryParam]: describeInteger(1, options.maxLimit),
    [offsetQueryParam]: describeInteger(0, options.maxOffset),
  }
  const readSlice = (request: PageRequest) => {
    const requestedLimit = parseCount(request.query.get(limitQueryParam)) || (options.defaultLimit ?? request.pageSize)
    if (requestedLimit === undefined) return undefined
    const limit = Math.min(requestedLimit, maxLimit)
    const link = (start: number) =>
      createPageLink(request, {
        [limitQueryParam]: String(limit),
        [offsetQueryParam]: start > 0 ? String(start) : undefined,
      })
    return { limit, offset: parseCount(request.query.get(offsetQueryParam)) ?? 0, link }
  }
  return Object.freeze<Paginator<SliceMember<Count>>>({
    parameters,
    sizeParameter: limitQueryParam,
    ...(maxCount !== undefined && { maxCount }),
    describePages: pageSize => ({
      members: describeSlice(options),
      isOptional: options.defaultLimit === undefined && pageSize === undefined,
    }),
    plan(request) {
      const found = readSlice(request)
      if (found === undefined) return undefined
      const { limit, offset, link } = found
      checkOffset(options, offsetQueryParam, offset)
      return planSlice(options, { offset, limit }, slice => {
        const next = slice.hasNext ? link(offset + limit) : null
        const previous = offset > 0 ? link(previousOffset(offset, limit, slice.total)) : null
        return sliceEnvelope(options, slice, next, previous)
      })
    },
    numberPage(request, total) {
      const found = readSlice(request)
      if (found === undefined) return undefined
      const { limit, offset, link } = found
      if (total?.isExact && offset > 0 && offset >= total.count) return undefined
      // The pages before may begin with a shorter one.
      const before = Math.ceil(offset / limit)
      const after = total?.isExact ? Math.max(0, Math.ceil((total.count - offset) / limit) - 1) : undefined
      const pages = after === undefined ? undefined : before + 1 + after
      return {
        number: before + 1,
        firstItem: offset + 1,
        last: findReachablePage(options, pages, limit),
        link: number => link(offset + (number - before - 1) * limit),
      }
    },
  })
}

// Beyond the end, the previous page is the last one with items.
function previousOffset(offset: number, limit: number, total: Total | undefined): number {
  return total === undefined || !total.isExact || offset < total.count
    ? offset - limit
    : Math.floor(Math.max(0, total.count - 1) / limit) * limit
}
