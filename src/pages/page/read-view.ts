// Reads other views for parts of a page.

import {
  APIException,
  type ApiResponse,
  emptyBody,
  formatBody,
  hasAllowedMethod,
  isPermitted,
  parseIntegers,
  type RequestContext,
  UnreadJson,
  type View,
} from '#core'
import type { PageContext } from './page-context.ts'
import { createContextAt } from './view-above.ts'

/**
 * The response to a GET of a view by the same caller; undefined if the caller may not read it. The parameters of its path and its URL
 * are those of the context's request.
 */
export async function readView(context: RequestContext, declared: View): Promise<ApiResponse | undefined> {
  const view = declared.forMethod('GET')
  const handle = view.handlers.get('GET')
  if (handle === undefined) return undefined
  const { 'if-match': _, 'if-none-match': __, ...headers } = context.request.headers
  const request = Object.create(context.request, { method: { value: 'GET' }, headers: { value: headers } })
  const getContext = { ...context, request, view, method: 'GET' }
  try {
    if (!(await isPermitted(getContext, view.permissions))) return undefined
    const response = await handle({ ...getContext, requestBody: emptyBody, setHeaders: () => undefined })
    return response.body instanceof UnreadJson ? await response.body.read() : response
  } catch (error) {
    if (error instanceof APIException) return undefined
    throw error
  }
}

/** The body of the view directly below the page; undefined if there is none, or the caller may not read it. */
export async function readViewBelow({ view, requestContext }: PageContext, name: string): Promise<unknown> {
  const below = view.children.includes(name) ? view.findView(`${view.path}${name}/`) : undefined
  if (requestContext === undefined || below === undefined || !below.handlers.has('GET')) return undefined
  const context = createContextAt(requestContext, below)
  if (!(await hasAllowedMethod(context, below))) return undefined
  const response = await readView(context, below)
  return response?.body && parseIntegers(formatBody(response.body))
}
