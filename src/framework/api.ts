// Creates an API as a Fastify plugin: its resources and views become routes, so it mounts in an existing application
// under any prefix. Invalid declarations are reported here, at start. SQL that few requests need is compiled on
// first use (decision 031).

import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { type DefaultSchemeOptions, defaultSchemes } from './authentication/default-schemes.ts'
import { type Anonymous, anonymous, type Caller, type Identity } from './authentication/identity.ts'
import type { Scheme } from './authentication/scheme.ts'
import { checkDefaults, checkOptions } from './check-options.ts'
import { createView } from './create-view.ts'
import type { Database } from './database/database.ts'
import type { OwnedMigrations } from './database/migrations.ts'
import {
  cachingExceptionHandler,
  type ExceptionContext,
  type ExceptionHandler,
  serverError,
} from './errors/exception-handler.ts'
import { NotFound } from './errors/exceptions.ts'
import { handleFrameworkErrors } from './fastify-options.ts'
import { checkMessages } from './messages/check-messages.ts'
import { createFindTranslation, type LanguageOptions } from './messages/languages.ts'
import { mountAsset, mountCatchAll, mountView, sendError } from './mount.ts'
import { createObserver } from './observers.ts'
import { checkOptionNames, type OptionNames } from './option-names.ts'
import type { Paginator } from './pagination/paginator.ts'
import { formParser } from './parsers/form.ts'
import { jsonParser } from './parsers/json.ts'
import { multipartParser } from './parsers/multipart.ts'
import { allowAny } from './permissions/built-in-permissions.ts'
import { jsonRenderer } from './renderers/json.ts'
import type { Asset } from './renderers/renderer.ts'
import { type JoinedApi, joinApplication } from './resources/application.ts'
import { type BoundResource, bindResource } from './resources/bound-resource.ts'
import { createApiCalls } from './resources/called-api.ts'
import { addContextApi } from './resources/create-context.ts'
import { type MountedApi, toBaseUrl } from './resources/mounted-api.ts'
import { createPageCache, type PageCache } from './resources/page-cache.ts'
import type { ResourceTypes } from './resources/representation.ts'
import { resolveNames } from './resources/resolve-names.ts'
import type { Resource } from './resources/resource.ts'
import { createResourceRoutes, type Route } from './resources/routes.ts'
import { checkMigrationsWhenReady, checkWhenReady } from './resources/start-checks.ts'
import type { ApiResponse } from './response.ts'
import type { Secret } from './secret.ts'
import { type BaseUrlOptions, createBaseUrl } from './urls/base-url.ts'
import { declareMethods } from './urls/routing.ts'
import type { Observation, View, ViewOptions, ViewPolicies, ViewSettings } from './view.ts'

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
  readonly authentication?: readonly Scheme<User>[]
  /** Required if there are resources. Relations between APIs need the same database in both. */
  readonly database?: Database
  /** Checked when Fastify becomes ready: the start fails if the database has not applied these steps. */
  readonly migrations?: readonly OwnedMigrations[]
  readonly resources?: readonly Resource<string, ResourceTypes, User>[]
  /** Views in addition to the resources, by path: `{ '/api-token-auth/': tokenEndpoint }`. */
  readonly views?: Readonly<Record<string, ViewOptions<User>>>
  /** The view at the API's own URL; default: the resources' URLs by name. Null for none. */
  readonly root?: ViewOptions<User> | null
  /** The paginator of lists; default: lists are not paginated (LIM-PAG-p1). */
  readonly pagination?: Paginator
  /** The page size of paginators that set none (LIM-PAG-r1). */
  readonly pageSize?: number
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
  /** Called for every response, for logs and metrics. Must not throw. */
  readonly observe?: (observation: Observation<User>) => void
  /** The response when the exception handler returns none (ERR-BODY-3). */
  readonly serverError?: (context: ExceptionContext) => ApiResponse
  /**
   * Whether the response to an unhandled exception contains its `cause`: message, stack and causes, without the values
   * that the client sent. For development only, because stacks and messages reveal the code and the database; an error
   * if NODE_ENV is `production`. Default false.
   */
  readonly showCauses?: boolean
  /** Default `non_field_errors` (ERR-BODY-2). */
  readonly nonFieldErrorsKey?: string
  /** The query parameter that overrides `Accept`; default `format`; null disables it. */
  readonly formatParam?: string | null
  /** Whether lists refuse unknown parameters with 400; default false: they are ignored, as in Django REST framework. */
  readonly strict?: boolean
  readonly clock?: () => Date
}

