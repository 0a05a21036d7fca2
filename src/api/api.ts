// Creates an API as a Fastify plugin: its resources and views become routes, so it mounts in an existing application
// under any prefix. Invalid declarations are reported here, at start. SQL that few requests need is compiled on
// first use (decision 031).

import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import {
  type Asset,
  checkChildren,
  checkMessages,
  checkMigrationsWhenReady,
  checkOperationIds,
  checkQueryNames,
  checkRoutes,
  checkWhenReady,
  createApiCalls,
  createChildrenFinder,
  createChildrenReader,
  createFileSigner,
  createIdempotencyStore,
  createObserver,
  createOptionsFinder,
  createPageCache,
  createPathFinder,
  createReverse,
  createTagCache,
  createView,
  declareMethods,
  type Envelope,
  endUrl,
  findUrlEnd,
  formatShape,
  frameworkMessages,
  handleFrameworkErrors,
  type Identity,
  idempotencyMigrations,
  joinApplication,
  joinPrefix,
  listServerRoutes,
  listViewsBelow,
  mountAssets,
  mountCatchAll,
  mountView,
  type Paginator,
  type Resource,
  type ResourceTypes,
  type Route,
  resolveNames,
  type Scheme,
  type SharedPrefix,
  sendError,
  type View,
  type ViewOptions,
  type ViewPolicies,
  type ViewSettings,
} from '#core'
import {
  checkExampleNames,
  checkSentResponses,
  createDocumentViews,
  createReferenceViews,
  createServerDocument,
  findReferenceRenderer,
  type ServerDocument,
} from '#openapi'
import { pageMessages } from '#pages'
import type { AnonymousOption, ApiOptions, UserOf } from './api-options.ts'
import { createRoutes } from './api-routes.ts'
import { checksResponses, completePolicies, createSettings, readFormatParam } from './api-settings.ts'
import type { ApiTypes, DeclaredApi, TypedApi, TypedOptions } from './api-types.ts'
import { bindResources } from './bind-resources.ts'
import { checkApiOptionNames, checkDefaults, checkOptions } from './check-options.ts'
import { notFoundOptions } from './default-views.ts'

/**
 * Creates the plugin. Throws if the options are invalid; a declaration that is checked later makes `register` fail.
 *
 * `User` is the application's own user type, if its policies or hooks use more than an {@link Identity}. Because no scheme
 * identifies an anonymous caller, either name it in the type (`createApi<Member | Anonymous>`) or give one with the
 * option `anonymous`: the callers are then those whom the schemes identify, and this one.
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
  Schemes extends readonly Scheme[] = readonly Scheme<User>[],
>(
  options: ApiOptions<NoInfer<User | UserOf<Schemes>>> &
    AnonymousOption<User> & { readonly authentication?: Schemes } & TypedOptions<Resources, Views, Pages, Around>,
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
  checkMessages(options, [frameworkMessages, pageMessages])
  return async fastify => {
    await checkDefaults(options.resources ?? [])
    checkPrefix(fastify.prefix, options)
    if (checksResponses(options)) checkSentResponses(fastify)
    const prefix = fastify.prefix.replace(/\/$/, '')
    const { shared, isFirst } = joinPrefix(fastify, prefix, options.trailingSlash ?? true)
    const policies = completePolicies(options)
    const viewsByShape = new Map<string, View>()
    const findView: View['findView'] = path => viewsByShape.get(formatShape(path))
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
      isAdministration: options.isAdministration ?? false,
    })
    const findChildren = createChildrenFinder(() => joined.api)
    const parts = {
      ...joined,
      ...createStores(options),
      readChildren: createChildrenReader(findChildren),
      listRoutes: () => listServerRoutes(fastify),
    }
    const located = bindResources(options, policies, parts)
    const boundResources = located.map(({ bound }) => bound)
    const routes = createRoutes(options, located, shared)
    const prefixed = routes.map(route => ({ ...route, prefix, api: joined.api.name }))
    checkRoutes([...listServerRoutes(fastify), ...prefixed])
    checkQueryNames(routes, readFormatParam(options))
    shared.routes.push(...prefixed)
    shared.resources.push(...(options.resources ?? []))
    const settings: ViewSettings = {
      ...createSettings(options, joined),
      observe: createObserver(fastify.server, options.observe),
      database: options.database,
      apiRenderers: policies.renderers,
      apiAuthentication: policies.authentication,
      findMatch: createMatchFinder(shared),
      findView,
      findRelatedOptions: createOptionsFinder(joined.api, options.database, parts),
      reverse: createReverse(joined.api, routes),
      fileSigner: options.secret === undefined ? undefined : createFileSigner(options.secret, parts.clock),
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
    joined.addContext(createView('/', { name: 'Command', handlers: {} }, policies, settings))
    mountViews(fastify, { options, policies, settings, routes, shared, isFirst, viewsByShape })
  }
}

interface PreparedApi {
  readonly options: ApiOptions
  readonly policies: ViewPolicies
  readonly settings: ViewSettings
  readonly routes: readonly Route[]
  readonly shared: SharedPrefix
  /** Whether no other API is at the prefix. */
  readonly isFirst: boolean
  /** Gets each view of the API, by the shape of its path. */
  readonly viewsByShape: Map<string, View>
}

