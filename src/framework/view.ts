// A view is what a URL does: a handler per method, and the policies that stand before every handler.
// Policies that a view does not name are the API's. Resources become views; a plain view is written by hand.

import type { FastifyRequest } from 'fastify'
import type { Identity } from './authentication/identity.ts'
import { type Caller, type Refusal, refusalBy, type Scheme } from './authentication/scheme.ts'
import type { ExceptionContext, ExceptionHandler } from './errors/exception-handler.ts'
import type { MaybePromise } from './maybe-promise.ts'
import { describeView, type Form, type ListMetadata } from './metadata.ts'
import type { Parser, RequestBody } from './parsers/parser.ts'
import type { Permission } from './permissions/permission.ts'
import type { Renderer } from './renderers/renderer.ts'
import type { ApiResponse, HeaderFields } from './response.ts'
import type { Throttle } from './throttling/throttle.ts'

/** One request on its way through a view, once its caller is known. */
export interface RequestContext extends Caller {
  readonly request: FastifyRequest
  readonly view: View
  /** What is to be done, upper case: the request's method, or another one where it is asked whether it may be done. */
  readonly method: string
  /** Where the API is mounted, as the client sees it: origin and prefix, without a trailing slash. */
  readonly baseUrl: string
  readonly notes: Notes
}

/** What the phases of one request note for its answer, whatever that will be. */
export interface Notes {
  /** Once the caller is known. */
  context: RequestContext | undefined
  /** Once the body has been read. */
  input: RequestBody | undefined
  /** Header fields of the answer, lower case; its own come on top. */
  readonly headers: Record<string, string | string[]>
}

/** For a request of which nothing is known yet. */
export const createNotes = (): Notes => ({ context: undefined, input: undefined, headers: {} })

/** What a handler gets: the context, and the body that the parsers read. */
export interface HandlerContext extends RequestContext {
  readonly body: RequestBody
}

/** Does the work of one method. Throws catalogued exceptions; everything else is a 500. */
export type Handler = (context: HandlerContext) => MaybePromise<ApiResponse>

/** A handler whose method has policies of its own. Who the caller is, is the same for the whole view. */
export interface MethodOptions extends Partial<Omit<Policies, 'authentication'>> {
  readonly handle: Handler
}

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
  readonly handlers: Readonly<Record<string, Handler | MethodOptions>>
  /** What methods take, for `OPTIONS` and for the browsable pages. */
  readonly forms?: Readonly<Record<string, Form>>
  /** The last parts of the paths of views right below this one. */
  readonly children?: readonly string[]
  /** What it lists, for the browsable pages. */
  readonly listMetadata?: ListMetadata
  /** The key of its answer that names what it shows, for the browsable pages. */
  readonly objectName?: string
}

/** An answer is on its way: for logs and metrics. */
export interface Observation {
  readonly request: FastifyRequest
  readonly viewName: string
  /** The caller; undefined where the request ended before that was known. */
  readonly user: Identity | undefined
  readonly status: number
  /** What was thrown; undefined where the view answered. */
  readonly error: unknown
}

/** What every view of an API shares beside its policies. */
export interface ViewSettings {
  /** Identity and authentication information of a caller whom no scheme identified (AUTH-GEN-2). */
  readonly anonymous: Caller
  readonly exceptionHandler: ExceptionHandler
  /** Told of every answer. */
  readonly observe: ((observation: Observation) => void) | undefined
  /** The answer when the exception handler has none (ERR-EXC-r11). */
  readonly serverError: (context: ExceptionContext) => ApiResponse
  /** The query parameter that names a renderer's format; null for none. */
  readonly formatParam: string | null
  /** The key of validation errors that belong to no field (ERR-BODY-2). */
  readonly nonFieldErrorsKey: string
  /** The path of the API as clients see it, without a trailing slash. */
  readonly root: string
  /** The path that the API is mounted at here, without a trailing slash: a proxy may have taken off the rest. */
  readonly prefix: string
  /** The view of this API whose path has this pattern. */
  readonly viewAt: (path: string) => View | undefined
  /** The API's own renderers, for what those of the view do not write, such as errors of a view of documents. */
  readonly otherRenderers: readonly Renderer[]
  /** The public address of the request: throws BadRequest for a host that is not allowed. */
  readonly baseUrl: (request: FastifyRequest) => string
}

