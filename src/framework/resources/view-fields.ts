import type { Fields } from '../fields/field.ts'
import { createFields, type DeclaredFields } from './declared-fields.ts'
import type { Resource } from './resource.ts'

type DeclaredView = readonly [view: string, fields: DeclaredFields]

/** The declared fields of the views of a resource, with the name of the view (or `listMethods`). */
export const listDeclaredViews = ({
  listMethods,
  listViews = {},
  objectViews = {},
}: Resource): readonly DeclaredView[] =>
  [
    ...(listMethods === undefined ? [] : [['listMethods', listMethods] as const]),
    ...Object.entries(listViews),
    ...Object.entries(objectViews),
  ].map(([view, { fields = {} }]) => [view, fields])

/** The fields of the views of a resource, with the name of the view. */
export const listViewFields = (resource: Resource): readonly (readonly [view: string, fields: Fields])[] =>
  listDeclaredViews(resource).map(([view, fields]) => [
    view,
    createFields(fields, `view "${view}" of resource "${resource.name}"`),
  ])
