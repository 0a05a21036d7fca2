// Mounts an API in Fastify: views become routes, and responses from the lifecycle are sent.

import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { compressAsset } from '../http/compression/compress-asset.ts'
import { chooseCoding } from '../http/compression/content-coding.ts'
import { toCataloguedFromHook } from '../http/errors/host-error.ts'
import { type Asset, assetFolder, type RenderedResponse } from '../http/renderers/renderer.ts'
import { setHeaders } from '../http/response.ts'
import {
  allMethods,
  canRedirect,
  commonMethods,
  createPathFinder,
  originForm,
  type PathMatch,
  redirectToOtherEnd,
  splitQuery,
} from '../http/urls/routing.ts'
import { createUrlResolver, listUrlPaths } from '../http/urls/url-paths.ts'
import { logError } from './errors/log-error.ts'
import { loggableError } from './errors/loggable-error.ts'
import { respond, respondToError } from './lifecycle.ts'
import type { View } from './view.ts'

/**
 * Serves the files of renderers; the URL of any other file gets the `unknown` view. Assets are public: they hold no data, so
 * they need no permission.
 */
export function mountAssets(fastify: FastifyInstance, byName: ReadonlyMap<string, Asset>, unknown: View): void {
  fastify.route({
    method: ['GET', 'HEAD'],
    url: `${assetFolder}*`,
    exposeHeadRoute: false,
    onRequest(request, reply) {
      const asset = byName.get((request.params as { readonly '*': string })['*'])
      if (asset === undefined) return void respondWith(unknown, request, reply)
      const coding = chooseCoding([request.headers['accept-encoding'] ?? ''].flat().join(', '))
      const headers = { ...assetHeaders, 'content-type': asset.contentType }
      if (coding === undefined) return void reply.headers(headers).send(asset.body)
      void compressAsset(asset, coding).then(
        body => reply.headers({ ...headers, 'content-encoding': coding }).send(body),
        () => reply.headers(headers).send(asset.body),
      )
    },
    handler: () => undefined,
  })
}

const assetHeaders = {
  'cache-control': 'public, max-age=31536000, immutable',
  'x-content-type-options': 'nosniff',
  vary: 'Accept-Encoding',
}

/** Mounts a view at its path; a URL with the other end is redirected, or gets the view too. */
export function mountView(fastify: FastifyInstance, view: View, unknown: View): void {
  const { path, handlers, headers, trailingSlash } = view
  const otherMethods = [...handlers.keys()].filter(method => !commonMethods.includes(method))
  const { served, redirected } = listUrlPaths(path, { trailingSlash, prefix: fastify.prefix })
  const shared = {
    exposeHeadRoute: false,
    config: { allow: () => headers.allow },
    handler: () => undefined,
  }
  for (const url of served)
    fastify.route({
      ...shared,
      // The catch-all route does not match the prefix itself.
      method: url === '' ? allMethods : [...commonMethods, ...otherMethods],
      ...locate(url, fastify),
      // The lifecycle starts here, before Fastify reads the body: the body is read after the checks.
      onRequest: (request, reply) => void respondWith(view, request, reply),
    })
  if (redirected !== undefined)
    fastify.route({
      ...shared,
      method: redirected === '' ? allMethods : commonMethods,
      ...locate(redirected, fastify),
      onRequest(request, reply) {
        const isComplete = Object.values(request.params as Readonly<Record<string, string>>).every(text => text !== '')
        if (isComplete && canRedirect(request)) redirectToOtherEnd(request, reply, headers)
        else void respondWith(unknown, request, reply)
      },
    })
}

// Fastify would double the slash after a prefix that ends with one.
const locate = (url: string, { prefix }: FastifyInstance): Pick<RouteOptions, 'url' | 'prefixTrailingSlash'> => ({
  url,
  prefixTrailingSlash: url === '' || prefix.endsWith('/') ? 'no-slash' : 'slash',
})

/** The views at which the catch-all route arrives. */
export interface CatchAllViews {
  /** All views, by path. */
  readonly views: ReadonlyMap<string, View>
  /** Those without a route of their own, so that every route of the application has priority. */
  readonly unrouted: ReadonlySet<View>
  /** Finds the view that responds to the methods for which the application has no route, at a path where it has one. */
  readonly findOwn: (path: string) => View | undefined
  /** The view of other URLs. */
  readonly unknown: View
}

/**
 * Handles the requests below the prefix that no route matches. If the method has no route, or a parameter is long, the view
 * at that path responds; a URL with the other end is redirected; at the path of a route of the application, the view that
 * `findOwn` finds responds; every other URL gets the `unknown` view.
 */
