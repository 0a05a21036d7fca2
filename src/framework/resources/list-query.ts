// The search, filters and ordering of a list: `?search=…`, `?pages__gte=90`, `?ordering=-title,pages`. Parameters that the
// resource does not declare are ignored, or rejected with ValidationError if the list is strict. Rejects with
// ValidationError, keyed by parameter, if a filter refuses its value.

import type { RequestContext } from '../context.ts'
import type { Arguments } from '../database/database.ts'
import type { ParseContext } from '../fields/field.ts'
import { nameOnWire } from '../fields/wire-names.ts'
import { isPromise, type MaybePromise } from '../maybe-promise.ts'
import { combineFilters, type RowFilter } from '../permissions/row-filter.ts'
import type { BoundResource } from './bound-resource.ts'
import { createParameterCheck } from './filters/unknown-parameters.ts'

/** The parsed query of a list. Queries with the same `shape` differ only in their values. */
export interface ListQuery {
  readonly shape: string
  /** Undefined for all rows. */
  readonly filter: RowFilter | undefined
  /** Fields to order by; undefined for the resource's own ordering. */
  readonly ordering: readonly string[] | undefined
}

const emptyQuery: ListQuery = Object.freeze({ shape: '', filter: undefined, ordering: undefined })

export function createListQueryParser({
  resource,
  search,
  filters,
  strict,
  reservedParameters,
}: Pick<BoundResource, 'resource' | 'search' | 'filters' | 'strict' | 'reservedParameters'>): (
  query: URLSearchParams,
  context: ParseContext,
) => MaybePromise<ListQuery> {
  const { orderingFields = [] } = resource
  const orderingNames = new Map(orderingFields.map(name => [nameOnWire(name, resource.fields[name]!), name]))
  const filterNames = filters.all.map(({ parameter }) => parameter)
  const parameters = ['search', ...filterNames, ...(orderingFields.length > 0 ? ['ordering'] : [])]
  const checkParameters = strict ? createParameterCheck(filterNames, reservedParameters) : () => undefined
  const parseListQuery = async (query: URLSearchParams, context: ParseContext): Promise<ListQuery> => {
    const found = search.read(query)
    const ordering = orderingFields.length === 0 ? [] : parseOrdering(query.get('ordering'), orderingNames)
    const { shape, condition } = await filters.read(query, context)
    if (found === undefined && shape.length + ordering.length === 0) return emptyQuery
    return {
      shape: JSON.stringify([found?.terms ?? 0, shape, ordering]),
      filter: combineFilters([found?.condition, condition].filter(part => part !== undefined)),
      ordering: ordering.length === 0 ? undefined : ordering,
    }
  }
  return (query, context) => {
    checkParameters(query)
    return parameters.some(name => query.has(name)) ? parseListQuery(query, context) : emptyQuery
  }
}

/** Reads the values of the request that the SQL of the query, given without its `?`, uses. */
export function readQueryValues(
  { filters, search }: Pick<BoundResource, 'filters' | 'search'>,
  text: string,
  context: RequestContext,
): MaybePromise<Arguments> {
  const [filtered, searched] = [filters, search].map(part => part.readRequestValues(text, context))
  return isPromise(filtered) || isPromise(searched)
    ? Promise.all([filtered, searched]).then(values => Object.assign({}, ...values))
    : { ...filtered, ...searched }
}

// As in Django REST framework, unknown ordering fields are ignored.
function parseOrdering(text: string | null, names: ReadonlyMap<string, string>): readonly string[] {
  const found = (text ?? '').split(',').flatMap(part => {
    const [, sign, wireName] = /^(-?)(.*)$/s.exec(part.trim())!
    const name = names.get(wireName!)
    return name === undefined ? [] : sign + name
  })
  return [...new Set(found)]
}
