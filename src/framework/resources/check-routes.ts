// Checks that no two routes match the same URLs. Where two paths differ first, a fixed segment has priority over a parameter,
// so `/orders/late/` may stand beside `/orders/:key/`; paths that differ only in the names of parameters may not.

import { formatShape } from '../urls/path-parameters.ts'
import type { Route } from './route.ts'

/** A route of one of the APIs of a server. */
export interface PrefixedRoute extends Route {
  /** The prefix of its API, without a trailing slash. */
  readonly prefix: string
}

/** Throws for the first two routes that match the same URLs. */
export function checkRoutes(routes: readonly PrefixedRoute[]): void {
  const byShape = new Map<string, PrefixedRoute>()
  for (const route of routes) {
    const shape = formatShape(route.prefix + route.path)
    const other = byShape.get(shape)
    if (other !== undefined)
      throw new Error(
        `createApi(): the views ${formatRoute(other)} and ${formatRoute(route)} match the same URLs: rename a part of one of these paths`,
      )
    byShape.set(shape, route)
  }
}

const formatRoute = ({ prefix, path, view: { name, id = name } }: PrefixedRoute): string => `"${id}" (${prefix}${path})`
