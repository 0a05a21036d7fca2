// Creates an API as a Fastify plugin: its resources and views become routes, so it mounts in an existing application
// under any prefix. Invalid declarations are reported here, at start. SQL that few requests need is compiled on
// first use (decision 031).

import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { AnonymousOption, ApiOptions } from './api-options.ts'
import type { ApiTypes, DeclaredApi, TypedApi, TypedOptions } from './api-types.ts'
import { defaultSchemes } from './authentication/default-schemes.ts'
import { anonymous, type Identity } from './authentication/identity.ts'
import { checkQueryNames } from './check-declared-view.ts'
import { checkApiOptionNames, checkDefaults, checkOptions } from './check-options.ts'
import { createDigest } from './conditional/digest.ts'
import { createView } from './create-view.ts'
import { createRootView, notFoundOptions } from './default-views.ts'
import type { Envelope } from './envelope/envelope.ts'
import { cachingExceptionHandler, serverError } from './errors/exception-handler.ts'
import { handleFrameworkErrors } from './fastify-options.ts'
import { createFileSigner } from './files/file-signer.ts'
import { createIdempotencyStore, idempotencyMigrations } from './idempotency/idempotency-store.ts'
import { checkMessages } from './messages/check-messages.ts'
import { createFindTranslation } from './messages/languages.ts'
import { mountAssets, mountCatchAll, mountView, sendError } from './mount.ts'
import { createObserver } from './observers.ts'
import { checkSentResponses } from './openapi/check-sent-responses.ts'
import { createDocumentViews } from './openapi/document-views.ts'
import { checkOperationIds } from './openapi/operation-ids.ts'
import { createReferenceViews } from './openapi/reference-views.ts'
import { createServerDocument, type ServerDocument } from './openapi/server-document.ts'
import type { Paginator } from './pagination/paginator.ts'
import { formParser } from './parsers/form.ts'
import { jsonParser } from './parsers/json.ts'
import { multipartParser } from './parsers/multipart.ts'
import { allowAny } from './permissions/built-in-permissions.ts'
import { jsonRenderer } from './renderers/json.ts'
import type { Asset } from './renderers/renderer.ts'
import { type JoinedApi, joinApplication } from './resources/application.ts'
import { type BoundResource, bindResource } from './resources/bound-resource.ts'
import type { BoundResourceOptions } from './resources/bound-resource-options.ts'
import { createApiCalls, createChildrenFinder } from './resources/called-api.ts'
import { checkRoutes } from './resources/check-routes.ts'
import { checkChildren } from './resources/children/check-children.ts'
import { createChildrenReader } from './resources/children/read-children.ts'
import { toBaseUrl } from './resources/mounted-api.ts'
import { narrowToList } from './resources/narrow-to-list.ts'
import { createPageCache } from './resources/page-cache.ts'
import type { ResourceTypes } from './resources/representation.ts'
import { resolveNames } from './resources/resolve-names.ts'
import type { Resource } from './resources/resource.ts'
import { createReverse } from './resources/reverse.ts'
import type { Route } from './resources/route.ts'
import { createResourceRoutes, type LocatedResource } from './resources/routes.ts'
import { listSelectionParameters } from './resources/selection/resource-selection.ts'
import { checkMigrationsWhenReady, checkWhenReady } from './resources/start-checks.ts'
import { createTagCache } from './resources/tag-cache.ts'
import { joinPrefix, listServerRoutes, listViewsBelow, type SharedPrefix } from './shared-prefix.ts'
import { createSiteApis } from './site-apis.ts'
import { createBaseUrl } from './urls/base-url.ts'
import { formatShape } from './urls/path-parameters.ts'
import { createPathFinder, declareMethods } from './urls/routing.ts'
import { addSlash, endUrl, findUrlEnd } from './urls/trailing-slash.ts'
import type { View, ViewOptions, ViewPolicies, ViewSettings } from './view.ts'

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
export function createApi<
  User extends Identity = Identity,
  const Resources extends readonly Resource<string, ResourceTypes, User>[] = readonly Resource<
    string,
    ResourceTypes,
    User
  >[],
  Views = unknown,
  Pages extends Paginator | undefined = Paginator | undefined,
  const Around extends Envelope | undefined = Envelope | undefined,
