// A view is what a URL does: a handler per method, and the policies that stand before every handler.
// Policies that a view does not name are the API's. Resources become views; a plain view is written by hand.

import type { FastifyRequest } from 'fastify'
import type { Answer } from './answer.ts'
import { type Caller, type Refusal, refusalBy, type Scheme } from './authentication/scheme.ts'
import type { ExceptionHandler } from './errors/exception-handler.ts'
import type { Input, Parser } from './parsers/parser.ts'
import type { Permission } from './permissions/permission.ts'
import type { Renderer } from './renderers/renderer.ts'
import type { Throttle } from './throttling/throttle.ts'

/** One request on its way through a view, once its caller is known. */
export interface Context extends Caller {
  readonly request: FastifyRequest
  readonly view: View
  /** Where the API is mounted, as the client sees it: origin and prefix, without a trailing slash. */
  readonly baseUrl: string
}

/** What a handler gets: the context, and the body that the parsers read. */
export interface Call extends Context {
  readonly input: Input
}

/** Does the work of one method. Throws catalogued exceptions; everything else is a 500. */
export type Handler = (call: Call) => Answer | Promise<Answer>

/** The policies of an API, each replaceable by a view. */
export interface Policies {
  readonly authentication: readonly Scheme[]
  readonly permissions: readonly Permission[]
  readonly throttles: readonly Throttle[]
  readonly parsers: readonly Parser[]
  readonly renderers: readonly Renderer[]
}

/** A view as it is declared. */
export interface ViewOptions extends Partial<Policies> {
  readonly name: string
  readonly description?: string
  /** Is a request answered even where nothing satisfies its `Accept` (RFC 9110 §12.5.1)? Default: no, that is 406. */
  readonly lenientAccept?: boolean
  /** By method, upper case. `HEAD` follows from `GET`; `OPTIONS` describes the view unless given. */
  readonly handlers: Readonly<Record<string, Handler>>
}

/** What every view of an API shares beside its policies. */
export interface ViewSettings {
  /** Identity and authentication information of a caller whom no scheme identified (AUTH-GEN-2). */
  readonly anonymous: Caller
  readonly exceptionHandler: ExceptionHandler
  /** The answer when the exception handler has none (ERR-EXC-r11). */
  readonly serverError: () => Answer
  /** The key of validation errors that belong to no field (ERR-BODY-2). */
  readonly nonFieldErrorsKey: string
  /** The public address of the request: throws BadRequest for a host that is not allowed. */
  readonly baseUrl: (request: FastifyRequest) => string
}

/** A view with nothing left open: made at start, the same for every request. */
export interface View extends Policies, ViewSettings {
  readonly name: string
  readonly description: string
  readonly lenientAccept: boolean
  readonly handlers: ReadonlyMap<string, Handler>
  readonly refusal: Refusal
  /** Header fields of every answer. */
  readonly headers: { readonly allow: string; readonly vary: string }
}

/** Completes a declared view with the API's policies and settings. */
export function createView(options: ViewOptions, policies: Policies, settings: ViewSettings): View {
  const authentication = options.authentication ?? policies.authentication
  const handlers = completeHandlers(options.handlers)
  return Object.freeze({
    ...settings,
    name: options.name,
    description: options.description ?? '',
    lenientAccept: options.lenientAccept ?? false,
    handlers,
    authentication,
    permissions: options.permissions ?? policies.permissions,
    throttles: options.throttles ?? policies.throttles,
    parsers: options.parsers ?? policies.parsers,
    renderers: options.renderers ?? policies.renderers,
    refusal: refusalBy(authentication),
    headers: Object.freeze({
      allow: [...handlers.keys()].join(', '),
      vary: ['accept', ...new Set(authentication.flatMap(scheme => scheme.reads))].map(capitalize).join(', '),
    }),
  })
}

function completeHandlers(handlers: Readonly<Record<string, Handler>>): ReadonlyMap<string, Handler> {
  const complete = new Map(Object.entries(handlers))
  const get = complete.get('GET')
  if (get !== undefined && !complete.has('HEAD')) complete.set('HEAD', get)
  if (!complete.has('OPTIONS')) complete.set('OPTIONS', describeView)
  return complete
}

const describeView: Handler = ({ view }) => ({
  status: 200,
  content: {
    name: view.name,
    description: view.description,
    renders: view.renderers.map(renderer => renderer.mediaType),
    parses: view.parsers.map(parser => parser.mediaType),
  },
})

function capitalize(field: string): string {
  return field.replace(/(?:^|-)[a-z]/g, letter => letter.toUpperCase())
}
