// Reads a view for a part of another response, as a GET of the same caller would.

import { APIException } from '../errors/exceptions.ts'
import type { RequestContext } from '../http/context.ts'
import { emptyBody } from '../http/parsers/request-body.ts'
import { type ApiResponse, UnreadJson } from '../http/response.ts'
import { isPermitted } from '../policy/permissions/permission.ts'
import type { View } from './view.ts'

/**
 * The response to a GET of a view; undefined if the caller may not read it. The parameters of its path and its URL are those of
 * the context's request.
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
    const response = await handle({ ...getContext, requestBody: emptyBody })
    return response.body instanceof UnreadJson ? await response.body.read() : response
  } catch (error) {
    if (error instanceof APIException) return undefined
    throw error
  }
}