// Mounts the views of the routes, the document, the files of renderers, and what handles all other URLs.
function mountViews(
  fastify: FastifyInstance,
  { options, policies, settings, routes, shared, isFirst, viewsByShape }: PreparedApi,
): void {
  const addView = (path: string, view: ViewOptions, own = settings): View => {
    const created = createView(path, view, policies, own)
    viewsByShape.set(formatShape(path), created)
    return created
  }
  const addSharedView = (path: string, view: ViewOptions): View => {
    const created = addView(path, view)
    shared.views.set(path, created)
    return created
  }
  declareMethods(fastify)
  const hidden = options.openapi === false && { openapi: false as const }
  const notFoundView = createView('/*', notFoundOptions, policies, settings)
  const views = routes.map(({ path, view }) => addSharedView(path, { ...view, ...hidden }))
  for (const view of views) mountView(fastify, view, notFoundView)
  const reference = findReferenceRenderer(options.openapi || {}, policies.renderers)
  const referenceUrl = reference && endUrl(`${settings.root}${reference.documentPages![0]!.path}`, settings.urlEnd)
  const document = createDocument(fastify, options, { root: settings.root, isFirst, referenceUrl })
  const described = document === undefined ? {} : createDocumentViews(document, options.openapi || {})
  for (const [path, view] of Object.entries(described).filter(([each]) => !shared.views.has(each)))
    mountView(fastify, addView(path, view, { ...settings, trailingSlash: false, urlEnd: '' }), notFoundView)
  const assets = listAssets(policies, routes)
  if (assets.length > 0 && shared.assets.size === 0) mountAssets(fastify, shared.assets, notFoundView)
  for (const asset of assets) shared.assets.set(asset.name, asset)
  const referenceViews = document ? createReferenceViews(document, options.openapi || {}, policies.renderers) : {}
  // Views of the application have priority.
  const isFree = Object.keys(referenceViews).every(path => !viewsByShape.has(formatShape(path)))
  const unrouted = Object.entries(isFree ? referenceViews : {}).map(([path, view]) => addSharedView(path, view))
  if (isFirst) mountCatchAll(fastify, { views: shared.views, unrouted: new Set(unrouted), unknown: notFoundView })
  const handleError = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
    void sendError(notFoundView, error, request, reply)
  fastify.setErrorHandler(handleError)
  if (isFirst) handleFrameworkErrors(fastify.server, settings.prefix, handleError)
}

/** Creates the caches and stores that requests share. */
function createStores({ database, idempotencyKeys, clock = () => new Date() }: ApiOptions) {
  return {
    clock,
    pageCache: createPageCache(database ?? {}),
    tagCache: createTagCache(database ?? {}),
    idempotency: database && idempotencyKeys ? createIdempotencyStore(database, clock) : undefined,
  }
}

// The document of all APIs at the prefix, and below it. They are known when Fastify is ready.
function createDocument(
  fastify: FastifyInstance,
  { openapi }: ApiOptions,
  {
    root,
    isFirst,
    referenceUrl,
  }: { readonly root: string; readonly isFirst: boolean; readonly referenceUrl: string | undefined },
): ServerDocument | undefined {
  if (!isFirst && openapi)
    throw new Error(
      'createApi(): another API at the same prefix has the OpenAPI document: give that one the option "openapi"',
    )
  if (!isFirst || openapi === false) return undefined
  const { server } = fastify
  const prefix = fastify.prefix.replace(/\/$/, '')
  fastify.addHook('onReady', async () => {
    const views = listViewsBelow(server, prefix)
    checkOperationIds(views)
    checkExampleNames(openapi?.examples ?? {}, views)
  })
  const externalDocs = referenceUrl && { externalDocs: { description: 'The reference', url: referenceUrl } }
  return createServerDocument({ server, prefix, root, options: { ...externalDocs, ...openapi } })
}

// With a slash, Fastify gives the API no route for the prefix itself.
function checkPrefix(prefix: string, { trailingSlash = true }: ApiOptions): void {
  if (trailingSlash !== true && prefix.length > 1 && prefix.endsWith('/'))
    throw new Error(
      `createApi(): the prefix "${prefix}" ends with a slash, but the URLs of the API do not: write "${prefix.slice(0, -1)}"`,
    )
}

// Other APIs at the same prefix add their views before the first request.
function createMatchFinder({ views }: SharedPrefix): View['findMatch'] {
  let find: View['findMatch'] | undefined
  return path => {
    find ??= createPathFinder(views)
    return find(path)
  }
}

function listAssets(policies: ViewPolicies, routes: readonly Route[]): readonly Asset[] {
  const renderers = [policies, ...routes.map(({ view }) => view)].flatMap(part => part.renderers ?? [])
  return [...new Set(renderers.flatMap(({ assets = [] }) => assets))]
}
