import type { Fields } from '../../fields/field.ts'
import { formatLabel } from '../../fields/format-label.ts'
import { findKeyField, listLookupFields } from '../../fields/identifier.ts'
import { listOnWire, nameOnWire } from '../../fields/wire-names.ts'
import { parseSegment } from '../../keys/parse-segment.ts'
import { nameOne } from '../../messages/title.ts'
import type { FilterLookup, ListMetadata } from '../../view/metadata.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import type { Resource } from '../declare/resource.ts'
import { formatObjectPattern } from '../names/list-paths.ts'
import { describeFilter } from '../query/filters/describe-filter.ts'
import type { DeclaredLookup } from '../query/filters/filter.ts'
import { ungroupName } from '../query/filters/given-filters.ts'
import { listSelectionNames } from '../query/selection/resource-selection.ts'
import { createNamesReader } from './related-names.ts'

/**
 * The metadata of a resource's list, for `OPTIONS` and the browsable pages. `path`: the pattern of the path below which its objects
 * are.
 */
export function createListMetadata(
  bound: BoundResource,
  path: string,
  { listAll, imported }: Pick<ListMetadata, 'listAll' | 'imported'>,
): ListMetadata {
  const {
    resource,
    plans,
    identifier,
    filters,
    search,
    ordering,
    paginator,
    pageSize,
    secret,
    selection,
    parameterNames,
  } = bound
  const { fields, objectName, pages } = resource
  const { urlEnd } = bound.api
  const nameFields = resource.lookup === undefined ? [findKeyField(resource)] : listLookupFields(resource)
  const filterGroups = resource.filterLimits?.groups ?? 0
  const filterNames = new Set(filters.all.map(({ parameter }) => parameter))
  const selectionParameters = listSelectionNames(resource, parameterNames)
  const toWireName = (field: string) => nameOnWire(field, fields[field]!)
  return {
    path,
    objectPattern: formatObjectPattern(resource, { pattern: '' }),
    fields: listOnWire(plans.list.shows),
    objectName: objectName && toWireName(objectName),
    title: nameOne(resource),
    columns: pages?.columns?.map(toWireName),
    nameFields: nameFields.flatMap(name => (name === undefined ? [] : [toWireName(name)])),
    isObjectSegment: text =>
      text.endsWith(urlEnd) && parseSegment(text.slice(0, text.length - urlEnd.length), identifier) !== undefined,
    parameterNames,
    searchFields: search.fields,
    filters: Object.fromEntries(filters.all.map(({ parameter, input }) => [parameter, input])),
    lookups: Object.fromEntries(
      filters.all.flatMap(({ parameter, lookup }) => (lookup ? [[parameter, describeLookup(lookup)] as const] : [])),
    ),
    filterDescriptions: Object.fromEntries(filters.all.map(filter => [filter.parameter, describeFilter(filter)])),
    filterGroups,
    orderingFields: ordering.fields,
    defaultOrdering: findDefaultOrdering(resource, listOnWire(plans.list.shows)),
    changesList: parameter =>
      selectionParameters.includes(parameter) || (filterGroups > 0 && filterNames.has(ungroupName(parameter) ?? '')),
    pageParameters: paginator?.parameters ?? {},
    pageHeaders: paginator?.varyOn ?? [],
    sizeParameter: paginator?.sizeParameter,
    numberPage: ({ pathname: url, searchParams: query }, total) =>
      paginator?.numberPage?.({ url, query, pageSize, secret, ordering: ordering.read(query) }, total),
    listAll,
    imported,
    readNames: createNamesReader(bound, plans.list.shows),
    describeSelection: selection?.describe,
  }
}

function describeLookup({ name, compared: { wirePath: path, field } }: DeclaredLookup): FilterLookup {
  return { path, name, field: { ...field, label: formatLabel(path.replaceAll('__', ' '), field) } }
}

function findDefaultOrdering({ fields, ordering }: Resource, shown: Fields): string | undefined {
  const [, sign, name] = /^(-?)(.*)$/.exec(ordering?.[0] ?? '')!
  const wireName = Object.hasOwn(fields, name!) ? nameOnWire(name!, fields[name!]!) : ''
  return Object.hasOwn(shown, wireName) ? sign + wireName : undefined
}
