// The search, filters and ordering of a list: `?search=…`, `?pages__gte=90`, `?ordering=-title,pages`. Parameters that the
// resource does not declare are ignored, or rejected with ValidationError if the list is strict. Rejects with
// ValidationError, keyed by parameter, if a filter refuses its value or if a strict list cannot be ordered by a name.

import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts'
import type { Arguments } from '../../database/database.ts'
import type { ParseContext } from '../../fields/field.ts'
import type { RequestContext } from '../../http/context.ts'
import { combineFilters, type RowFilter } from '../../policy/permissions/row-filter.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import { createParameterCheck } from '../query/filters/unknown-parameters.ts'

/** The parsed query of a list. Queries with the same `shape` differ only in their values. */
export interface ListQuery {
  readonly shape: string
  /** Undefined for all rows. */
  readonly filter: RowFilter | undefined
  /** Names to order by, as the resource declares them; undefined for the ordering of the resource or of its paginator. */
  readonly ordering: readonly string[] | undefined
}

const emptyQuery: ListQuery = Object.freeze({ shape: '', filter: undefined, ordering: undefined })

type QueriedResource = Pick<BoundResource, 'filters' | 'search' | 'ordering'>

export function createListQueryParser({
  filters,
  search,
  ordering,
  strict,
  reservedParameters,
}: QueriedResource & Pick<BoundResource, 'strict' | 'reservedParameters'>): (
  query: URLSearchParams,
  context: ParseContext,
) => MaybePromise<ListQuery> {
  const checkParameters = strict ? createParameterCheck(filters, reservedParameters) : () => undefined
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
    const isUsed = (name: string) => name === 'search' || name === 'ordering' || filters.knows(name)
    return query.keys().some(isUsed) ? parseListQuery(query, context) : emptyQuery
  }
}

/** The values of the request that the SQL of a query uses. */
export interface QueryValues {
  /** The values of the filters and the search. */
  readonly conditions: Arguments
  readonly ordering: Arguments
}

/** Reads the values of the request that the SQL of the query, given without its `?`, uses. */
export function readQueryValues(
  { filters, search, ordering }: QueriedResource,
  text: string,
  context: RequestContext,
): MaybePromise<QueryValues> {
  const filtered = filters.readRequestValues(text, context)
  const searched = search.readRequestValues(text, context)
  const ordered = ordering.readRequestValues(text, context)
  return isPromise(filtered) || isPromise(searched) || isPromise(ordered)
    ? Promise.all([filtered, searched, ordered]).then(values => joinValues(...values))
    : joinValues(filtered, searched, ordered)
}

const joinValues = (filtered: Arguments, searched: Arguments, ordering: Arguments): QueryValues => ({
  conditions: { ...filtered, ...searched },
  ordering,
})
