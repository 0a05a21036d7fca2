// Finds the methods that this caller may call. `OPTIONS` describes them, and the browsable API shows forms for them.

import { isPromise, type MaybePromise } from '../base/maybe-promise.ts'
import { NotFound } from '../errors/exceptions.ts'
import { listVisibleFields } from '../fields/field-visibility.ts'
import type { RequestContext } from '../http/context.ts'
import type { ApiResponse } from '../http/response.ts'
import { readEnglish } from '../messages/english.ts'
import { isPermitted, isSafe, type Permission } from '../policy/permissions/permission.ts'
import { describeFields, describeList, describeShown, type Form, narrowListMetadata } from './metadata.ts'
import type { View } from './view.ts'

/** The response to `OPTIONS` of a view without an `OPTIONS` handler. */
export async function describeView(context: RequestContext, view: View): Promise<ApiResponse> {
  const { name, description, renderers, parsers, envelope, versioning } = view
  const renders = renderers.map(renderer => renderer.mediaType)
  const parses = parsers.map(parser => parser.mediaType)
  const allowed = await listAllowedForms(context, view)
  const forms = Object.entries(allowed).filter(([method, form]) => isDescribed(method, form, view))
  const actions = Object.fromEntries(forms.map(([method, { fields }]) => [method, describeFields(fields)]))
  const list = await describeAllowedList(context, view)
  const bulk = await describeAllowedBulk(context, view)
  const methods = await describeMethods(context, view, allowed)
  const body = {
    ...{ name, description: readEnglish(description), renders, parses },
    ...(forms.length > 0 && { actions }),
    ...(envelope && { envelope }),
    ...(versioning && { versioning }),
    ...list,
    ...bulk,
    ...methods,
  }
  return { status: 200, body }
}

// The PATCH of a resource takes the fields of its PUT, if there is one.
const isDescribed = (method: string, { fields }: Form, { descriptions, forms }: View): boolean =>
  method === 'POST' ||
  method === 'PUT' ||
  ((Object.hasOwn(descriptions, method) || (method === 'PATCH' && forms.PUT === undefined)) &&
    Object.keys(fields).length > 0)

/** The declared queries and responses, by method. */
async function describeMethods(
  context: RequestContext,
  view: View,
  forms: Readonly<Record<string, Form>>,
): Promise<object> {
  const queries: Record<string, object> = {}
  const responses: Record<string, object> = {}
  for (const [method, { query, response }] of Object.entries(view.descriptions)) {
    const isHidden = isSafe(method) ? !(await isAllowed(context, view, method, withoutFields)) : !forms[method]
    if (isHidden) continue
    if (query) queries[method] = describeFields(listVisibleFields(query, context))
    if (response) responses[method] = describeShown(response, context)
  }
  return {
    ...(Object.keys(queries).length > 0 && { queries }),
    ...(Object.keys(responses).length > 0 && { responses }),
  }
}

async function describeAllowedList(context: RequestContext, view: View): Promise<object> {
  const { describesLists, listMetadata } = view
  if (!describesLists || listMetadata === undefined || !(await isAllowed(context, view, 'GET', withoutFields)))
    return {}
  return { ...describeList(narrowListMetadata(listMetadata, context)), ...listMetadata.describeSelection?.(context) }
}

async function describeAllowedBulk(context: RequestContext, view: View): Promise<object> {
  const { describesLists, bulk } = view
  if (!describesLists || bulk === undefined) return {}
  const actions: string[] = []
  for (const [action, method] of Object.entries(bulk.methods))
    if (await isAllowed(context, view, method, withoutFields)) actions.push(action)
  if (actions.length === 0) return {}
  const { mode, max, key } = bulk
  return { bulk: { mode, max, actions, ...(key !== undefined && { key }) } }
}

/** The forms of the methods that this caller may call. */
export async function listAllowedForms(context: RequestContext, view: View): Promise<Readonly<Record<string, Form>>> {
  const allowed: Record<string, Form> = {}
  for (const [method, form] of Object.entries(view.forms)) {
    const deciding = isAllowed(context, view, method, form)
    if (isPromise(deciding) ? await deciding : deciding) allowed[method] = narrowForm(form, context)
  }
  return allowed
}

// A form without hidden fields stays the same object, for which pages cache its HTML.
function narrowForm(form: Form, context: RequestContext): Form {
  const fields = listVisibleFields(form.fields, context)
  return fields === form.fields ? form : { ...form, fields }
}

/** Whether this caller may call any method of a view, apart from HEAD and OPTIONS. */
export async function hasAllowedMethod(context: RequestContext, view: View): Promise<boolean> {
  for (const method of view.handlers.keys()) {
    if (method === 'HEAD' || method === 'OPTIONS') continue
    if (await isAllowed(context, view, method, view.forms[method] ?? withoutFields)) return true
  }
  return false
}

const withoutFields: Form = { fields: {} }

function isAllowed(context: RequestContext, view: View, method: string, form: Form): MaybePromise<boolean> {
  const { permissions } = view.forMethod(method)
  const methodContext = { ...context, method, view }
  return form.findPermissionObject === undefined
    ? isPermitted(methodContext, permissions)
    : isAllowedForObject(methodContext, permissions, form.findPermissionObject)
}

async function isAllowedForObject(
  context: RequestContext,
  permissions: readonly Permission[],
  findPermissionObject: NonNullable<Form['findPermissionObject']>,
): Promise<boolean> {
  try {
    return (
      (await isPermitted(context, permissions)) &&
      (await isPermitted(context, permissions, await findPermissionObject(context)))
    )
  } catch (error) {
    if (error instanceof NotFound) return false
    throw error
  }
}
