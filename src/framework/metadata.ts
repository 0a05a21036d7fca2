// What a view takes and lists, for `OPTIONS` and for the browsable pages.

import type { RequestContext } from './context.ts'
import type { Field, Fields } from './fields/field.ts'
import type { PermissionObject } from './permissions/permission.ts'

/** What a method of a view takes. */
export interface Form {
  readonly fields: Fields
  /** Throws NotFound where nothing is at this URL; answers what the object permissions read of what is judged. */
  readonly findPermissionObject?: (context: RequestContext) => Promise<PermissionObject | undefined>
}

/** What a view lists, and what callers may ask of the list: for the pages. */
export interface ListMetadata {
  /** The path of the listed objects' resource below the API's own: `/books/`. */
  readonly path: string
  readonly fields: Fields
  /** The field that names an object to people; undefined for none. */
  readonly objectName: string | undefined
  /** Does `?search=` look into it? */
  readonly isSearched: boolean
  readonly filters: Fields
  readonly orderingFields: Fields
}

/** Fields as Django REST framework describes them. */
export function describeFields(fields: Fields): Record<string, object> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, describeField(name, field)]))
}

function describeField(name: string, field: Field): object {
  const { type, required, readOnly, help, bounds, choices, child, children } = field
  return {
    type,
    required,
    read_only: readOnly,
    label: labelOf(name, field),
    ...(help !== undefined && { help_text: help }),
    ...bounds,
    ...(choices && { choices: [...choices].map(value => ({ value, display_name: value })) }),
    ...(child && { child: describeField('', child) }),
    ...(children && { children: describeFields(children) }),
  }
}

/** `in_print` is labelled "In print". */
export function labelOf(name: string, { label }: Field): string {
  const words = name.replaceAll('_', ' ')
  return label ?? words.charAt(0).toUpperCase() + words.slice(1)
}
