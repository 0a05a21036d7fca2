// The fields in the schemas of a resource's views.

import { createFields, type DeclaredFields } from '../../fields/declared-fields.ts'
import type { Fields } from '../../fields/field.ts'
import type { DeclaredHandlers, MethodSchemas } from '../../view/declared/declared-view.ts'
import { isListSchema, isStandardSchema } from '../../view/schemas/schema.ts'
import type { Resource } from '../declare/resource.ts'

type DeclaredView = readonly [view: string, fields: DeclaredFields]

/** The declared fields of the views of a resource, with the name of the view (or `listMethods`, `objectMethods`). */
export const listDeclaredViews = ({
  listMethods,
  objectMethods,
  listViews = {},
  objectViews = {},
}: Resource): readonly DeclaredView[] =>
  [
    ...Object.entries({ ...(listMethods && { listMethods }), ...(objectMethods && { objectMethods }) }),
    ...Object.entries(listViews),
    ...Object.entries(objectViews),
  ].flatMap(([name, view]) => listSchemas(view).map(fields => [name, fields] as const))

/** The fields of the views of a resource, with the name of the view. */
export const listViewFields = (resource: Resource): readonly (readonly [view: string, fields: Fields])[] =>
  listDeclaredViews(resource).map(([view, fields]) => [
    view,
    createFields(fields, `view "${view}" of resource "${resource.name}"`),
  ])

/** The schemas and the handlers of a view. */
export interface SchemaView extends MethodSchemas {
  readonly handlers: DeclaredHandlers<never>
}

/** Lists the schemas of a view and of its methods that are declared by fields. */
function listSchemas(view: SchemaView): readonly DeclaredFields[] {
  const schemas: DeclaredFields[] = []
  mapFields(view, fields => {
    schemas.push(fields)
    return fields
  })
  return schemas
}

/** Converts the fields in the schemas of a view. */
export function mapFields<View extends SchemaView>(
  view: View,
  convert: (fields: DeclaredFields) => DeclaredFields,
): View {
  const convertSchemas = <Schemas extends MethodSchemas>(schemas: Schemas): Schemas => ({
    ...schemas,
    ...Object.fromEntries(
      (['query', 'body', 'response'] as const).flatMap(name => {
        const schema = schemas[name]
        return schema === undefined || schema === 'representation' || isStandardSchema(schema) || isListSchema(schema)
          ? []
          : [[name, convert(schema)]]
      }),
    ),
  })
  const handlers = Object.entries(view.handlers).map(([method, handler]) => [
    method,
    typeof handler === 'function' ? handler : convertSchemas(handler),
  ])
  return { ...convertSchemas(view), handlers: Object.fromEntries(handlers) }
}
