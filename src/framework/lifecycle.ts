// READ FIRST: one request from its arrival at a view to its answer, in order. Each phase is a function of one folder:
// it takes values and returns a value, or throws a catalogued exception. The order is that of the specification:
// nothing runs before authentication (SVC-1), and the body is read only once the checks have passed.

import type { FastifyRequest } from 'fastify'
import { authenticate } from './authentication/scheme.ts'
import { obeyScheme } from './errors/exception-handler.ts'
import { MethodNotAllowed } from './errors/exceptions.ts'
import { loggableError } from './errors/loggable-error.ts'
import { andThen, type MaybePromise, orElse, ours } from './maybe-promise.ts'
import { negotiate, negotiateError } from './negotiation/negotiate.ts'
import { parseBody } from './parsers/parser.ts'
import { findRefusal } from './permissions/permission.ts'
import { type RenderedResponse, render, type Unrendered } from './renderers/render.ts'
import { checkThrottles } from './throttling/throttle.ts'
import { createNotes, type Handler, type Notes, type RequestContext, type View } from './view.ts'

/** A request that matched this view becomes an answer, at once where nobody has to be asked for it. */
export function respond(matched: View, request: FastifyRequest): MaybePromise<RenderedResponse> {
  const view = matched.forMethod(request.method)
  const notes = createNotes()
  const refuse = (error: unknown) => respondToError(view, request, error, notes)
  return orElse(() => {
    const baseUrl = view.baseUrl(request) //                                                   400 for a foreign host
    const caller = authenticate(request, view, baseUrl) //                                     401, 403
    return andThen(caller, ({ user, auth, checkBody }) => {
      const context = { request, view, method: request.method, baseUrl, user, auth, checkBody, notes }
      notes.context = context
      // What one caller may see is for no cache to keep.
      if (user.isAuthenticated) notes.headers['cache-control'] = 'no-store'
      const refusal = findRefusal(context) //                                                  401, 403
      return andThen(refusal, refused => (refused === undefined ? proceed(context) : refuse(refused)))
    })
  }, refuse)
}

/** For those who may. */
function proceed(context: RequestContext): MaybePromise<RenderedResponse> {
  const { request, view, method, checkBody, notes } = context
  const throttled = view.throttles.length > 0 ? checkThrottles(context) : undefined //         429
  return andThen(throttled, () => {
    const negotiated = negotiate(request, view) //                                             404, 406
    const handler = findHandler(view, method) //                                               405
    const body = parseBody(request, view.parsers) //                                           400, 413, 415
    const read = andThen(body, body => {
      notes.input = body
      return andThen(ours(checkBody?.(body)), () => body) //                                   403
    })
    const answer = andThen(read, input => ours(handler({ ...context, body: input }))) //             400, 403, 404
    const exchange = { view, request, notes, error: undefined }
    const rendered = andThen(answer, found => render(found, negotiated, exchange))
    return andThen(rendered, found => observe(exchange, found))
  })
}

/** Whatever was thrown becomes an answer, in the best format that will do (ERR-BODY-3). */
export function respondToError(
  view: View,
  request: FastifyRequest,
  error: unknown,
  notes: Notes,
): MaybePromise<RenderedResponse> {
  const { refusal, nonFieldErrorsKey, name: viewName } = view
  const negotiated = negotiateError(request, view)
  const context = { request, viewName, refusal, nonFieldErrorsKey, problem: negotiated.problem }
  const exchange = { view, request, notes, error }
  const log = (cause: unknown, message: string): undefined =>
    void request.log.error({ err: loggableError(cause, exchange) }, message)
  const rendered = orElse<RenderedResponse | undefined>(
    () =>
      andThen(ours(view.exceptionHandler(error, context)), response =>
        response === undefined
          ? log(error, 'unhandled exception')
          : render(obeyScheme(response, refusal), negotiated, exchange),
      ),
    raised => log(raised, 'the exception handler failed'),
  )
  const answered = andThen(rendered, found => found ?? render(view.serverError(context), negotiated, exchange))
  return andThen(answered, found => observe(exchange, found))
}

function observe({ view, request, notes, error }: Unrendered, rendered: RenderedResponse): RenderedResponse {
  const { status } = rendered
  view.observe?.({ request, viewName: view.name, user: notes.context?.user, status, error })
  return rendered
}

function findHandler(view: View, method: string): Handler {
  const handler = view.handlers.get(method)
  if (handler === undefined) throw new MethodNotAllowed(method)
  return handler
}
