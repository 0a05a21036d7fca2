// READ FIRST: one request from its arrival at a view to its response, in order. Each phase is a function in its own
// folder; it takes values and returns a value, or throws a catalogued exception. The specification fixes the order:
// nothing runs before authentication (SVC-1), and the body is read only after the checks have passed. Only promises are
// awaited, because `await` on any other value still costs a turn of the microtask queue (decision 032).

import { isPromise } from '../base/maybe-promise.ts'
import { MethodNotAllowed, NotFound, ServiceUnavailable } from '../errors/exceptions.ts'
import { settleUpload } from '../fields/files/receive-files.ts'
import type { RequestContext } from '../http/context.ts'
import { applyChallenge, refineRefusal } from '../http/errors/exception-handler.ts'
import { isConcealed, toCatalogued } from '../http/errors/host-error.ts'
import { createLocalization, localizeError } from '../http/languages/localize.ts'
import { parseBody, readRawBody } from '../http/parsers/parser.ts'
import type { RequestBody } from '../http/parsers/request-body.ts'
import type { BodyReader, RenderedResponse, Respond } from '../http/renderers/renderer.ts'
import type { HeaderFields } from '../http/response.ts'
import { authenticate } from '../policy/authentication/scheme.ts'
import { findRefusal } from '../policy/permissions/permission.ts'
import { checkThrottles } from '../policy/throttling/check-throttles.ts'
import { rememberCount } from '../policy/throttling/count-items.ts'
import { logError } from './errors/log-error.ts'
import { type LoggableError, loggableError } from './errors/loggable-error.ts'
import { addCause } from './errors/shown-cause.ts'
import { negotiate, negotiateError, readVersion } from './negotiate.ts'
import { observe } from './observers.ts'
import {
  checkResponse,
  collectHeaders,
  findResponseProblem,
  type ResponseContext,
  refuseHeaders,
  render,
} from './render.ts'
import type { Handler, View } from './view.ts'

/** Runs the phases for a request that matched this view. */
export const respond: Respond = async (matched, request, { parse, complete } = plainBody) => {
  const { method } = request
  const view = (matched as View).forMethod(method)
  let requestContext: RequestContext | undefined
  let requestBody: RequestBody | undefined
  let headers: HeaderFields | undefined
  try {
    const baseUrl = view.baseUrl(request) //                                                   400 for an invalid host
    const authenticating = authenticate(request, view, baseUrl) //                             401, 403
    const { user, auth, checkBody } = authenticating instanceof Promise ? await authenticating : authenticating
    requestContext = { request, view, method, baseUrl, user, auth, checkBody }
    if (user.isAuthenticated) headers = noStore
    const version = view.versioning && readVersion(request, view) //                           404, 406
    if (version !== undefined) requestContext = { ...requestContext, version }
    const reading = view.rawBodyLimit && readRawBody(request, view.rawBodyLimit, hasOwnBody(view, method)) // 400, 413
    if (reading) requestContext = { ...requestContext, rawBody: await reading }

    const deciding = findRefusal(requestContext, view.permissions) //                          401, 403
    const refusal = deciding instanceof Promise ? await deciding : deciding
    if (refusal !== undefined)
      return await respondToError(refusal, { view, request, requestContext, requestBody, headers })
    if (view.throttles.length > 0) {
      const throttling = await checkThrottles(requestContext, view.throttles) //               429
      headers = { ...headers, ...throttling.headers }
      if (throttling.refusal !== undefined) throw throttling.refusal
      rememberCount(request, throttling)
    }
    const negotiated = negotiate(request, view) //                                             404, 406
    const handler = findHandler(view, method) //                                               405

    const parsing = parse(request, view.parsers, hasOwnBody(view, method)) //                                            400, 413, 415
    requestBody = isPromise(parsing) ? await parsing : parsing
    if (checkBody !== undefined) await checkBody(requestBody) //                               403
    if (complete !== undefined) requestBody = complete(requestBody, view, method)
    const own = view.responseHeaders && collectHeaders(view.responseHeaders)
    const { set: setHeaders } = own ?? { set: refuseHeaders }
    const handlerContext = {
      request,
      view,
      method,
      baseUrl,
      user,
      auth,
      version,
      checkBody,
      rawBody: requestContext.rawBody,
      requestBody,
      setHeaders,
      ownHeaders: own?.headers,
    }
    const handling = handler(handlerContext) //                      400, 403, 404
    const handled = isPromise(handling) ? await handling : handling
    const response = own === undefined ? handled : own.add(handled)
    if (requestBody.kind === 'upload') await settleUpload(requestBody, response.status < 400)
    checkResponse(response, handlerContext)
    const phaseResults = { view, request, requestContext, requestBody, headers, error: undefined }
    const rendering = render(response, negotiated, phaseResults)
    return observe(rendering instanceof Promise ? await rendering : rendering, phaseResults)
  } catch (error) {
    if (requestBody?.kind === 'upload') {
      requestBody.discard()
      // If the connection to the database was lost, the files may belong to a committed write.
      await settleUpload(requestBody, error instanceof ServiceUnavailable)
    }
    return await respondToError(error, { view, request, requestContext, requestBody, headers })
  }
}

