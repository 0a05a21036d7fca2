// The page that explains why a form was rejected: that of its object, its action or a new object, as a GET by the same caller shows it.

import { endUrl, isSafe, listAllowedForms, NotFound, type RequestContext, splitQuery, ValidationError } from '#core'
import { newParameter } from './forms/new-page.ts'
import { needsLogin } from './frame/error-message.ts'
import { actionParameter, findParentPath, formatViewAction, UnsentForm } from './gateway/page-form.ts'
import type { PageContext } from './page/page-context.ts'
import { isObjectView } from './page/page-title.ts'
import { readView } from './page/read-view.ts'
import { type ResponseData, readResponseData } from './page/response-data.ts'
import { createContextAt } from './page/view-above.ts'
import { readListOfView } from './rejected-view.ts'

/** What a page shows. */
export interface ShownResponse {
  readonly data: ResponseData
  readonly context: PageContext
}

/** Their pages say themselves what to do: log in, look elsewhere, wait. */
const ownPages: ReadonlySet<number> = new Set([401, 404, 405, 406, 429])

/** The page that explains the response to a form; the response itself if it needs no explanation. */
export async function findRejectedPage(response: ShownResponse): Promise<ShownResponse> {
  const { context } = response
  const { request, requestContext, status, error } = context
  const isRejected = error instanceof UnsentForm || (status >= 400 && status < 500 && !ownPages.has(status))
  if (isSafe(request.method) || !isRejected || requestContext === undefined || needsLogin(context)) return response
  const list = await readListOfView(context, requestContext)
  const page =
    (list && showPage(response, { ...list, isInForm: false })) ??
    (await findNewPage(response, requestContext)) ??
    (await findObjectPage(response, requestContext)) ??
    (await findActionPage(response, requestContext))
  if (page !== undefined) return page
  const isInForm = context.requestBody !== undefined && context.view.forms[request.method] !== undefined
  return { ...response, context: { ...context, rejection: { ...response, isInForm } } }
}

/** The data of a response without a body. */
export const noData: ResponseData = {
  body: undefined,
  exact: () => undefined,
  isLong: false,
  isTruncated: false,
  etag: () => '',
}

// The page that creates an object of the list.
async function findNewPage(
  response: ShownResponse,
  requestContext: RequestContext,
): Promise<ShownResponse | undefined> {
  const { view, request, status } = response.context
  const isOfList = request.method === 'POST' && view.listMetadata !== undefined && view.handlers.has('GET')
  if (!isOfList || status === 403 || !(await listAllowedForms(requestContext, view)).POST) return undefined
  const [path, query] = splitQuery(request.url)
  const parameters = new URLSearchParams(query)
  parameters.set(newParameter, '')
  const context = { ...requestContext, request: Object.create(request, { url: { value: `${path}?${parameters}` } }) }
  return showPage(response, { context, data: noData, isInForm: true })
}

// The page of the object, or of a change with a name.
async function findObjectPage(
  response: ShownResponse,
  requestContext: RequestContext,
): Promise<ShownResponse | undefined> {
  const { view, request, requestBody, status, error } = response.context
  const { method } = request
  if (view.objectMetadata === undefined || method === 'POST') return undefined
  const context = createContextAt(requestContext, view)
  const data = await readData(context)
  if (data === undefined) return isObjectView(view) ? undefined : showMissing(response)
  const [path, query] = splitQuery(request.url)
  const name = new URLSearchParams(query).get(actionParameter)
  const isForm = method !== 'DELETE' && requestBody !== undefined && status !== 403
  const isAsked = name !== null && view.pageActions[name]?.fields !== undefined && error instanceof ValidationError
  const isInForm = isForm && (name === null || isAsked)
  const url = isInForm && name !== null ? formatActionUrl(path, name) : path
  return showPage(response, { context: replaceUrl(context, url), data, isInForm })
}

// The page of the object below which the view is, or of the action that the view is.
async function findActionPage(
  response: ShownResponse,
  requestContext: RequestContext,
): Promise<ShownResponse | undefined> {
  const { view, request, requestBody, error } = response.context
  const objectView = view.findView(findParentPath(view.path))
  if (objectView === undefined || !isObjectView(objectView)) return undefined
  const context = createContextAt(requestContext, objectView)
  const data = await readData(context)
  if (data === undefined) return undefined
  const [path] = splitQuery(request.url)
  const objectPath = endUrl(findParentPath(path), view.urlEnd)
  const { fields = {}, takesAny = false } = view.forms[request.method] ?? {}
  const isAsked = takesAny || Object.keys(fields).length > 0
  const isInForm = isAsked && requestBody !== undefined && error instanceof ValidationError
  const url = isInForm ? formatActionUrl(objectPath, formatViewAction(path, request.method)) : objectPath
  return showPage(response, { context: replaceUrl(context, url), data, isInForm })
}

const formatActionUrl = (path: string, name: string): string =>
  `${path}?${new URLSearchParams({ [actionParameter]: name })}`

const replaceUrl = (context: RequestContext, url: string): RequestContext => ({
  ...context,
  request: Object.create(context.request, { url: { value: url } }),
})

// The object as a GET shows it; undefined if the caller may not read it, or if there is none.
async function readData(context: RequestContext): Promise<ResponseData | undefined> {
  const shown = await readView(context, context.view as PageContext['view'])
  return shown && readResponseData(shown.body)
}

// The page of an object that a PUT creates.
function showMissing({ context, data }: ShownResponse): ShownResponse {
  const rejection = { context, data, isInForm: context.requestBody !== undefined }
  const request = Object.create(context.request, { method: { value: 'GET' } })
  return { data, context: { ...context, request, status: 404, error: new NotFound(), rejection } }
}

interface Page {
  /** The caller at the URL of the page. */
  readonly context: RequestContext
  readonly data: ResponseData
  readonly isInForm: boolean
}

function showPage(rejected: ShownResponse, { context, data, isInForm }: Page): ShownResponse {
  const request = Object.create(context.request, { method: { value: 'GET' } })
  const view = context.view as PageContext['view']
  const shown = { view, request, requestContext: { ...context, request, method: 'GET' }, status: 200, error: undefined }
  return { data, context: { ...rejected.context, ...shown, rejection: { ...rejected, isInForm } } }
}
