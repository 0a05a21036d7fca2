import type { Fields } from '../fields/field.ts'
import { listOnWire, nameOnWire } from '../fields/wire-names.ts'
import type { ListMetadata } from '../metadata.ts'
import type { BoundResource } from './bound-resource.ts'

/** The metadata of a resource's lists, for the browsable pages. */
export function createListMetadata({ resource, plans }: BoundResource): ListMetadata {
  const { name, fields, objectName, searchFields = [], filters = [], orderingFields = [] } = resource
  return {
    path: `/${name}/`,
    fields: listOnWire(plans.list.shows),
    objectName: objectName && nameOnWire(objectName, fields[objectName]!),
    searchFields: pick(fields, searchFields),
    filters: pick(fields, filters),
    orderingFields: pick(fields, orderingFields),
  }
}

const pick = (fields: Fields, names: readonly string[]): Fields =>
  listOnWire(Object.fromEntries(names.map(name => [name, fields[name]!])))
