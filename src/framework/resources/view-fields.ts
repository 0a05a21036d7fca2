import type { Fields } from '../fields/field.ts'
import { createFields } from './declared-fields.ts'
import type { Resource } from './resource.ts'

/** The fields of the views of a resource, with the name of the view (or `listMethods`). */
export function listViewFields({
  name,
  listMethods,
  listViews = {},
  objectViews = {},
}: Resource): readonly (readonly [view: string, fields: Fields])[] {
  const views = { ...(listMethods && { listMethods }), ...listViews, ...objectViews }
  return Object.entries(views).map(([view, { fields = {} }]) => [
    view,
    createFields(fields, `view "${view}" of resource "${name}"`),
  ])
}
