// A view is what a URL does: a handler per method, and the policies that stand before every handler.
// Policies that a view does not name are the API's. Resources become views; a plain view is written by hand.

import type { FastifyRequest } from 'fastify'
import type { Caller, Identity } from './authentication/identity.ts'
import type { HandlerContext, ViewInfo } from './context.ts'
import type { ExceptionContext, ExceptionHandler } from './errors/exception-handler.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { Form, ListMetadata } from './metadata.ts'
import type { Policies } from './policies.ts'
import type { Renderer } from './renderers/renderer.ts'
import type { ApiResponse, HeaderFields } from './response.ts'

/** Policies of a view; renderers know the whole of it. */
export type ViewPolicies = Policies<View>

/** Does the work of one method. Throws catalogued exceptions; everything else is a 500. */
export type Handler = (context: HandlerContext) => MaybePromise<ApiResponse>

/** A handler whose method has policies of its own. Authentication cannot vary per method. */
export interface MethodOptions extends Partial<Omit<ViewPolicies, 'authentication'>> {
  readonly handle: Handler
}

/** The audit log's name for requests that succeed: one for all methods, or one per method. Null: not worth an entry. */
export type AuditedAs = string | null | Readonly<Record<string, string | null>>

/** A view as it is declared. */
export interface ViewOptions extends Partial<ViewPolicies> {
  /** For people. */
  readonly name: string
  /** For programs, such as metrics and `pages` of `browsable()`; default: the name. */
  readonly id?: string
  readonly description?: string
  /** Is a request answered even where nothing satisfies its `Accept` (RFC 9110 §12.5.1)? Default: no, that is 406. */
  readonly lenientAccept?: boolean
  /** Header fields of every response, lower case; they replace those of the renderer. */
  readonly headers?: HeaderFields
  /** By method, upper case. `HEAD` follows from `GET`; `OPTIONS` describes the view unless given. */
  readonly handlers: Readonly<Record<string, Handler | MethodOptions>>
  /** What methods take, for `OPTIONS` and for the browsable pages. */
  readonly forms?: Readonly<Record<string, Form>>
  /** The last parts of the paths of views right below this one. */
  readonly children?: readonly string[]
  /** What it lists, for the browsable pages. */
  readonly listMetadata?: ListMetadata
  /** The key of its response that names what it shows, for the browsable pages. */
  readonly objectName?: string
  /** Default: an event named after the method. */
  readonly auditEvent?: AuditedAs
}

/** A response is on its way: for logs and metrics. */
export interface Observation {
  readonly request: FastifyRequest
  readonly viewId: string
  readonly viewName: string
  /** As the view declares it. */
  readonly auditEvent: AuditedAs | undefined
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
  /** Told of every response. */
  readonly observe: ((observation: Observation) => void) | undefined
  /** The response when the exception handler has none (ERR-EXC-r11). */
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
  readonly otherRenderers: readonly Renderer<View>[]
  /** The public address of the request: throws BadRequest for a host that is not allowed. */
  readonly baseUrl: (request: FastifyRequest) => string
}

/** A view with nothing left open: made at start, the same for every request. */
export interface View extends ViewPolicies, ViewSettings, ViewInfo {
  readonly lenientAccept: boolean
  readonly handlers: ReadonlyMap<string, Handler>
  readonly forms: NonNullable<ViewOptions['forms']>
  readonly children: NonNullable<ViewOptions['children']>
  readonly listMetadata: ListMetadata | undefined
  readonly objectName: string | undefined
  readonly auditEvent: AuditedAs | undefined
  /** The view as a request with this method meets it: some methods have policies of their own. */
  forMethod(method: string): View
  /** Header fields of every response. */
  readonly headers: HeaderFields & { readonly allow: string; readonly vary: string }
  /** Header fields of every response that this renderer writes. */
  readonly headersWith: (renderer: Renderer<View>) => HeaderFields
}
