// The APIs that one server mounts at one prefix. They share the root view, the folder of assets and the
// catch-all route of the API that is registered first.

import type { FastifyInstance, RouteOptions } from 'fastify'
import type { Asset } from '../../http/renderers/renderer.ts'
import { formatShape } from '../../http/urls/path-parameters.ts'
import type { TrailingSlash } from '../../http/urls/trailing-slash.ts'
import type { View } from '../../view/view.ts'
import type { Resource } from '../declare/resource.ts'
import type { PrefixedRoute } from './check-routes.ts'

/** The routes, views and resources of all APIs at one prefix. Each API adds its own when it is registered. */
export interface SharedPrefix {
  readonly trailingSlash: TrailingSlash
  /** The routes of all these APIs. */
  readonly routes: PrefixedRoute[]
  /** The views by path. */
  readonly views: Map<string, View>
  /** The resources, which the default root view lists. */
  readonly resources: Resource[]
  /** The files of renderers, by name. */
  readonly assets: Map<string, Asset>
  /** The methods of the application's own routes, by the shape of their paths below the prefix. */
  readonly ownRoutes: Map<string, readonly string[]>
}

const prefixes = new WeakMap<FastifyInstance['server'], Map<string, SharedPrefix>>()

/** The routes of all APIs of the server. */
export const listServerRoutes = ({ server }: FastifyInstance): readonly PrefixedRoute[] =>
  [...(prefixes.get(server) ?? []).values()].flatMap(({ routes }) => routes)

/** Adds a route of the application to the prefix that it is below, so that other methods of its URL are 405. */
export function addOwnRoute({ server }: FastifyInstance, { method, url }: Pick<RouteOptions, 'method' | 'url'>): void {
  const below = [...(prefixes.get(server) ?? [])].filter(([prefix]) => url.startsWith(`${prefix}/`))
  const [found] = below.toSorted(([left], [right]) => right.length - left.length)
  if (found === undefined) return
  const [prefix, { ownRoutes }] = found
  const shape = formatShape(url.slice(prefix.length))
  ownRoutes.set(shape, [...(ownRoutes.get(shape) ?? []), ...[method].flat()])
}

/** The views of all APIs of the server whose prefix is this one, or below it. */
export const listViewsBelow = (server: FastifyInstance['server'], prefix: string): readonly View[] =>
  [...(prefixes.get(server) ?? [])]
    .filter(([other]) => other === prefix || other.startsWith(`${prefix}/`))
    .flatMap(([, { views }]) => [...views.values()])

/** Finds what the APIs at this prefix share; throws if their URLs end differently. `isFirst`: no other API is there yet. */
export function joinPrefix(
  { server }: FastifyInstance,
  prefix: string,
  trailingSlash: TrailingSlash,
): { readonly shared: SharedPrefix; readonly isFirst: boolean } {
  const ofServer = prefixes.get(server) ?? new Map<string, SharedPrefix>()
  prefixes.set(server, ofServer)
  const found = ofServer.get(prefix)
  const shared: SharedPrefix = found ?? {
    ...{ trailingSlash, routes: [], resources: [] },
    views: new Map(),
    assets: new Map(),
    ownRoutes: new Map(),
  }
  if (shared.trailingSlash !== trailingSlash)
    throw new Error(
      `createApi(): another API at the prefix "${prefix}" has another "trailingSlash": set the same one, or choose another prefix`,
    )
  ofServer.set(prefix, shared)
  return { shared, isFirst: found === undefined }
}
