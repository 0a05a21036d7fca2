// GET on a list: parses the query, reads the rows of the page (or of the whole list, if it is not paginated) and builds
// the response.

import { createBoundedMap } from '../../base/bounded-map.ts'
import type { MaybePromise } from '../../base/maybe-promise.ts'
import type { Arguments } from '../../database/database.ts'
import type { ParseContext } from '../../fields/field.ts'
import type { HandlerContext, RequestContext } from '../../http/context.ts'
import type { ApiResponse } from '../../http/response.ts'
import {
  addCondition,
  combineFilters,
  type RowCondition,
  type RowFilter,
  readAddedValues,
} from '../../policy/permissions/row-filter.ts'
import type { Handler } from '../../view/view.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import { handleAsSelected, parseSearch } from '../bind/seen-resource.ts'
import { formatFilterValues } from '../query/counts.ts'
import { createParameterCheck, listUsedParameters } from '../query/filters/unknown-parameters.ts'
import type { Loaded } from '../query/page-cache.ts'
import { readStatementValues } from '../sql/related-rows.ts'
import { keepStoredJson } from '../sql/serializer.ts'
import { type CompiledList, compileShape } from './compiled-list.ts'
import { type FoundList, findPage, findWholeList } from './find-list.ts'
import { findSeparateRelations } from './separate-expanded.ts'

const maxShapes = 200
// Callers can select many sets of fields.
const maxShapesOfSelection = 20

/** The rows that a list contains, and its path. */
export interface ListScope {
  readonly filter: RowFilter | undefined
  /** The path of the list below the API's prefix. */
  path(context: HandlerContext): string
}

/** The handler that lists a resource. */
export const list = (bound: BoundResource, scope: ListScope): Handler =>
  handleAsSelected(bound, 'list', seen => listSeen(seen, scope))

function listSeen(bound: BoundResource, { filter, path }: ListScope): Handler {
  const { pageCache, tagCache, plans, related, hiddenKey } = bound
  const { serializer, readRequestValues } = plans.list
  const find = createFinder(bound, filter)
  const loadList = async (request: ListRequest): Promise<Loaded<FoundList>> => {
    const found = await find(request)
    return { page: found, size: found.size }
  }
  const loadResponse = async (request: ListRequest): Promise<Loaded<ApiResponse>> => {
    const { size, createResponse } = await find(request)
    return { page: await createResponse(undefined), size }
  }
  const respond = (context: HandlerContext, values: Arguments): MaybePromise<ApiResponse> => {
    const search = parseSearch(context.request.url)
    const reading = readQueryValues(bound, search, context)
    return reading instanceof Promise
      ? reading.then(queryValues => respondWithin(context, search, values, queryValues))
      : respondWithin(context, search, values, reading)
  }
  const respondWithin = (
    context: HandlerContext,
    search: string,
    values: Arguments,
    queryValues: QueryValues,
  ): MaybePromise<ApiResponse> => {
    const requestValues = readRequestValues(context)
    const url = context.baseUrl + path(context)
    const pageHeaders = readPageHeaders(bound, context)
    const request = { context, url, search, values, queryValues, requestValues, pageHeaders }
    const cacheKey = `${url}?${request.search} ${context.version ?? ''} ${hiddenKey}${formatFilterValues(pageHeaders)}${formatFilterValues(values)}${formatFilterValues(queryValues.conditions)}${formatFilterValues(queryValues.ordering)}${formatFilterValues(requestValues)}`
    const { headers } = context.request
    if (serializer === keepStoredJson)
      return pageCache.find(cacheKey, () => tagCache.find(headers, cacheKey, () => loadResponse(request)))
    // Computed fields may depend on the caller, so only the rows from the database are cached.
    const finding = pageCache.find(cacheKey, () => loadList(request))
    const respondWith = ({ createResponse }: FoundList) =>
      createResponse(items => serializer.serializeAll(items, context))
    return finding instanceof Promise ? finding.then(respondWith) : respondWith(finding)
  }
  return context => {
    const reading = readStatementValues(filter, related, context)
    return reading instanceof Promise ? reading.then(values => respond(context, values)) : respond(context, reading)
  }
}

interface ListRequest {
  readonly context: HandlerContext
  /** The absolute URL of the list, without its query. */
  readonly url: string
  /** The query of the request, without its `?`. */
  readonly search: string
  /** The values of the list's filter and of the filters of related resources. */
  readonly values: Arguments
  /** The values of the request that the SQL of the query uses. */
  readonly queryValues: QueryValues
  /** The values that the SQL of the fields uses. */
  readonly requestValues: Arguments
  /** The header fields that the paginator reads. */
  readonly pageHeaders: Readonly<Record<string, string>>
}

const noHeaders: ListRequest['pageHeaders'] = Object.freeze({})

function readPageHeaders({ paginator }: BoundResource, { request }: HandlerContext): ListRequest['pageHeaders'] {
  if (paginator?.varyOn === undefined) return noHeaders
  return Object.fromEntries(
    paginator.varyOn.flatMap(name => {
      const field = request.headers[name.toLowerCase()]
      return field === undefined ? [] : [[name, String(field)]]
    }),
  )
}

