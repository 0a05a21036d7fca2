// A view handles one URL: it has a handler per method, and policies that run before every handler. A view inherits from
// the API the policies that it does not set. The views of a resource are generated; a plain view is written by hand.

import type { FastifyRequest } from 'fastify'
import type { MaybePromise } from '../base/maybe-promise.ts'
import type { Database } from '../database/database.ts'
import type { OperationOptions } from '../describe/openapi-types.ts'
import type { ResourceNames } from '../errors/exceptions.ts'
import type { DeclaredFields } from '../fields/declared-fields.ts'
import type { Fields, RelationTarget } from '../fields/field.ts'
import type { ActionCalls, HandlerContext, ViewInfo } from '../http/context.ts'
import type { Envelope } from '../http/envelope/envelope.ts'
import type { ExceptionContext, ExceptionHandler } from '../http/errors/exception-handler.ts'
import type { FileSigner } from '../http/files/file-signer.ts'
import type { Caller, Identity } from '../http/identity.ts'
import type { FindTranslation } from '../http/languages/languages.ts'
import type { CompleteVersioning } from '../http/negotiation/versioning.ts'
import type { Renderer } from '../http/renderers/renderer.ts'
import type { ApiResponse, HeaderFields } from '../http/response.ts'
import type { PathMatch } from '../http/urls/routing.ts'
import type { TrailingSlash, UrlEnd } from '../http/urls/trailing-slash.ts'
import type { MessageText } from '../messages/english.ts'
import type { Scheme } from '../policy/authentication/scheme.ts'
import type { Policies } from '../policy/policies.ts'
import type { DescribeOperation } from './describe/described-operation.ts'
import type {
  BulkMetadata,
  FindRelatedOptions,
  Form,
  ListMetadata,
  MethodDescription,
  ObjectMetadata,
} from './metadata.ts'
import type { OfferedPageAction } from './page-action.ts'
import type { SiteApi } from './site-api.ts'
import type { ViewPage } from './view-page.ts'

/** The policies of a view. Its renderers receive the whole view. */
export type ViewPolicies<User extends Identity = Identity> = Policies<View, User>

/** Handles one method. Throws catalogued exceptions; any other error is a 500. */
export type Handler<User extends Identity = Identity> = (context: HandlerContext<User>) => MaybePromise<ApiResponse>

/** A handler with policies for its method alone. Authentication cannot vary per method. */
export interface MethodOptions<in User extends Identity = Identity>
  extends Partial<Omit<ViewPolicies<User>, 'authentication'>> {
  readonly handle: Handler<User>
  /** Added to the method's description in the OpenAPI document; false leaves the method out. */
  readonly openapi?: OperationOptions | false
}

/**
 * The event that the audit log records for successful requests: one for all methods, or one per method. Null: not
 * recorded.
 */
export type AuditEventOption = string | null | Readonly<Record<string, string | null>>

/** `refuse`: a body with a field that does not exist is 400, with an error at its name. `ignore`: such fields have no effect. */
export type UnknownFields = 'ignore' | 'refuse'

/** Whether the bytes of bodies are kept; `limit` is in bytes. */
export type RawBodyOption = boolean | { readonly limit: number }