/** Makes the option `anonymous` required if the default anonymous caller is not a `User`. */
export type AnonymousOption<User extends Identity> = Anonymous extends User
  ? unknown
  : { readonly anonymous: Caller<User> }

/**
 * Creates the plugin. Throws if the options are invalid; a declaration that is checked later makes `register` fail.
 *
 * `User` is the application's own user type, if its policies or hooks use more than an {@link Identity}. Because no scheme
 * identifies an anonymous caller, either name it in the type (`createApi<Member | Anonymous>`) or give one with the
 * option `anonymous`.
 *
 * @example
 * createApi<Member | Anonymous>({ authentication: [memberScheme], resources: [notes], database })
 */
export function createApi<User extends Identity = Identity>(
  options: ApiOptions<NoInfer<User>> & AnonymousOption<User>,
): FastifyPluginAsync {
  // The type of the options ensures that only callers of the type User reach these policies and hooks (decision 045).
  return createPlugin(options as unknown as ApiOptions)
}

const optionNames: OptionNames<ApiOptions> = {
  authentication: true,
  permissions: true,
  throttles: true,
  parsers: true,
  renderers: true,
  publicUrl: true,
  allowedHosts: true,
  name: true,
  database: true,
  migrations: true,
  resources: true,
  views: true,
  root: true,
  pagination: true,
  pageSize: true,
  secret: true,
  accounts: true,
  anonymous: true,
  exceptionHandler: true,
  observe: true,
  serverError: true,
  messages: true,
  languages: true,
  catalogues: true,
  showCauses: true,
  nonFieldErrorsKey: true,
  formatParam: true,
  strict: true,
  clock: true,
}

function createPlugin(declared: ApiOptions): FastifyPluginAsync {
  checkOptionNames('createApi()', declared, optionNames)
  const options = { ...declared, ...(declared.resources && { resources: resolveNames(declared.resources) }) }
  checkOptions(options)
  checkMessages(options)
  return async fastify => {
    await checkDefaults(options.resources ?? [])
    const prefix = fastify.prefix.replace(/\/$/, '')
    const policies = completePolicies(options)
    const views = new Map<string, View>()
    const joined = joinApplication(fastify, {
      name: options.name ?? `${prefix}/`,
      prefix,
      publicUrl: options.publicUrl?.replace(/\/+$/, ''),
      database: options.database,
      resources: options.resources ?? [],
      permissions: policies.permissions,
    })
    const pageCache = createPageCache(options.database ?? {})
    const boundResources = (options.resources ?? []).map(resource =>
      bind(resource, options, policies, { ...joined, pageCache }),
    )
    const findView = createViewFinder(views)
    const settings: ViewSettings = {
      ...viewSettings(options, joined.api),
      observe: createObserver(fastify.server, options.observe),
      apiRenderers: policies.renderers,
      findView,
      calls: createApiCalls({
        ...joined,
        boundResources,
        findView,
        createView: (path, view) => createView(path, view, policies, settings),
      }),
    }
    const routes = createRoutes(options, boundResources)
    checkMigrationsWhenReady(fastify, options)
    checkWhenReady(fastify, boundResources)
    declareMethods(fastify)
    for (const { path, view } of routes) {
      const created = createView(path, view, policies, settings)
      views.set(path, created)
      mountView(fastify, created)
    }
    for (const asset of listAssets(policies, routes)) mountAsset(fastify, asset)
    const commandView = createView('/', { name: 'Command', handlers: {} }, policies, settings)
    addContextApi(fastify, { ...joined.api, view: commandView })
    const notFoundView = createView('/*', notFoundOptions, policies, settings)
    mountCatchAll(fastify, views, notFoundView)
    const handleError = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
      void sendError(notFoundView, error, request, reply)
    fastify.setErrorHandler(handleError)
    handleFrameworkErrors(fastify.server, prefix, handleError)
  }
}