const plainBody: BodyReader = { parse: parseBody }

/**
 * Turns a thrown value into a response, in the best acceptable format (ERR-BODY-3). `phaseResults` holds the results of
 * the phases that ran.
 */
export async function respondToError(
  thrown: unknown,
  phaseResults: Omit<ResponseContext, 'error'>,
): Promise<RenderedResponse> {
  const { view, request } = phaseResults
  const { nonFieldErrorsKey, name: viewName } = view
  const negotiated = negotiateError(request, view)
  const original = toCatalogued(thrown, request)
  const localization = createLocalization(view.findTranslation, request)
  const error = localizeError(original, localization)
  const refusal = refineRefusal(view.refusal, error)
  const { translate } = localization
  const resource = (original instanceof NotFound ? original.resource : undefined) ?? view.resource
  const { problem } = negotiated
  const exceptionContext = { request, viewName, resource, refusal, nonFieldErrorsKey, problem, translate }
  const { requestContext, requestBody, headers } = phaseResults
  const context = { view, request, requestContext, requestBody, headers, error }
  const observed = error === original ? context : { ...context, error: original }
  const log = (raised: unknown, message: string, level: 'warn' | 'error' = 'error'): LoggableError => {
    const cause = loggableError(raised, context)
    logError(level, request, cause, message)
    return cause
  }
  if (original !== thrown && isConcealed(thrown))
    log(thrown, 'the response to this error does not contain its text', 'warn')
  let cause: LoggableError
  try {
    const handling = view.exceptionHandler(error, exceptionContext)
    const response = isPromise(handling) ? await handling : handling
    if (response !== undefined) {
      const problem = findResponseProblem(response)
      if (problem !== undefined) throw new Error(`the exception handler ${problem}`)
      const localized = localization.addHeaders(applyChallenge(response, refusal), view.headers)
      const rendering = render(localized, negotiated, context)
      return observe(rendering instanceof Promise ? await rendering : rendering, observed)
    }
    cause = log(original, 'unhandled exception')
  } catch (raised) {
    cause = log(raised, 'the exception handler failed')
  }
  const response = view.serverError(exceptionContext)
  const shown = localization.addHeaders(view.showCauses ? addCause(response, cause) : response, view.headers)
  return observe(await render(shown, negotiated, context), observed)
}

// Caches must not store a response for an authenticated caller.
const noStore: HeaderFields = Object.freeze({ 'cache-control': 'no-store' })

// The body of a DELETE is parsed only if its view declares one.
const hasOwnBody = ({ descriptions }: View, method: string): boolean =>
  method === 'DELETE' && descriptions.DELETE?.hasBody === true

function findHandler(view: View, method: string): Handler {
  const handler = view.handlers.get(method)
  if (handler === undefined) throw new MethodNotAllowed(method)
  return handler
}
