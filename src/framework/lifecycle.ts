// READ FIRST: one request from its arrival at a view to its answer, in order. Each phase is a function of one folder:
// it takes values and returns a value, or throws a catalogued exception. The order is that of the specification:
// nothing runs before authentication (SVC-1), and the body is read only once the checks have passed.

import type { FastifyRequest } from 'fastify'
import type { Answer, HeaderFields } from './answer.ts'
import { authenticate } from './authentication/scheme.ts'
import { obeyScheme } from './errors/exception-handler.ts'
import { MethodNotAllowed } from './errors/exceptions.ts'
import { type Negotiated, negotiate, negotiateError, negotiateOther } from './negotiation/negotiate.ts'
import { parseBody } from './parsers/parser.ts'
import { checkPermissions } from './permissions/permission.ts'
import { checkThrottles } from './throttling/throttle.ts'
import type { Handler, Notes, View } from './view.ts'

/** An answer as it goes to the client. */
export interface Rendered {
  readonly status: number
  readonly headers: HeaderFields
  readonly body: string | NodeJS.ReadableStream | undefined
}

/** A request that matched this view becomes an answer; never throws. */
export async function respond(matched: View, request: FastifyRequest): Promise<Rendered> {
  const { method } = request
  const view = matched.forMethod(method)
  const notes = createNotes()
  try {
    const baseUrl = view.baseUrl(request) //                                                   400 for a foreign host
    const { user, auth, confirm } = await authenticate(request, view, baseUrl) //              401, 403
    const context = { request, view, method, baseUrl, user, auth, notes }
    notes.context = context
    await checkPermissions(context) //                                                         401, 403
    await checkThrottles(context) //                                                           429
    const negotiated = negotiate(request, view) //                                             404, 406
    const handler = findHandler(view, method) //                                               405
    const input = await parseBody(request, view.parsers) //                                    400, 413, 415
    notes.input = input
    await confirm?.(input) //                                                                  403
    const answer = await handler({ ...context, input }) //                                     400, 403, 404
    return observe(view, request, notes, await render(view, request, notes, answer, negotiated))
  } catch (error) {
    return respondToError(view, request, error, notes)
  }
}

/** Whatever was thrown becomes an answer, in the best format that will do (ERR-BODY-3). */
export async function respondToError(
  view: View,
  request: FastifyRequest,
  error: unknown,
  notes: Notes,
): Promise<Rendered> {
  const { refusal, nonFieldErrorsKey, name: viewName } = view
  const negotiated = negotiateError(request, view)
  const context = { request, viewName, refusal, nonFieldErrorsKey, problem: negotiated.problem }
  const send = async (answer: Answer) =>
    observe(view, request, notes, await render(view, request, notes, answer, negotiated, error), error)
  try {
    const answer = await view.exceptionHandler(error, context)
    if (answer !== undefined) return await send(obeyScheme(answer, refusal))
    request.log.error({ err: error }, 'unhandled exception')
  } catch (raised) {
    request.log.error({ err: raised }, 'the exception handler failed')
  }
  return send(view.serverError(context))
}

function observe(
  view: View,
  request: FastifyRequest,
  { context }: Notes,
  rendered: Rendered,
  error?: unknown,
): Rendered {
  view.observe?.({ request, viewName: view.name, user: context?.user, status: rendered.status, error })
  return rendered
}

/** For a request of which nothing is known yet. */
export const createNotes = (): Notes => ({ context: undefined, input: undefined, headers: {} })

function findHandler(view: View, method: string): Handler {
  const handler = view.handlers.get(method)
  if (handler === undefined) throw new MethodNotAllowed(method)
  return handler
}

function render(
  view: View,
  request: FastifyRequest,
  notes: Notes,
  answer: Answer,
  negotiated: Negotiated,
  error?: unknown,
): Rendered | Promise<Rendered> {
  const { status, content } = answer
  const fields = { ...view.headers, ...notes.headers }
  if (content === undefined) return { status, headers: { ...fields, ...answer.headers }, body: undefined }
  const { renderer: writer, parameters } = negotiated.renderer.takes(content)
    ? negotiated
    : negotiateOther(request, view, content)
  const headers = { ...fields, ...writer.headers, 'content-type': writer.contentType, ...answer.headers }
  const body = writer.render(content, parameters, { view, request, notes, status, headers, error })
  return body instanceof Promise
    ? body.then(ready => ({ status, headers: withCookies(headers, notes), body: ready }))
    : { status, headers, body }
}

// A page may set the cookie of its forms.
const withCookies = (headers: HeaderFields, { headers: noted }: Notes): HeaderFields =>
  noted['set-cookie'] === undefined ? headers : { ...headers, 'set-cookie': noted['set-cookie'] }
