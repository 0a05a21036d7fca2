import type { Fields } from '../fields/field.ts'
import { findKeyField } from '../fields/identifier.ts'
import { parseSegment } from '../keys/parse-segment.ts'
import type { ListMetadata } from '../metadata.ts'
import type { BoundResource } from './bound-resource.ts'

/** The metadata of a resource's lists, for the browsable pages. */
export function createListMetadata({ resource, plans, identifier, filters }: BoundResource): ListMetadata {
  const { name, fields, objectName, searchFields = [], orderingFields = [] } = resource
  return {
    path: `/${name}/`,
    fields: plans.list.shows,
    objectName,
    nameField: resource.lookup ?? findKeyField(resource),
    isObjectSegment: text => text.endsWith('/') && parseSegment(text.slice(0, -1), identifier) !== undefined,
    isSearchable: searchFields.length > 0,
    filters: Object.fromEntries(filters.all.map(({ parameter, input }) => [parameter, input])),
    orderingFields: pick(fields, orderingFields),
  }
}

const pick = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.map(name => [name, fields[name]!]))
