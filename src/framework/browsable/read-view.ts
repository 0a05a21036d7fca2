// Reads other views for parts of a page, as a GET of the same caller would.

import { hasAllowedMethod } from '../describe-view.ts'
import { APIException } from '../errors/exceptions.ts'
import { parseIntegers } from '../exact-json.ts'
import { emptyBody } from '../parsers/request-body.ts'
import { isPermitted } from '../permissions/permission.ts'
import { formatBody, type ResponseBody, UnreadJson } from '../response.ts'
import type { View } from '../view.ts'
import type { PageContext } from './page-context.ts'
import { createContextAt } from './view-above.ts'

/** The body of the view directly below the page; undefined if there is none, or the caller may not read it. */
export async function readViewBelow(context: PageContext, name: string): Promise<unknown> {
  const { view, requestContext } = context
  const below = view.children.includes(name) ? view.findView(`${view.path}${name}/`) : undefined
  if (requestContext === undefined || below === undefined || !below.handlers.has('GET')) return undefined
  if (!(await hasAllowedMethod(createContextAt(requestContext, below), below))) return undefined
  const body = await readBody(context, below)
  return body && parseIntegers(formatBody(body))
}

/** The body of a GET of the page's own URL without its query; undefined if the caller may not read it. */
export const readOwnView = (context: PageContext): Promise<ResponseBody | undefined> => readBody(context, context.view)

async function readBody({ requestContext }: PageContext, below: View): Promise<ResponseBody | undefined> {
  const view = below.forMethod('GET')
  const handle = view.handlers.get('GET')
  if (requestContext === undefined || handle === undefined) return undefined
  const at = { ...createContextAt(requestContext, view), method: 'GET' }
  const { 'if-match': _, 'if-none-match': __, ...headers } = at.request.headers
  const request = Object.create(at.request, { method: { value: 'GET' }, headers: { value: headers } })
  try {
    if (!(await isPermitted(at, view.permissions))) return undefined
    const { body } = await handle({ ...at, request, requestBody: emptyBody })
    return body instanceof UnreadJson ? (await body.read()).body : body
  } catch (error) {
    if (error instanceof APIException) return undefined
    throw error
  }
}