>(
  options: ApiOptions<NoInfer<User>> & AnonymousOption<User> & TypedOptions<Resources, Views, Pages, Around>,
): ApiPlugin<DeclaredApi<Resources, Views, Pages, Around>> {
  // The type of the options ensures that only callers of the type User reach these policies and hooks (decision 045).
  return createPlugin(options as unknown as ApiOptions)
}

/** The plugin of an API, from whose type that of a client follows. */
export interface ApiPlugin<Types extends ApiTypes = ApiTypes> extends FastifyPluginAsync, TypedApi<Types> {}

function createPlugin(declared: ApiOptions): FastifyPluginAsync {
  checkApiOptionNames(declared)
  const options = { ...declared, ...(declared.resources && { resources: resolveNames(declared.resources) }) }
  checkOptions(options)
  checkMessages(options)
  return async fastify => {
    await checkDefaults(options.resources ?? [])
    checkPrefix(fastify.prefix, options)
    if (checksResponses(options)) checkSentResponses(fastify)
    const prefix = fastify.prefix.replace(/\/$/, '')
    const { shared, isFirst } = joinPrefix(fastify, prefix, options.trailingSlash ?? true)
    const policies = completePolicies(options)
    const views = new Map<string, View>()
    const viewsByShape = new Map<string, View>()
    const findView = createViewFinder(viewsByShape)
    const joined = joinApplication(fastify, {
      name: options.name ?? `${prefix}/`,
      prefix,
      publicUrl: options.publicUrl?.replace(/\/+$/, ''),
      database: options.database,
      resources: options.resources ?? [],
      permissions: policies.permissions,
      findView,
      urlEnd: findUrlEnd(options.trailingSlash ?? true),
      title: options.title,
    })
    const digest = createDigest(options.secret)
    const caches = {
      pageCache: createPageCache(options.database ?? {}),
      tagCache: createTagCache(options.database ?? {}, digest),
    }
    const { database, idempotencyKeys, clock = () => new Date() } = options
    const idempotency = database && idempotencyKeys ? createIdempotencyStore(database, clock) : undefined
    const findChildren = createChildrenFinder(() => joined.api)
    const sharedParts = { ...joined, ...caches, digest, idempotency, readChildren: createChildrenReader(findChildren) }
    const bindOne = (resource: Resource, list?: string) =>
      bind(resource, options, policies, { ...sharedParts, ...(list !== undefined && { list }) })
    const located = (options.resources ?? []).map(
      (resource): LocatedResource => ({
        bound: bindOne(resource),
        lists: Object.entries(resource.lists ?? {}).map(([name, list]) => ({
          name,
          list,
          bound: bindOne(narrowToList(resource, list, policies.permissions), name),
        })),
      }),
    )
    const boundResources = located.map(({ bound }) => bound)
    const routes = createRoutes(options, located, shared)
    checkRoutes([...listServerRoutes(fastify), ...routes.map(route => ({ ...route, prefix }))])
    checkQueryNames(routes, readFormatParam(options))
    shared.routes.push(...routes)
    shared.resources.push(...(options.resources ?? []))
    const settings: ViewSettings = {
      ...viewSettings(options, joined),
      observe: createObserver(fastify.server, options.observe),
      digest,
      apiRenderers: policies.renderers,
      apiAuthentication: policies.authentication,
      findMatch: createMatchFinder(shared),
      findView,
      reverse: createReverse(joined.api, routes),
      fileSigner: options.secret === undefined ? undefined : createFileSigner(options.secret, clock),
      calls: createApiCalls({
        ...joined,
        boundResources,
        findView,
        createView: (path, view) => createView(path, view, policies, settings),
      }),
    }
    joined.whenResolved(() => {
      for (const { resource } of boundResources) checkChildren(resource, findChildren)
    })
    checkMigrationsWhenReady(fastify, options)
    if (options.idempotencyKeys) checkMigrationsWhenReady(fastify, { ...options, migrations: [idempotencyMigrations] })
    checkWhenReady(
      fastify,
      located.flatMap(({ bound, lists }) => [bound, ...lists.map(list => list.bound)]),
    )
    declareMethods(fastify)
    for (const { path, view } of routes) {
      const created = createView(
        path,
        options.openapi === false ? { ...view, openapi: false } : view,
        policies,
        settings,
      )
      views.set(path, created)
      shared.views.set(path, created)
      viewsByShape.set(formatShape(path), created)
    }
    const commandView = createView('/', { name: 'Command', handlers: {} }, policies, settings)
    joined.addContext(commandView)
    const notFoundView = createView('/*', notFoundOptions, policies, settings)
    for (const view of views.values()) mountView(fastify, view, notFoundView)
    const document = createDocument(fastify, options, { root: settings.root, isFirst })
    const documentViews = document === undefined ? {} : createDocumentViews(document, options.openapi || {})
    for (const [path, view] of Object.entries(documentViews).filter(([each]) => !shared.views.has(each))) {
      const created = createView(path, view, policies, { ...settings, trailingSlash: false, urlEnd: '' })
      viewsByShape.set(formatShape(path), created)
      mountView(fastify, created, notFoundView)
    }
    const assets = listAssets(policies, routes)
    if (assets.length > 0 && shared.assets.size === 0) mountAssets(fastify, shared.assets, notFoundView)
    for (const asset of assets) shared.assets.set(asset.name, asset)
    const unrouted = new Set<View>()
    const referenceViews = document ? createReferenceViews(document, options.openapi || {}, policies.renderers) : {}
    // Views of the application have priority.
    const isFree = !Object.keys(referenceViews).some(path => viewsByShape.has(formatShape(path)))
    for (const [path, view] of Object.entries(isFree ? referenceViews : {})) {
      const created = createView(path, view, policies, settings)
      unrouted.add(created)
      shared.views.set(path, created)
      viewsByShape.set(formatShape(path), created)
    }
    if (isFirst) mountCatchAll(fastify, { views: shared.views, unrouted, unknown: notFoundView })
    const handleError = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
      void sendError(notFoundView, error, request, reply)
    fastify.setErrorHandler(handleError)
    if (isFirst) handleFrameworkErrors(fastify.server, prefix, handleError)
  }
}

