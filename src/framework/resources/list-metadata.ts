import { findKeyField } from '../fields/identifier.ts'
import { listOnWire, nameOnWire } from '../fields/wire-names.ts'
import { parseSegment } from '../keys/parse-segment.ts'
import type { ListMetadata } from '../metadata.ts'
import type { BoundResource } from './bound-resource.ts'

/** The metadata of a resource's lists, for the browsable pages. */
export function createListMetadata({
  resource,
  plans,
  identifier,
  filters,
  search,
  ordering,
  selection,
}: BoundResource): ListMetadata {
  const { name, fields, objectName } = resource
  const nameField = resource.lookup ?? findKeyField(resource)
  const toWireName = (field: string) => nameOnWire(field, fields[field]!)
  return {
    path: `/${name}/`,
    fields: listOnWire(plans.list.shows),
    objectName: objectName && toWireName(objectName),
    nameField: nameField && toWireName(nameField),
    isObjectSegment: text => text.endsWith('/') && parseSegment(text.slice(0, -1), identifier) !== undefined,
    searchFields: search.fields,
    filters: Object.fromEntries(filters.all.map(({ parameter, input }) => [parameter, input])),
    orderingFields: ordering.fields,
    describeSelection: selection?.describe,
  }
}
