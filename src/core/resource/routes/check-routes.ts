// Checks that no two routes match the same URLs. Where two paths differ first, a fixed segment has priority over a parameter,
// so `/orders/late/` may stand beside `/orders/:key/`; paths that differ only in the names of parameters may not.

import { formatShape } from '../../http/urls/path-parameters.ts'
import type { Route } from './route.ts'

/** A route of one of the APIs of a server. */
export interface PrefixedRoute extends Route {
  /** The prefix of its API, without a trailing slash. */
  readonly prefix: string
  /** The name of its API. */
  readonly api: string
}

/** Throws for the first two routes that match the same URLs. */
export function checkRoutes(routes: readonly PrefixedRoute[]): void {
  const byShape = new Map<string, PrefixedRoute>()
  for (const route of routes) {
    const shape = formatShape(route.prefix + route.path)
    const other = byShape.get(shape)
    if (other !== undefined) throw new Error(`createApi(): ${explainConflict(other, route)}`)
    byShape.set(shape, route)
  }
}

function explainConflict(one: PrefixedRoute, other: PrefixedRoute): string {
  const format = [formatRoute, formatWithResource, formatWithApi].find(format => format(one) !== format(other))
  if (format === undefined)
    return `the view ${formatRoute(one)} is declared twice: remove one of them, or rename a part of its path`
  return `the views ${format(one)} and ${format(other)} match the same URLs: rename a part of one of these paths`
}

const formatRoute = ({ prefix, path, view: { name, id = name } }: PrefixedRoute): string => `"${id}" (${prefix}${path})`

function formatWithResource(route: PrefixedRoute): string {
  const { resource } = route.view
  return `${formatRoute(route)} of ${resource === undefined ? 'no resource' : `resource "${resource.name}"`}`
}

const formatWithApi = (route: PrefixedRoute): string => `${formatRoute(route)} of API "${route.api}"`
