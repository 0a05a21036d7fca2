import type {
  Anonymous,
  ApiResponse,
  BaseUrlOptions,
  Caller,
  Database,
  DefaultSchemeOptions,
  DocumentOptions,
  Envelope,
  ExceptionContext,
  ExceptionHandler,
  Identity,
  LanguageOptions,
  MaybePromise,
  Observation,
  OwnedMigrations,
  Paginator,
  ParameterNames,
  PutOption,
  RecordChanges,
  Resource,
  ResourceTypes,
  Scheme,
  Secret,
  TrailingSlash,
  UnknownFields,
  Versioning,
  ViewOptions,
  ViewPolicies,
} from '#core'

/** The options of an API whose callers are of the type `User`. Policies set here are the defaults of its views. */
export interface ApiOptions<User extends Identity = Identity>
  extends Partial<ViewPolicies<User>>,
    Omit<BaseUrlOptions, 'prefix'>,
    LanguageOptions {
  /**
   * The name by which relations of other APIs refer to this API, if a resource belongs to several:
   * `{ ...customers, api: 'crm' }`. Default: the path at which the API is mounted, such as `/crm/`.
   */
  readonly name?: string
  /**
   * The heading of the API's resources on HTML pages; default: the last part of its prefix, such as `Shop` for `/shop`, or `API`.
   * Null: the pages of the server do not list its resources.
   */
  readonly title?: string | null
  /**
   * Whether the pages are for staff who work with the data: their section of the rail is the first, and the request of a page is closed
   * until somebody opens it. Default: false.
   */
  readonly isAdministration?: boolean
  readonly authentication?: readonly Scheme<User>[]
  /** Required if there are resources. Relations between APIs need the same database in both. */
  readonly database?: Database
  /** Checked when Fastify becomes ready: the start fails if the database has not applied these steps. */
  readonly migrations?: readonly OwnedMigrations[]
  readonly resources?: readonly Resource<string, ResourceTypes, User>[]
  /**
   * Whether URLs end with a slash; default true. A URL in the other form is redirected (301, or 308 if the request may have a
   * body). `both`: URLs in both forms respond, and links have no slash.
   */
  readonly trailingSlash?: TrailingSlash
  /**
   * Views in addition to the resources, by path: `{ '/api-token-auth/': tokenEndpoint }`. Unless `trailingSlash` is true, a path may
   * omit the last slash.
   */
  readonly views?: Readonly<Record<string, ViewOptions<User>>>
  /** The view at the API's own URL; default: the resources' URLs by name. Null for none. */
  readonly root?: ViewOptions<User> | null
  /** The names around objects and lists in the bodies of resources; default: none. */
  readonly envelope?: Envelope
  /** Whether a PUT must contain all required fields (`whole`, the default), or keeps those that its body lacks (`partial`). */
  readonly put?: PutOption
  /** The paginator of lists; default: lists are not paginated (LIM-PAG-p1). */
  readonly pagination?: Paginator
  /** The page size of paginators that set none (LIM-PAG-r1). */
  readonly pageSize?: number
  /**
   * The maximum number of rows that a request writes: its items, their children and the children of these, the keys in relations to
   * many, and what the removal of children deletes or changes. Beyond it, the response is 400. Default 10,000.
   */
  readonly rowsPerRequest?: number
  /**
   * Signs values that clients send back, such as cursors; 32 characters or more, the same in all processes of a
   * service. In a list of secrets, the first signs, and all are accepted.
   */
  readonly secret?: Secret
  /**
   * If `authentication` is not set, callers authenticate with these accounts, by session or basic authentication
   * (AUTH-GEN-3). An empty list in `authentication` means no schemes.
   */
  readonly accounts?: DefaultSchemeOptions<User>
  /** The caller when no scheme identifies one (AUTH-GEN-2); required if the default is not a `User`. */
  readonly anonymous?: Caller<User>
  readonly exceptionHandler?: ExceptionHandler
  /**
   * Called for every response, for logs and metrics. The response waits for a returned promise. Must neither throw nor reject.
   */
  readonly observe?: (observation: Observation<User>) => MaybePromise<unknown>
  /**
   * Records what writes change in objects, in their transactions: those of the actions of resources, of requests with many
   * objects, of children and of called actions. A resource with `auditEvent: null` is left out.
   */
  readonly recordChanges?: RecordChanges
  /** The response when the exception handler returns none (ERR-BODY-3). */
  readonly serverError?: (context: ExceptionContext) => ApiResponse
  /**
   * Whether the response to an unhandled exception contains its `cause`: message, stack and causes, without the values
   * that the client sent. For development only, because stacks and messages reveal the code and the database; an error
   * if NODE_ENV is `production`. Default false.
   */
  readonly showCauses?: boolean
  /**
   * Whether a response that does not match what its view declares becomes a 500, with the differences as its cause. For tests
   * and development. Default: the value of `showCauses`.
   */
  readonly checkResponses?: boolean
  /** Default `non_field_errors` (ERR-BODY-2). */
  readonly nonFieldErrorsKey?: string
  /** The query parameter that overrides `Accept`; default `format`; null disables it. */
  readonly formatParam?: string | null
  /**
   * The versions of the API, and how requests choose one; the code reads it as `context.version`. Default: the API has no versions.
   */
  readonly versioning?: Versioning
  /**
   * The names of the query parameters that search and order lists, and choose what responses show:
   * `{ search: 'q', ordering: 'sort' }`. A resource may replace single ones. Default: those of Django REST framework.
   */
  readonly parameters?: ParameterNames
  /** Whether lists, and views with a declared query, refuse unknown parameters with 400; default false: they are ignored, as in Django REST framework. */
  readonly strict?: boolean
  /** Whether bodies may contain fields that do not exist: `refuse` is 400. Default: `ignore`, as in Django REST framework. */
  readonly unknownFields?: UnknownFields
  /** Whether `OPTIONS` of a list names its search, filters, ordering and pagination; default true. */
  readonly describesLists?: boolean
  /** Whether `resource-api check` names indexes that the lists want; default true. */
  readonly suggestsIndexes?: boolean
  /**
   * True: creates, and views of resources with `idempotent: true`, support the header `Idempotency-Key`. The database needs
   * `idempotencyMigrations`. Default: false.
   */
  readonly idempotencyKeys?: boolean
  /**
   * True: long objects and lists in JSON are compressed for callers who accept it, unless a browser sends the credentials of
   * the request by itself. Default: false.
   */
  readonly compression?: boolean
  /**
   * The OpenAPI document at `openapi.json` and `openapi.yaml` below the URL of the API, which also contains the APIs that are
   * mounted below it. False: the API has none.
   */
  readonly openapi?: DocumentOptions | false
  readonly clock?: () => Date
}

/** The callers whom schemes identify. */
export type UserOf<Schemes extends readonly Scheme[]> = Schemes[number] extends infer S
  ? S extends Scheme<infer User>
    ? User
    : never
  : never

/** Makes the option `anonymous` required if the default anonymous caller is not a `User`. */
export type AnonymousOption<User extends Identity> = Anonymous extends User
  ? unknown
  : { readonly anonymous: Caller<User> }
