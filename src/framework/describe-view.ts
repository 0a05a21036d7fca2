// What this caller may do with a view: `OPTIONS` says it, and the browsable pages make forms of it.

import type { RequestContext } from './context.ts'
import { NotFound } from './errors/exceptions.ts'
import { describeFields, type Form } from './metadata.ts'
import { permits } from './permissions/permission.ts'
import type { ApiResponse } from './response.ts'
import type { View } from './view.ts'

/** The response to `OPTIONS` where a view has no handler of its own for it. */
export async function describeView(context: RequestContext, view: View): Promise<ApiResponse> {
  const { name, description, renderers, parsers } = view
  const renders = renderers.map(renderer => renderer.mediaType)
  const parses = parsers.map(parser => parser.mediaType)
  const forms = Object.entries(await allowedForms(context, view)).filter(([method]) => described.includes(method))
  const actions = Object.fromEntries(forms.map(([method, { fields }]) => [method, describeFields(fields)]))
  const body = { name, description, renders, parses, ...(forms.length > 0 && { actions }) }
  return { status: 200, body }
}

const described = ['POST', 'PUT']

/** The forms of those methods that this caller may call. */
export async function allowedForms(context: RequestContext, view: View): Promise<Readonly<Record<string, Form>>> {
  const allowed: Record<string, Form> = {}
  for (const [method, form] of Object.entries(view.forms)) {
    if (await mayCall(context, view, method, form)) allowed[method] = form
  }
  return allowed
}

/** May this caller call any method of a view? */
export async function mayUse(context: RequestContext, view: View): Promise<boolean> {
  for (const method of view.handlers.keys()) {
    if (method === 'HEAD' || method === 'OPTIONS') continue
    if (await mayCall(context, view, method, view.forms[method] ?? { fields: {} })) return true
  }
  return false
}

async function mayCall(
  context: RequestContext,
  view: View,
  method: string,
  { findPermissionObject }: Form,
): Promise<boolean> {
  const { permissions } = view.forMethod(method)
  const asked = { ...context, method, view }
  try {
    if (!(await permits(asked, permissions))) return false
    return findPermissionObject === undefined || (await permits(asked, permissions, await findPermissionObject(asked)))
  } catch (error) {
    if (error instanceof NotFound) return false
    throw error
  }
}