const createViewFinder =
  (views: ReadonlyMap<string, View>): View['findView'] =>
  path =>
    views.get(path)

function viewSettings(
  options: ApiOptions,
  api: MountedApi,
): Omit<ViewSettings, 'findView' | 'apiRenderers' | 'observe' | 'calls'> {
  const { prefix } = api
  const root = (URL.parse(options.publicUrl ?? '')?.pathname.replace(/\/+$/, '') ?? '') + prefix
  return {
    anonymous: options.anonymous ?? { user: anonymous, auth: null },
    exceptionHandler: options.exceptionHandler ?? cachingExceptionHandler,
    serverError: options.serverError ?? serverError,
    findTranslation: createFindTranslation(options),
    showCauses: options.showCauses ?? false,
    nonFieldErrorsKey: options.nonFieldErrorsKey ?? 'non_field_errors',
    formatParam: readFormatParam(options),
    root,
    prefix,
    findListUrl: target => `${toBaseUrl(api.findApi(target), api, root)}/${target.name}/`,
    baseUrl: createBaseUrl({ ...options, prefix }),
  }
}

const readFormatParam = ({ formatParam = 'format' }: ApiOptions): string | null => formatParam

function completePolicies(options: ApiOptions): ViewPolicies {
  return {
    authentication: options.authentication ?? (options.accounts ? defaultSchemes(options.accounts) : []),
    permissions: options.permissions ?? [allowAny],
    throttles: options.throttles ?? [],
    parsers: options.parsers ?? [jsonParser(), formParser(), multipartParser()],
    renderers: options.renderers ?? [jsonRenderer],
  }
}

function createRoutes(options: ApiOptions, boundResources: readonly BoundResource[]): readonly Route[] {
  const { resources = [], views = {}, root = rootView(resources) } = options
  const resourceRoutes = boundResources.flatMap(createResourceRoutes)
  const viewRoutes = Object.entries(views).map(([path, view]) => ({ path, view }))
  return [...(root === null ? [] : [{ path: '/', view: root }]), ...resourceRoutes, ...viewRoutes]
}

type SharedParts = JoinedApi & { readonly pageCache: PageCache }

function bind(resource: Resource, options: ApiOptions, policies: ViewPolicies, shared: SharedParts): BoundResource {
  const { database, clock = () => new Date() } = options
  if (database === undefined) throw new Error(`createApi(): resource "${resource.name}" needs the option "database"`)
  const paginator = resource.pagination === undefined ? (options.pagination ?? null) : resource.pagination
  const formatParam = readFormatParam(options)
  return bindResource(resource, {
    database,
    permissions: resource.permissions ?? policies.permissions,
    paginator,
    strict: resource.strict ?? options.strict ?? false,
    reservedParameters: [...(paginator?.parameters ?? []), ...(formatParam === null ? [] : [formatParam])],
    pageSize: options.pageSize,
    secret: options.secret,
    clock,
    ...shared,
  })
}

// The root is open to every caller: it reveals only URLs that are documented.
function rootView(all: readonly Resource[]): ViewOptions {
  const resources = all.filter(hasList)
  return {
    name: 'Api Root',
    permissions: [allowAny],
    handlers: {
      GET: ({ baseUrl }) => ({
        status: 200,
        body: Object.fromEntries(resources.map(({ name }) => [name, `${baseUrl}/${name}/`])),
      }),
    },
  }
}

// Whether the resource's list has a URL. Without one, other resources can still refer to the resource.
const hasList = ({ actions, listMethods }: Resource): boolean =>
  listMethods !== undefined || actions.includes('list') || actions.includes('create')

// The view of unknown URLs: responds with 404, without authentication or throttling.
const notFoundOptions = {
  name: 'Not Found',
  authentication: [],
  permissions: [
    {
      allows: () => {
        throw new NotFound()
      },
    },
  ],
  throttles: [],
  handlers: {},
} satisfies ViewOptions

function listAssets(policies: ViewPolicies, routes: readonly Route[]): readonly Asset[] {
  const renderers = [policies, ...routes.map(({ view }) => view)].flatMap(part => part.renderers ?? [])
  return [...new Set(renderers.flatMap(({ assets = [] }) => assets))]
}