/** A view with nothing left open: made at start, the same for every request. */
export interface View extends Policies, ViewSettings {
  readonly name: string
  /** The pattern of its path, below the API's. */
  readonly path: string
  readonly description: string
  readonly lenientAccept: boolean
  readonly handlers: ReadonlyMap<string, Handler>
  readonly forms: NonNullable<ViewOptions['forms']>
  readonly children: NonNullable<ViewOptions['children']>
  readonly listMetadata: ListMetadata | undefined
  readonly objectName: string | undefined
  /** The view as a request with this method meets it: some methods have policies of their own. */
  forMethod(method: string): View
  readonly refusal: Refusal
  /** Header fields of every answer. */
  readonly headers: { readonly allow: string; readonly vary: string }
  /** Header fields of every answer that this renderer writes. */
  readonly fieldsOf: (renderer: Renderer) => HeaderFields
}

/** Completes a declared view with the API's policies and settings. */
export function createView(path: string, options: ViewOptions, policies: Policies, settings: ViewSettings): View {
  const authentication = options.authentication ?? policies.authentication
  const methods = completeMethods(options.handlers)
  const perMethod = new Map<string, View>()
  const headers = Object.freeze({
    allow: [...methods.keys()].join(', '),
    vary: ['accept', ...new Set(authentication.flatMap(scheme => scheme.varyOn))].map(capitalize).join(', '),
  })
  const view: View = Object.freeze({
    ...settings,
    name: options.name,
    path,
    description: options.description ?? '',
    lenientAccept: options.lenientAccept ?? false,
    handlers: new Map([...methods].map(([method, { handle }]) => [method, handle])),
    forms: options.forms ?? {},
    children: options.children ?? [],
    listMetadata: options.listMetadata,
    objectName: options.objectName,
    forMethod: (method: string): View => perMethod.get(method) ?? view,
    authentication,
    ...completePolicies(options, policies),
    refusal: refusalBy(authentication),
    headers,
    fieldsOf: fieldsWith(headers),
  })
  for (const [method, { handle: _, ...own }] of methods) {
    if (Object.keys(own).length > 0) perMethod.set(method, Object.freeze({ ...view, ...completePolicies(own, view) }))
  }
  return view
}

function completeMethods(handlers: ViewOptions['handlers']): ReadonlyMap<string, MethodOptions> {
  const methods = new Map(
    Object.entries(handlers).map(([method, given]) => [
      method,
      typeof given === 'function' ? { handle: given } : given,
    ]),
  )
  const get = methods.get('GET')
  if (get !== undefined && !methods.has('HEAD')) methods.set('HEAD', get)
  if (!methods.has('OPTIONS')) methods.set('OPTIONS', { handle: describeView })
  return methods
}

function completePolicies(own: Partial<Policies>, policies: Policies): Omit<Policies, 'authentication'> {
  return {
    permissions: own.permissions ?? policies.permissions,
    throttles: own.throttles ?? policies.throttles,
    parsers: own.parsers ?? policies.parsers,
    renderers: own.renderers ?? policies.renderers,
  }
}

// Each renderer's are joined once.
function fieldsWith(headers: HeaderFields): View['fieldsOf'] {
  const known = new Map<Renderer, HeaderFields>()
  return renderer => {
    const before = known.get(renderer)
    if (before !== undefined) return before
    const fields = { ...headers, ...renderer.headers, 'content-type': renderer.contentType }
    known.set(renderer, fields)
    return fields
  }
}

function capitalize(field: string): string {
  return field.replace(/(?:^|-)[a-z]/g, letter => letter.toUpperCase())
}
