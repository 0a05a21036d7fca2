// Builds the URLs of resources and views in code: `reverse(orders, key, context)`.

import { adviseName } from '../../base/nearest-name.ts'
import type { RelationTarget } from '../../fields/field.ts'
import { findPathIdentifier } from '../../fields/identifier.ts'
import type { CallContext, UrlParameters } from '../../http/context.ts'
import { listParameterNames } from '../../http/urls/path-parameters.ts'
import { endUrl } from '../../http/urls/trailing-slash.ts'
import { formatPathSegment, isPathSegment, type KeyValue } from '../../keys/key.ts'
import { type MountedApi, toBaseUrl } from '../names/mounted-api.ts'
import type { Route } from './route.ts'

type Context = Pick<CallContext, 'view' | 'baseUrl'>

/**
 * Returns the absolute URL of a resource's list, of one of its objects, or of a view by its id, such as `orders-ship`, as hyperlinks
 * in responses are. An object is named by what its URLs contain: its key, its public id or the value of its `lookup`. Other
 * parameters of a path, such as the keys of parents, are given by name. Throws an Error that lists what exists if no route has
 * the name, or the parameters.
 *
 * @example
 * reverse(orders, context) // https://shop.example.org/orders/
 * reverse(orders, 7, context) // https://shop.example.org/orders/7/
 * reverse('orders-ship', { key: 7, line: 3 }, context) // https://shop.example.org/orders/7/lines/3/ship/
 */
export function reverse(target: RelationTarget | string, context: Context): string
export function reverse(target: RelationTarget | string, parameters: KeyValue | UrlParameters, context: Context): string
export function reverse(
  target: RelationTarget | string,
  ...given: readonly [Context] | readonly [KeyValue | UrlParameters, Context]
): string {
  const [parameters, context]: readonly [KeyValue | UrlParameters, Context] =
    given.length === 1 ? [{}, given[0]] : given
  // Node runs TypeScript without checking types.
  if (context?.view === undefined)
    throw new Error(
      'reverse(): its last argument must be the context of a handler or a hook, or that of createContext()',
    )
  return context.view.reverse(
    target,
    typeof parameters === 'object' && parameters !== null ? parameters : { key: parameters },
    context.baseUrl,
  )
}

const routesOfApis = new WeakMap<MountedApi, readonly Route[]>()

/** Creates the function that builds URLs from the routes of an API, and of the other APIs that its resources refer to. */
export function createReverse(own: MountedApi, routes: readonly Route[]): Context['view']['reverse'] {
  routesOfApis.set(own, routes)
  return (named, parameters, baseUrl) => {
    // The type of `reverse` ensures that an object is a whole resource.
    const target = named as RelationTarget | string
    const api = typeof target === 'string' ? own : own.findApi(target)
    const path = findPath(routesOfApis.get(api) ?? [], target, parameters)
    return endUrl(toBaseUrl(api, own, baseUrl) + path, api.urlEnd)
  }
}

function findPath(routes: readonly Route[], target: RelationTarget | string, parameters: UrlParameters): string {
  const ids = typeof target === 'string' ? [target] : [`${target.name}-list`, `${target.name}-detail`]
  const paths = routes.filter(({ view: { name, id = name } }) => ids.includes(id)).map(({ path }) => path)
  if (paths.length === 0) throw new Error(explainMissing(routes, target))
  const names = Object.keys(parameters)
  const path = paths.find(pattern => {
    const needed = listParameterNames(pattern)
    return needed.length === names.length && needed.every(name => names.includes(name))
  })
  if (path === undefined) throw new Error(explainParameters(paths, target, names))
  if (typeof target !== 'string' && parameters.key !== undefined) checkName(target, parameters.key)
  return path.replace(/:([^/]+)/g, (_, name: string) => formatSegment(name, parameters[name]!))
}

function formatSegment(name: string, value: KeyValue): string {
  // Node runs TypeScript without checking types.
  if (value == null || !isPathSegment(value) || Number.isNaN(value))
    throw new Error(`reverse(): the parameter "${name}" cannot be "${value}"`)
  return formatPathSegment(value)
}

function checkName(target: RelationTarget, value: KeyValue): void {
  const identifier = findPathIdentifier(target)
  if (identifier.parse(String(value)) === undefined)
    throw new Error(
      `reverse(): "${value}" is not in a URL of "${target.name}": give the value of its column "${identifier.column}"`,
    )
}

const formatTarget = (target: RelationTarget | string): string =>
  `"${typeof target === 'string' ? target : target.name}"`

function explainMissing(routes: readonly Route[], target: RelationTarget | string): string {
  if (typeof target !== 'string')
    return `reverse(): the resource ${formatTarget(target)} has no URL here: add it to the "resources" of the API`
  const ids = [...new Set(routes.map(({ view: { name, id = name } }) => id))]
  const advice = adviseName(target, ids)
  return `reverse(): there is no view ${formatTarget(target)}${advice === '' ? `: the views are ${ids.join(', ')}` : advice}`
}

function explainParameters(
  paths: readonly string[],
  target: RelationTarget | string,
  names: readonly string[],
): string {
  const given = names.length === 0 ? 'no parameters' : `the parameters ${names.join(', ')}`
  return `reverse(): no URL of ${formatTarget(target)} has ${given}: its paths are ${paths.join(', ')}`
}