export function mountCatchAll(fastify: FastifyInstance, { views, unrouted, findOwn, unknown }: CatchAllViews): void {
  // Other APIs at the same prefix add their views before the first request.
  let finder: ReturnType<typeof createPathFinder<View>> | undefined
  const find = (path: string) => {
    finder ??= createPathFinder(views)
    return finder(path)
  }
  const resolve = createUrlResolver(find, unknown.trailingSlash)
  // The path below the prefix, decoded by the router.
  const readPath = ({ params }: FastifyRequest) => `/${(params as { readonly '*': string })['*']}`
  // The router finds no parameter of more than 100 characters, unless the application sets its `maxParamLength`.
  const start = fastify.prefix.replace(/\/$/, '').length
  const findLong = (request: FastifyRequest) => {
    const [path] = splitQuery(originForm(request.url))
    return path.length > maxParamLength ? decodeParameters(resolve(path.slice(start)).served) : undefined
  }
  const catchAll: Omit<RouteOptions, 'method'> = {
    url: '/*',
    exposeHeadRoute: false,
    config: {
      allow(request) {
        const path = readPath(request)
        const { served, redirected } = resolve(path)
        return ((served ?? redirected)?.target ?? findOwn(path) ?? unknown).headers.allow
      },
    },
    onRequest(request, reply) {
      const path = readPath(request)
      const { served, redirected } = resolve(path)
      const isRouted = commonMethods.includes(request.method) && !(served !== undefined && unrouted.has(served.target))
      const match = isRouted ? findLong(request) : served
      if (match !== undefined) {
        Object.assign(request.params as object, match.parameters)
        return void respondWith(match.target, request, reply)
      }
      // The decoded path may end with a slash that was encoded.
      const hasSameEnd = splitQuery(originForm(request.url))[0].endsWith('/') === path.endsWith('/')
      if (redirected !== undefined && hasSameEnd && canRedirect(request))
        return redirectToOtherEnd(request, reply, redirected.target.headers)
      void respondWith(findOwn(path) ?? unknown, request, reply)
    },
    handler: () => undefined,
  }
  fastify.route({ ...catchAll, method: allMethods.filter(method => method !== 'OPTIONS') })
  fastify.route({ ...catchAll, method: 'OPTIONS', ...(isRoot(fastify) && { constraints: { host: /.*/ } }) })
  // The catch-all route does not match the prefix itself, and a route of the application there has priority.
  if (!views.has('/') && !isRoot(fastify))
    fastify.setNotFoundHandler((request, reply) => void respondWith(unknown, request, reply))
}

const maxParamLength = 100

// The router has rejected URLs that cannot be decoded.
const decodeParameters = <Target>(match: PathMatch<Target> | undefined): PathMatch<Target> | undefined =>
  match && {
    ...match,
    parameters: Object.fromEntries(
      Object.entries(match.parameters).map(([name, value]) => [name, decodeURIComponent(value)]),
    ),
  }

// At the root, other plugins such as @fastify/cors register `OPTIONS *` too, and Fastify refuses to register a route
// twice. To Fastify, a route that is constrained to any host differs from a route without a constraint, and it has
// priority.
const isRoot = ({ prefix }: FastifyInstance): boolean => prefix === '' || prefix === '/'

function respondWith(view: View, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const meant = request.method === 'POST' ? view.gateway?.(view, request, respond) : undefined
  return deliver(meant ?? respond(view, request), request, reply)
}

/** Responds to an error that a plugin or hook of the application throws. */
export function sendError(view: View, error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const phaseResults = { view, request, requestContext: undefined, requestBody: undefined, headers: undefined }
  return deliver(respondToError(toCataloguedFromHook(error, request), phaseResults), request, reply)
}

const deliver = (response: Promise<RenderedResponse>, request: FastifyRequest, reply: FastifyReply): Promise<void> =>
  response
    .then(rendered => send(reply, rendered))
    .catch((error: unknown) => {
      // The error response failed too: close this connection.
      logError('fatal', request, loggableError(error), 'the error response failed')
      reply.hijack()
      // Node may have finished the request already, so that `request.raw.destroy()` would do nothing.
      request.raw.socket.destroy()
    })

// Without a serializer, Fastify would add a charset, which JSON does not have (RFC 8259 §11).
const unchanged = (body: string): string => body

function send(reply: FastifyReply, { status, headers, body }: RenderedResponse): void {
  void setHeaders(reply, headers).code(status).serializer(unchanged).send(body)
}