/** The declaration of a view. `User` is the type of the API's callers; `Types` are the types of its methods, for clients. */
export interface ViewOptions<in User extends Identity = Identity, out Types = unknown>
  extends Partial<ViewPolicies<User>> {
  /** Exists only for the compiler. */
  readonly '~types'?: Types
  /** The name that people see. */
  readonly name: string
  /** The name that programs use, for example in metrics and in `pages` of `browsable()`; default: `name`. */
  readonly id?: string
  readonly description?: MessageText
  /**
   * Whether to respond even if no renderer satisfies `Accept` (RFC 9110 §12.5.1); by default, the response is 406.
   */
  readonly lenientAccept?: boolean
  /** Whether bodies may contain fields that do not exist. Default: the API's. */
  readonly unknownFields?: UnknownFields
  /**
   * True: permissions, hooks and handlers get the bytes of bodies as `rawBody`, which are read before the permissions are checked, up
   * to 4 MiB or `limit` bytes. Default: false.
   */
  readonly rawBody?: RawBodyOption
  /**
   * Header fields that handlers and hooks set with `setHeaders`, by name in lower case: `{ 'x-segment': text() }`. The OpenAPI document
   * describes them.
   */
  readonly responseHeaders?: DeclaredFields
  /** Header fields of every response, in lower case; they override those of the renderer. */
  readonly headers?: HeaderFields
  /** Handlers by method, in upper case. `GET` also handles `HEAD`; by default, `OPTIONS` describes the view. */
  readonly handlers: Readonly<Record<string, Handler<User> | MethodOptions<User>>>
  /** The resource to which the view belongs. */
  readonly resource?: ResourceNames
  /** The input fields of each method, for `OPTIONS` and the browsable pages. */
  readonly forms?: Readonly<Record<string, Form>>
  /** The last path segments of the views directly below this one. */
  readonly children?: readonly string[]
  /** The query and the response of each method, for `OPTIONS` and the browsable pages. */
  readonly descriptions?: Readonly<Record<string, MethodDescription>>
  /** What each method takes and returns, for the OpenAPI document; default: what the forms and descriptions say. */
  readonly operations?: Readonly<Record<string, DescribeOperation>>
  /** Added to the description of all methods in the OpenAPI document; false leaves the view out. */
  readonly openapi?: OperationOptions | false
  /** The names of the path parameters that the view reads; the path must contain them. */
  readonly pathParameters?: readonly string[]
  /** The list that this view shows, for `OPTIONS` and the browsable pages. */
  readonly listMetadata?: ListMetadata
  /** The object that this view shows, for the browsable pages. */
  readonly objectMetadata?: ObjectMetadata
  /** Whether responses depend on the language of the request, apart from the texts of errors and pages. */
  readonly usesLanguage?: boolean
  /** The requests with many objects that this view handles, for `OPTIONS`. */
  readonly bulk?: BulkMetadata
  /** The key in the response whose value names the object, for the title of its browsable page. */
  readonly objectName?: string
  /** The changes of its object that the browsable pages offer, by name; of a view below an object, its methods. */
  readonly pageActions?: Readonly<Record<string, OfferedPageAction>>
  /** The names around the objects and lists in bodies, for `OPTIONS` and the browsable pages. */
  readonly envelope?: Envelope
  /** The middle of its browsable pages; default: what shows the response. */
  readonly page?: ViewPage
  /** The event that the audit log records; default: an event named after the method. */
  readonly auditEvent?: AuditEventOption
}

/** A called create, update or destroy that is committed. */
export interface CommittedCall {
  readonly viewId: string
  /** As the view of the called action declares it. */
  readonly auditEvent: AuditEventOption | undefined
  /** The method of the request that would do the same: POST, PATCH or DELETE. */
  readonly method: string
  /**
   * The path of that request as clients see it. If the object has URLs only below parents, the path contains the parameters
   * of the parents.
   */
  readonly path: string
  /** Whether `recordChanges` has recorded the change. */
  readonly isRecorded: boolean
}

/** A response that is about to be sent: for logs and metrics. */
export interface Observation<out User extends Identity = Identity> {
  readonly request: FastifyRequest
  readonly viewId: string
  readonly viewName: string
  /** As the view declares it. */
  readonly auditEvent: AuditEventOption | undefined
  /** The caller; undefined if the request failed before or during authentication. */
  readonly user: User | undefined
  readonly status: number
  /** The thrown value; undefined if the handler responded. */
  readonly error: unknown
  /** The actions that handlers and hooks called, and that are committed. */
  readonly calls: readonly CommittedCall[]
  /** True: the stored response to an earlier request with the same `Idempotency-Key` was sent, and nothing was written. */
  readonly isReplay: boolean
  /** Whether `recordChanges` has recorded the changes that the request itself made. */
  readonly isRecorded: boolean
}

