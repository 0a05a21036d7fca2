// What a view takes from this caller: OPTIONS says it, and the browsable pages make forms of it.

import { NotFound } from './errors/exceptions.ts'
import type { Field, Fields } from './fields/field.ts'
import { type PermissionObject, permits } from './permissions/permission.ts'
import type { Handler, RequestContext, View } from './view.ts'

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

/** The handler of OPTIONS where a view has none of its own. */
export const describeView: Handler = async context => {
  const { name, description, renderers, parsers } = context.view
  const renders = renderers.map(renderer => renderer.mediaType)
  const parses = parsers.map(parser => parser.mediaType)
  const forms = Object.entries(await allowedForms(context)).filter(([method]) => described.includes(method))
  const actions = Object.fromEntries(forms.map(([method, { fields }]) => [method, describeFields(fields)]))
  const body = { name, description, renders, parses, ...(forms.length > 0 && { actions }) }
  return { status: 200, body }
}

const described = ['POST', 'PUT']

/** The forms of those methods that this caller may call. */
export async function allowedForms(context: RequestContext): Promise<Readonly<Record<string, Form>>> {
  const allowed: Record<string, Form> = {}
  for (const [method, form] of Object.entries(context.view.forms)) {
    if (await mayCall(context, method, form)) allowed[method] = form
  }
  return allowed
}

/** May this caller call any method of a view, such as one below this one? */
export async function mayUse(context: RequestContext, view: View): Promise<boolean> {
  for (const method of view.handlers.keys()) {
    if (method === 'HEAD' || method === 'OPTIONS') continue
    if (await mayCall({ ...context, view }, method, view.forms[method] ?? { fields: {} })) return true
  }
  return false
}

async function mayCall(context: RequestContext, method: string, { findPermissionObject }: Form): Promise<boolean> {
  const asked = { ...context, method, view: context.view.forMethod(method) }
  try {
    return (
      (await permits(asked)) &&
      (findPermissionObject === undefined || (await permits(asked, await findPermissionObject(asked))))
    )
  } catch (error) {
    if (error instanceof NotFound) return false
    throw error
  }
}

/** Fields as Django REST framework describes them. */
function describeFields(fields: Fields): Record<string, object> {
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
