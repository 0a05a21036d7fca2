// Creates an API as a Fastify plugin: its resources and views become routes, so it mounts in an existing application
// under any prefix. Invalid declarations are reported here, at start. SQL that few requests need is compiled on
// first use (decision 031).

import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import {
  checkChildren,
  checkMessages,
  checkMigrationsWhenReady,
  checkQueryNames,
  checkRoutes,
  checkWhenReady,
  createApiCalls,
  createChildrenFinder,
  createChildrenReader,
  createConnectionFinder,
  createFileSigner,
  createIdempotencyStore,
  createObserver,
  createOptionsFinder,
  createPageCache,
  createPathFinder,
  createReverse,
  createTagCache,
  createView,
  type Envelope,
  feedMigrations,
  findUrlEnd,
  followWhenReady,
  formatShape,
  frameworkMessages,
  type Identity,
  idempotencyMigrations,
  type JoinedApi,
  joinApplication,
  joinPrefix,
  type LocatedResource,
  listServerRoutes,
  type MountedApi,
  type Paginator,
  type Resource,
  type ResourceTypes,
  resolveNames,
  type Scheme,
  type SharedPrefix,
  type View,
  type ViewSettings,
} from '#core'
import { checkSentResponses } from '#openapi'
import { pageMessages } from '#pages'
import type { AnonymousOption, ApiOptions, UserOf } from './api-options.ts'
import { createRoutes } from './api-routes.ts'
import {
  checksResponses,
  completePolicies,
  createSettings,
  listReservedParameters,
  readFormatParam,
} from './api-settings.ts'
import type { ApiTypes, DeclaredApi, TypedApi, TypedOptions } from './api-types.ts'
import { bindResources } from './bind-resources.ts'
import { checkApiOptionNames, checkDefaults, checkOptions } from './check-options.ts'
import { mountViews } from './mount-views.ts'

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
  const Renamed = unknown,
  Schemes extends readonly Scheme[] = readonly Scheme<User>[],
>(
  options: ApiOptions<NoInfer<User | UserOf<Schemes>>> &
    AnonymousOption<User> & { readonly authentication?: Schemes } & TypedOptions<
      Resources,
      Views,
      Pages,
      Around,
      Renamed
    >,
): ApiPlugin<DeclaredApi<Resources, Views, Pages, Around, Renamed>> {
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
    mountApi(fastify, options)
  }
}

function mountApi(fastify: FastifyInstance, options: ApiOptions): void {
  const prefix = fastify.prefix.replace(/\/$/, '')
  const { shared, isFirst } = joinPrefix(fastify, prefix, options.trailingSlash ?? true)
  const policies = completePolicies(options)
  const viewsByShape = new Map<string, View>()
  const findView: View['findView'] = path => viewsByShape.get(formatShape(path))
  const joined = join(fastify, options, { prefix, permissions: policies.permissions, findView })
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
  checkQueryNames(routes, readFormatParam(options), listReservedParameters(options))
  shared.routes.push(...prefixed)
  shared.resources.push(...(options.resources ?? []))
  const settings: ViewSettings = {
    ...createSettings(options, joined),
    observe: createObserver(fastify.server, options.observe),
    database: options.database,
    connection: createConnectionFinder(options.database),
    clock: parts.clock,
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
  checkDatabaseWhenReady(fastify, options, located)
  joined.addContext(createView('/', { name: 'Command', handlers: {} }, policies, settings))
  mountViews(fastify, { options, policies, settings, routes, shared, isFirst, viewsByShape })
}

const join = (
  fastify: FastifyInstance,
  options: ApiOptions,
  mounted: Pick<MountedApi, 'prefix' | 'permissions' | 'findView'>,
): JoinedApi =>
  joinApplication(fastify, {
    ...mounted,
    name: options.name ?? `${mounted.prefix}/`,
    publicUrl: options.publicUrl?.replace(/\/+$/, ''),
    database: options.database,
    resources: options.resources ?? [],
    urlEnd: findUrlEnd(options.trailingSlash ?? true),
    title: options.title,
    isAdministration: options.isAdministration ?? false,
  })

function checkDatabaseWhenReady(
  fastify: FastifyInstance,
  options: ApiOptions,
  located: readonly LocatedResource[],
): void {
  checkMigrationsWhenReady(fastify, options)
  if (options.idempotencyKeys) checkMigrationsWhenReady(fastify, { ...options, migrations: [idempotencyMigrations] })
  const boundResources = located.map(({ bound }) => bound)
  if (boundResources.some(({ resource }) => resource.feed))
    checkMigrationsWhenReady(fastify, { ...options, migrations: [feedMigrations] })
  checkWhenReady(
    fastify,
    located.flatMap(({ bound, lists }) => [bound, ...lists.map(list => list.bound)]),
  )
  followWhenReady(fastify, boundResources)
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