// The document of all APIs at the prefix, and below it. They are known when Fastify is ready.
function createDocument(
  fastify: FastifyInstance,
  { openapi }: ApiOptions,
  { root, isFirst }: { readonly root: string; readonly isFirst: boolean },
): ServerDocument | undefined {
  if (!isFirst && openapi)
    throw new Error(
      'createApi(): another API at the same prefix has the OpenAPI document: give that one the option "openapi"',
    )
  if (!isFirst || openapi === false) return undefined
  const { server } = fastify
  const prefix = fastify.prefix.replace(/\/$/, '')
  fastify.addHook('onReady', async () => checkOperationIds(listViewsBelow(server, prefix)))
  return createServerDocument({ server, prefix, root, options: openapi ?? {} })
}

// With a slash, Fastify gives the API no route for the prefix itself.
function checkPrefix(prefix: string, { trailingSlash = true }: ApiOptions): void {
  if (trailingSlash !== true && prefix.length > 1 && prefix.endsWith('/'))
    throw new Error(
      `createApi(): the prefix "${prefix}" ends with a slash, but the URLs of the API do not: write "${prefix.slice(0, -1)}"`,
    )
}

const createViewFinder =
  (views: ReadonlyMap<string, View>): View['findView'] =>
  path =>
    views.get(formatShape(path))

// Other APIs at the same prefix add their views before the first request.
function createMatchFinder({ views }: SharedPrefix): View['findMatch'] {
  let find: View['findMatch'] | undefined
  return path => {
    find ??= createPathFinder(views)
    return find(path)
  }
}

type OwnSettings =
  | 'findView'
  | 'findMatch'
  | 'apiRenderers'
  | 'apiAuthentication'
  | 'digest'
  | 'observe'
  | 'calls'
  | 'reverse'
  | 'fileSigner'

