// Mounts the views of an API: those of its routes and its document, the files of renderers, and the views of unknown URLs and of
// errors.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  type Asset,
  checkOperationIds,
  createPathFinder,
  createView,
  declareMethods,
  endUrl,
  formatShape,
  handleFrameworkErrors,
  listViewsBelow,
  mountAssets,
  mountCatchAll,
  mountView,
  type Route,
  type SharedPrefix,
  sendError,
  type View,
  type ViewOptions,
  type ViewPolicies,
  type ViewSettings,
} from '#core'
import {
  checkExampleNames,
  createDocumentViews,
  createReferenceViews,
  createServerDocument,
  findReferenceRenderer,
  type ServerDocument,
} from '#openapi'
import type { ApiOptions } from './api-options.ts'
import { createOwnRouteOptions, notFoundOptions } from './default-views.ts'

export interface PreparedApi {
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

/** Mounts the views of the routes, the document, the files of renderers, and what handles all other URLs. */
export function mountViews(
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
  const findOwn = createOwnFinder(shared, methods =>
    createView('/*', createOwnRouteOptions(methods), policies, settings),
  )
  if (isFirst)
    mountCatchAll(fastify, { views: shared.views, unrouted: new Set(unrouted), findOwn, unknown: notFoundView })
  // A route beside the API that refuses a caller responds with the challenge of the API.
  const errorView = createView(
    '/*',
    { ...notFoundOptions, authentication: policies.authentication },
    policies,
    settings,
  )
  const handleError = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
    void sendError(errorView, error, request, reply)
  fastify.setErrorHandler(handleError)
  if (isFirst) handleFrameworkErrors(fastify.server, settings.prefix, handleError)
}

// Routes of the application are added after its APIs.
function createOwnFinder(
  { ownRoutes }: SharedPrefix,
  createOwnView: (methods: readonly string[]) => View,
): (path: string) => View | undefined {
  let find: ((path: string) => { readonly target: View } | undefined) | undefined
  return path => {
    find ??= createPathFinder(new Map([...ownRoutes].map(([shape, methods]) => [shape, createOwnView(methods)])))
    return find(path)?.target
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

function listAssets(policies: ViewPolicies, routes: readonly Route[]): readonly Asset[] {
  const renderers = [policies, ...routes.map(({ view }) => view)].flatMap(part => part.renderers ?? [])
  return [...new Set(renderers.flatMap(({ assets = [] }) => assets))]
}
