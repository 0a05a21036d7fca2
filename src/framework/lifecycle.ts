// READ FIRST: one request from its arrival at a view to its response, in order. Each phase is a function of one folder:
// it takes values and returns a value, or throws a catalogued exception. The order is that of the specification:
// nothing runs before authentication (SVC-1), and the body is read only once the checks have passed.
// Only promises are awaited: `await` of a value that is there would still cost a turn of the microtask queue
// (decision 032).

import type { FastifyRequest } from 'fastify'
import { authenticate } from './authentication/scheme.ts'
import type { RequestContext } from './context.ts'
import { obeyScheme } from './errors/exception-handler.ts'
import { MethodNotAllowed } from './errors/exceptions.ts'
import { fromHost } from './errors/host-error.ts'
import { loggableError } from './errors/loggable-error.ts'
import { isPromise } from './maybe-promise.ts'
import { negotiate, negotiateError } from './negotiation/negotiate.ts'
import { parseBody } from './parsers/parser.ts'
import type { RequestBody } from './parsers/request-body.ts'
import { findRefusal } from './permissions/permission.ts'
import { type RenderedResponse, type ResponseContext, render } from './renderers/render.ts'
import type { HeaderFields } from './response.ts'
import { checkThrottles } from './throttling/check-throttles.ts'
import type { Handler, View } from './view.ts'

/** A request that matched this view becomes a response. */
export async function respond(matched: View, request: FastifyRequest): Promise<RenderedResponse> {
  const { method } = request
  const view = matched.forMethod(method)
  let requestContext: RequestContext | undefined
  let requestBody: RequestBody | undefined
  let headers: HeaderFields | undefined
  try {
    const baseUrl = view.baseUrl(request) //                                                   400 for a foreign host
    const authenticating = authenticate(request, view, baseUrl) //                             401, 403
    const { user, auth, checkBody } = isPromise(authenticating) ? await authenticating : authenticating
    requestContext = { request, view, method, baseUrl, user, auth, checkBody }
    if (user.isAuthenticated) headers = notStored

    const deciding = findRefusal(requestContext, view.permissions) //                          401, 403
    const refusal = isPromise(deciding) ? await deciding : deciding
    if (refusal !== undefined) return respondToError(refusal, { view, request, requestContext, requestBody, headers })
    if (view.throttles.length > 0) {
      const throttling = await checkThrottles(requestContext, view.throttles) //               429
      headers = { ...headers, ...throttling.headers }
      if (throttling.refusal !== undefined) throw throttling.refusal
    }
    const negotiated = negotiate(request, view) //                                             404, 406
    const handler = findHandler(view, method) //                                               405

    const parsing = parseBody(request, view.parsers) //                                        400, 413, 415
    requestBody = isPromise(parsing) ? await parsing : parsing
    if (checkBody !== undefined) await checkBody(requestBody) //                               403
    const handling = handler({ ...requestContext, body: requestBody }) //                      400, 403, 404
    const response = isPromise(handling) ? await handling : handling
    const found = { view, request, requestContext, requestBody, headers, error: undefined }
    const rendering = render(response, negotiated, found)
    return observed(isPromise(rendering) ? await rendering : rendering, found)
  } catch (error) {
    return respondToError(error, { view, request, requestContext, requestBody, headers })
  }
}

/** What was thrown becomes a response, in the best format that will do (ERR-BODY-3); `found` is what was known by then. */
export async function respondToError(
  thrown: unknown,
  found: Omit<ResponseContext, 'error'>,
): Promise<RenderedResponse> {
  const { view, request } = found
  const { refusal, nonFieldErrorsKey, name: viewName } = view
  const negotiated = negotiateError(request, view)
  const exceptionContext = { request, viewName, refusal, nonFieldErrorsKey, problem: negotiated.problem }
  const error = fromHost(thrown, request)
  const context = { ...found, error }
  const log = (cause: unknown, message: string) => request.log.error({ err: loggableError(cause, context) }, message)
  try {
    const handling = view.exceptionHandler(error, exceptionContext)
    const response = isPromise(handling) ? await handling : handling
    if (response !== undefined) {
      const rendering = render(obeyScheme(response, refusal), negotiated, context)
      return observed(isPromise(rendering) ? await rendering : rendering, context)
    }
    log(error, 'unhandled exception')
  } catch (raised) {
    log(raised, 'the exception handler failed')
  }
  return observed(await render(view.serverError(exceptionContext), negotiated, context), context)
}

// A response for one caller is not for caches to keep.
const notStored: HeaderFields = Object.freeze({ 'cache-control': 'no-store' })

function findHandler(view: View, method: string): Handler {
  const handler = view.handlers.get(method)
  if (handler === undefined) throw new MethodNotAllowed(method)
  return handler
}

function observed(
  response: RenderedResponse,
  { view, request, requestContext, error }: ResponseContext,
): RenderedResponse {
  const { status } = response
  const { id: viewId, name: viewName, auditEvent } = view
  view.observe?.({ request, viewId, viewName, auditEvent, user: requestContext?.user, status, error })
  return response
}