function viewSettings(
  options: ApiOptions,
  { api, apis }: Pick<JoinedApi, 'api' | 'apis'>,
): Omit<ViewSettings, OwnSettings> {
  const { prefix } = api
  const root = (URL.parse(options.publicUrl ?? '')?.pathname.replace(/\/+$/, '') ?? '') + prefix
  return {
    anonymous: options.anonymous ?? { user: anonymous, auth: null },
    exceptionHandler: options.exceptionHandler ?? cachingExceptionHandler,
    serverError: options.serverError ?? serverError,
    findTranslation: createFindTranslation(options),
    showCauses: options.showCauses ?? false,
    nonFieldErrorsKey: options.nonFieldErrorsKey ?? 'non_field_errors',
    compresses: options.compression ?? false,
    strict: options.strict ?? false,
    checksResponses: checksResponses(options),
    describesLists: options.describesLists ?? true,
    formatParam: readFormatParam(options),
    trailingSlash: options.trailingSlash ?? true,
    urlEnd: api.urlEnd,
    root,
    prefix,
    findListUrl(target) {
      const targetApi = api.findApi(target)
      return endUrl(`${toBaseUrl(targetApi, api, root)}/${target.name}/`, targetApi.urlEnd)
    },
    baseUrl: createBaseUrl({ ...options, prefix }),
    listApis: createSiteApis(api, apis, root),
  }
}

const checksResponses = ({ showCauses = false, checkResponses = showCauses }: ApiOptions): boolean => checkResponses

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

function createRoutes(
  options: ApiOptions,
  located: readonly LocatedResource[],
  shared: SharedPrefix,
): readonly Route[] {
  const { views = {} } = options
  const root = findRoot(options, shared)
  const resourceRoutes = located.flatMap(createResourceRoutes)
  const viewRoutes = Object.entries(views).map(([path, view]) => ({ path: addSlash(path), view }))
  return [...(root === null ? [] : [{ path: '/', view: root }]), ...resourceRoutes, ...viewRoutes]
}

// The default root view lists the resources of all APIs at the prefix.
function findRoot({ root }: ApiOptions, { routes, resources }: SharedPrefix): ViewOptions | null {
  const hasRoot = routes.some(({ path }) => path === '/')
  if (hasRoot && root)
    throw new Error(
      `createApi(): another API at the same prefix has a root view: remove the option "root", or set it to null there`,
    )
  return hasRoot || root === null ? null : (root ?? createRootView(resources))
}

type SharedParts = JoinedApi &
  Pick<BoundResourceOptions, 'pageCache' | 'tagCache' | 'digest' | 'idempotency' | 'readChildren' | 'list'>

function bind(resource: Resource, options: ApiOptions, policies: ViewPolicies, shared: SharedParts): BoundResource {
  const { database, clock = () => new Date() } = options
  if (database === undefined) throw new Error(`createApi(): resource "${resource.name}" needs the option "database"`)
  const paginator = resource.pagination === undefined ? (options.pagination ?? null) : resource.pagination
  const formatParam = readFormatParam(options)
  return bindResource(resource, {
    database,
    permissions: resource.permissions ?? policies.permissions,
    parsers: resource.parsers ?? policies.parsers,
    paginator,
    envelope: resource.envelope ?? options.envelope,
    put: resource.put ?? options.put ?? 'whole',
    strict: resource.strict ?? options.strict ?? false,
    suggestsIndexes: resource.suggestsIndexes ?? options.suggestsIndexes ?? true,
    reservedParameters: [
      ...listSelectionParameters(resource),
      ...Object.keys(paginator?.parameters ?? {}),
      ...(formatParam === null ? [] : [formatParam]),
    ],
    pageSize: options.pageSize,
    secret: options.secret,
    clock,
    recordChanges: options.recordChanges,
    ...shared,
  })
}

function listAssets(policies: ViewPolicies, routes: readonly Route[]): readonly Asset[] {
  const renderers = [policies, ...routes.map(({ view }) => view)].flatMap(part => part.renderers ?? [])
  return [...new Set(renderers.flatMap(({ assets = [] }) => assets))]
}
