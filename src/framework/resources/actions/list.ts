// GET on a list: the query is read, then the rows of the page, or of a list that is not paginated, and then the response
// is made of them.

import { createBoundedMap } from '../../bounded-map.ts'
import type { HandlerContext } from '../../context.ts'
import type { Arguments } from '../../database/database.ts'
import { isPromise, type MaybePromise } from '../../maybe-promise.ts'
import { everyFilter, type RowFilter } from '../../permissions/row-filter.ts'
import type { ApiResponse } from '../../response.ts'
import type { Handler } from '../../view.ts'
import type { BoundResource } from '../bound-resource.ts'
import { createListQueryParser, type ListQuery } from '../list-query.ts'
import { type CompiledList, compileShape } from '../list-shape.ts'
import type { Loaded } from '../page-cache.ts'
import { statementValues } from '../related-rows.ts'
import { asStored } from '../serializer.ts'
import { type FoundList, findPage, findWhole } from './find-list.ts'

const mostShapes = 200

/** Which of a resource's rows are listed, and where. */
export interface ListPlace {
  readonly filter: RowFilter | undefined
  /** The path of the list below the API's prefix. */
  path(context: HandlerContext): string
}

/** The handler that lists a resource. */
export function list(bound: BoundResource, { filter, path }: ListPlace): Handler {
  const { pages, plans, related } = bound
  const { serialize } = plans.list
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
    const request = { context, url: context.baseUrl + path(context), search: searchOf(context.request.url), values }
    const cacheKey = `${request.url}?${request.search} ${formatValues(values)}`
    if (serialize === asStored) return pages.find(cacheKey, () => loadResponse(request))
    // Computed fields may depend on the caller, so only what the database wrote is cached.
    const finding = pages.find(cacheKey, () => loadList(request))
    const shown = ({ createResponse }: FoundList) => createResponse(json => serialize(json, context))
    return isPromise(finding) ? finding.then(shown) : shown(finding)
  }
  return context => {
    const reading = statementValues(filter, related, context)
    return isPromise(reading) ? reading.then(values => respond(context, values)) : respond(context, reading)
  }
}

interface ListRequest {
  readonly context: HandlerContext
  /** The absolute URL of the list, without its query. */
  readonly url: string
  /** The query of the request, without its `?`. */
  readonly search: string
  /** The values of the place's filter and of the filters of related resources. */
  readonly values: Arguments
}

/** Reads the rows that a request names from the database. */
function createFinder(bound: BoundResource, own: RowFilter | undefined): (request: ListRequest) => Promise<FoundList> {
  const { paginator, pageSize, secret, database, related, route } = bound
  const parseQuery = createListQueryParser(bound)
  // Requests of one shape differ only in their values, and share their statements.
  const shapes = createBoundedMap<string, CompiledList>({ most: mostShapes })
  const compiledFor = ({ shape, ordering }: ListQuery, filter: RowFilter | undefined) => {
    const known = shapes.get(shape)
    if (known !== undefined) return known
    const compiled = compileShape(bound, filter, ordering)
    shapes.set(shape, compiled)
    return compiled
  }
  return async ({ context, url, search, values }) => {
    const query = new URLSearchParams(search)
    const listQuery = await parseQuery(query, { baseUrl: context.baseUrl, route })
    const filter = listQuery.filter === undefined ? own : everyFilter([...(own ? [own] : []), listQuery.filter])
    const plan = paginator?.plan({ query, url, pageSize, secret })
    const source = {
      database,
      compiled: compiledFor(listQuery, filter),
      values: filter === own ? values : await statementValues(filter, related, context),
      base: context.baseUrl,
    }
    const found = await (plan === undefined ? findWhole(source) : findPage(source, plan))
    return source.compiled.isVolatile ? { ...found, size: undefined } : found
  }
}

function searchOf(url: string): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}

function formatValues(values: Arguments): string {
  for (const _ in values) return JSON.stringify(values)
  return ''
}