/** The settings that all views of an API share, in addition to policies. */
export interface ViewSettings {
  /** The caller when no scheme identifies one (AUTH-GEN-2). */
  readonly anonymous: Caller
  readonly exceptionHandler: ExceptionHandler
  /** Called for every response. */
  readonly observe: (observation: Observation) => MaybePromise<unknown>
  /** Finds the texts of errors in the caller's language; undefined if every text is the one in the code. */
  readonly findTranslation: FindTranslation | undefined
  readonly findLanguage: ViewInfo['findLanguage']
  /** The response when the exception handler returns none (ERR-EXC-r11). */
  readonly serverError: (context: ExceptionContext) => ApiResponse
  /** Whether the body of that response contains the cause. */
  readonly showCauses: boolean
  /** The query parameter that selects a renderer by its format; null if there is none. */
  readonly formatParam: string | null
  /** How requests choose the version of the API; a text: it has only this one. */
  readonly versioning: CompleteVersioning | string | undefined
  /** The key of validation errors that belong to no field (ERR-BODY-2). */
  readonly nonFieldErrorsKey: string
  /** Whether long responses are compressed. */
  readonly compresses: boolean
  /** Whether declared queries refuse unknown parameters. */
  readonly strict: boolean
  /** Whether bodies may contain fields that do not exist. */
  readonly unknownFields: UnknownFields
  /** Whether responses are compared with what their views declare. */
  readonly checksResponses: boolean
  /** Whether `OPTIONS` describes lists. */
  readonly describesLists: boolean
  /** Whether the URLs that respond end with a slash. */
  readonly trailingSlash: TrailingSlash
  /** The end of the URLs in links. */
  readonly urlEnd: UrlEnd
  /** The path of the API as clients see it, without a trailing slash. */
  readonly root: string
  /**
   * The prefix that the API is mounted at, without a trailing slash. It differs from `root` if a proxy strips part of
   * the path.
   */
  readonly prefix: string
  /** The URL of a related resource's list as clients see it: a path, or an absolute URL if its API has another public URL. */
  readonly findListUrl: (target: RelationTarget) => string
  /** Finds the objects to which the fields of forms and filters can refer. */
  readonly findRelatedOptions: FindRelatedOptions
  /** Signs the URLs of files; undefined if the API has no secret. */
  readonly fileSigner: FileSigner | undefined
  /** The API's database; undefined if it has none. */
  readonly database: Database | undefined
  /** See {@link ViewInfo}. */
  readonly connection: ViewInfo['connection']
  readonly clock: () => Date
  /** Runs actions of the API's resources. */
  readonly calls: ActionCalls
  /** Builds the URLs of resources and views. */
  readonly reverse: ViewInfo['reverse']
  /** Finds the view of this API with this path pattern, whatever the names of its parameters. */
  readonly findView: (path: string) => View | undefined
  /** Finds the view at a path below the prefix, which ends with a slash, and the parameters of the path. */
  readonly findMatch: (path: string) => PathMatch<View> | undefined
  /** All APIs of the server. */
  readonly listApis: () => readonly SiteApi<View>[]
  /**
   * The API's own renderers. They write bodies that the view's renderers cannot, such as errors of a view that returns
   * documents.
   */
  readonly apiRenderers: readonly Renderer<View>[]
  /** The API's own schemes. Pages identify the caller with them if the view has no schemes. */
  readonly apiAuthentication: readonly Scheme[]
  /** The public URL of the API for this request. Throws BadRequest if the host is not allowed. */
  readonly baseUrl: (request: FastifyRequest) => string
}

/** A complete view: created at start, the same for every request. */
export interface View extends ViewPolicies, ViewSettings, ViewInfo {
  readonly lenientAccept: boolean
  /** The header fields that handlers and hooks may set; undefined for none. */
  readonly responseHeaders: Fields | undefined
  /** The most bytes of a body that is read before the permissions are checked; undefined if none is. */
  readonly rawBodyLimit: number | undefined
  readonly resource: ResourceNames | undefined
  readonly handlers: ReadonlyMap<string, Handler>
  readonly forms: NonNullable<ViewOptions['forms']>
  readonly descriptions: NonNullable<ViewOptions['descriptions']>
  readonly operations: NonNullable<ViewOptions['operations']>
  /** What the application says about methods in the OpenAPI document; false: the document leaves the method out. */
  readonly openapi: ReadonlyMap<string, OperationOptions | false>
  readonly children: NonNullable<ViewOptions['children']>
  readonly listMetadata: ListMetadata | undefined
  readonly objectMetadata: ObjectMetadata | undefined
  readonly bulk: BulkMetadata | undefined
  readonly objectName: string | undefined
  readonly pageActions: NonNullable<ViewOptions['pageActions']>
  readonly page: ViewPage | undefined
  readonly envelope: Envelope | undefined
  readonly auditEvent: AuditEventOption | undefined
  /** The view with the policies of this method, for methods that have their own. */
  forMethod(method: string): View
  /** The gateway of its renderers; undefined if none of them has one. */
  readonly gateway: Renderer<View>['gateway']
  /** Header fields of every response of the view. */
  readonly headers: HeaderFields & { readonly allow: string; readonly vary: string }
  /** Header fields of every response that this renderer writes. */
  readonly headersFor: (renderer: Renderer<View>) => HeaderFields
}
