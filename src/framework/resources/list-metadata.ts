import type { Fields } from '../fields/field.ts'
import type { ListMetadata } from '../metadata.ts'
import type { Binding } from './binding.ts'

/** What the lists of a resource are, for their pages. */
export function createListMetadata({ resource, plans }: Binding): ListMetadata {
  const { name, fields, objectName, search = [], filters = [], orderings = [] } = resource
  return {
    path: `/${name}/`,
    fields: plans.list.fields,
    objectName,
    isSearched: search.length > 0,
    filters: pick(fields, filters),
    orderings: pick(fields, orderings),
  }
}

const pick = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.map(name => [name, fields[name]!]))