/** Creates the function that finds the rows that a request selects. */
function createFinder(
  bound: BoundResource,
  scope: RowFilter | undefined,
): (request: ListRequest) => Promise<FoundList> {
  const { paginator, pageSize, secret, database, api, envelope, isSelection } = bound
  const separateRelations = findSeparateRelations(bound, 'list')
  const parseQuery = createListQueryParser(bound)
  // Requests whose queries have the same shape differ only in their values, so they share their statements.
  const shapes = createBoundedMap<string, CompiledList>({ maxSize: isSelection ? maxShapesOfSelection : maxShapes })
  const compileList = ({ shape, ordering }: ListQuery, filter: RowCondition | undefined) => {
    const cached = shapes.get(shape)
    if (cached !== undefined) return cached
    const compiled = compileShape(bound, filter, ordering)
    shapes.set(shape, compiled)
    return compiled
  }
  return async ({ context, url, search, values, queryValues, requestValues, pageHeaders }) => {
    const query = new URLSearchParams(search)
    const listQuery = await parseQuery(query, api.createParseContext(context.baseUrl))
    const { filter } = listQuery
    const { ordering } = listQuery
    const plan = paginator?.plan({ query, url, headers: pageHeaders, pageSize, secret, ordering })
    const source = {
      database,
      compiled: compileList(listQuery, filter === undefined ? scope : addCondition(scope, filter)),
      values:
        filter === undefined
          ? values
          : { ...values, ...(await readAddedValues(filter, context)), ...queryValues.conditions },
      representationValues: { ...requestValues, ...queryValues.ordering, base: context.baseUrl },
      envelope,
      separateRelations,
    }
    const found = await (plan === undefined ? findWholeList(source) : findPage(source, plan))
    return source.compiled.isVolatile ? { ...found, size: undefined } : found
  }
}

/**
 * The parsed query of a list: `?search=…`, `?pages__gte=90`, `?ordering=-title,pages`. Queries with the same `shape` differ only in their
 * values.
 */
interface ListQuery {
  readonly shape: string
  /** Undefined for all rows. */
  readonly filter: RowFilter | undefined
  /** Names to order by, as the resource declares them; undefined for the ordering of the resource or of its paginator. */
  readonly ordering: readonly string[] | undefined
}

const emptyQuery: ListQuery = Object.freeze({ shape: '', filter: undefined, ordering: undefined })

type QueriedResource = Pick<BoundResource, 'filters' | 'search' | 'ordering'>

/**
 * Creates the function that parses queries. Parameters that the resource does not declare are ignored, or rejected if the list is
 * strict. Rejects with ValidationError, keyed by parameter, if a filter refuses its value or if a strict list cannot be ordered by a
 * name.
 */
export function createListQueryParser({
  filters,
  search,
  ordering,
  strict,
  resource,
  parameterNames,
  reservedParameters,
}: QueriedResource & Pick<BoundResource, 'strict' | 'resource' | 'parameterNames' | 'reservedParameters'>): (
  query: URLSearchParams,
  context: ParseContext,
) => MaybePromise<ListQuery> {
  const { search: searchName, ordering: orderingName } = parameterNames
  const known = [searchName, orderingName, ...listUsedParameters(resource, parameterNames), ...reservedParameters]
  const checkParameters = strict ? createParameterCheck(filters, known) : () => undefined
  const parseListQuery = async (query: URLSearchParams, context: ParseContext): Promise<ListQuery> => {
    const searched = search.read(query)
    const ordered = ordering.read(query)
    const { shape, condition } = await filters.read(query, context)
    if (searched === undefined && ordered === undefined && shape.length === 0) return emptyQuery
    return {
      shape: JSON.stringify([searched?.terms ?? 0, shape, ordered ?? []]),
      filter: combineFilters([searched?.condition, condition].filter(part => part !== undefined)),
      ordering: ordered,
    }
  }
  return (query, context) => {
    checkParameters(query)
    const isUsed = (name: string) => name === searchName || name === orderingName || filters.knows(name)
    return query.keys().some(isUsed) ? parseListQuery(query, context) : emptyQuery
  }
}

/** The values of the request that the SQL of a query uses. */
interface QueryValues {
  /** The values of the filters and the search. */
  readonly conditions: Arguments
  readonly ordering: Arguments
}

export function readQueryValues(
  { filters, search, ordering }: QueriedResource,
  text: string,
  context: RequestContext,
): MaybePromise<QueryValues> {
  const filtered = filters.readRequestValues(text, context)
  const searched = search.readRequestValues(text, context)
  const ordered = ordering.readRequestValues(text, context)
  return filtered instanceof Promise || searched instanceof Promise || ordered instanceof Promise
    ? Promise.all([filtered, searched, ordered]).then(values => joinValues(...values))
    : joinValues(filtered, searched, ordered)
}

const joinValues = (filtered: Arguments, searched: Arguments, ordering: Arguments): QueryValues => ({
  conditions: { ...filtered, ...searched },
  ordering,
})
