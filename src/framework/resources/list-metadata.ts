import type { Fields } from '../fields/field.ts'
import type { ListMetadata } from '../metadata.ts'
import type { BoundResource } from './bound-resource.ts'

/** What the lists of a resource are, for their pages. */
export function createListMetadata({ resource, plans }: BoundResource): ListMetadata {
  const { name, fields, objectName, searchFields = [], filters = [], orderingFields = [] } = resource
  return {
    path: `/${name}/`,
    fields: plans.list.fields,
    objectName,
    isSearched: searchFields.length > 0,
    filters: pick(fields, filters),
    orderingFields: pick(fields, orderingFields),
  }
}

const pick = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.map(name => [name, fields[name]!]))
