// An API as its resources see it: it finds the API of each related resource, with the URLs and the row filters of that
// API (decision 047). All APIs of an application are known when Fastify becomes ready; nothing may be looked up earlier.

import type { ParseContext, RelationTarget } from '../../fields/field.ts'
import type { UrlEnd } from '../../http/urls/trailing-slash.ts'
import type { Permission } from '../../policy/permissions/permission.ts'
import type { View } from '../../view/view.ts'
import { findTargetApi } from './find-target-api.ts'
import { createRouteFinder } from './route-finder.ts'
import {
  createOwnFilterFinder,
  createRowFilterFinders,
  type FilteredApi,
  type RowFilterFinders,
} from './row-filter-finder.ts'

/** The properties of an API that relations of other APIs use. */
export interface ApiProperties extends Omit<FilteredApi, 'findOwnFilter'> {
  /** The path prefix on the server, without a trailing slash. */
  readonly prefix: string
  /** Without a trailing slash; undefined if URLs begin with the scheme and host of the request. */
  readonly publicUrl: string | undefined
  /** The heading of its resources on pages; null: pages do not list them; undefined: derived from the prefix. */
  readonly title?: string | null | undefined
  /** Whether its pages are for staff. */
  readonly isAdministration?: boolean
  /** The end of the URLs in links. */
  readonly urlEnd: UrlEnd
  /** The permissions of resources that declare none. */
  readonly permissions: readonly Permission[]
  /** Finds the view of this API with this path pattern. */
  readonly findView: (path: string) => View | undefined
}

/** What waits until the relations of all APIs are known. */
export interface WhenResolved {
  /** Runs `prepare` at that time, before the first request. */
  readonly whenResolved: (prepare: () => unknown) => void
}

export interface MountedApi extends ApiProperties, FilteredApi, RowFilterFinders {
  /** Finds the API of a related resource. */
  readonly findApi: (target: RelationTarget) => MountedApi
  /** Finds the paths of objects below the prefix. */
  readonly route: ParseContext['route']
  /** Creates the context in which a request to this API is parsed. */
  readonly createParseContext: (baseUrl: string) => ParseContext
}

/** Creates an API. `apis`: all APIs of its application. */
export function createMountedApi(properties: ApiProperties, apis: readonly MountedApi[]): MountedApi {
  const { resources, permissions } = properties
  const filtered = { ...properties, findOwnFilter: createOwnFilterFinder(permissions) }
  const api: MountedApi = Object.freeze({
    ...filtered,
    ...createRowFilterFinders(filtered, apis),
    findApi(target: RelationTarget): MountedApi {
      const found = findTargetApi(api, target, apis)
      // Relations are checked at start, except those inside nested objects of a resource that no API has.
      return 'api' in found ? found.api : api
    },
    route: createRouteFinder(resources, properties.urlEnd),
    createParseContext: (baseUrl: string) => ({
      baseUrl,
      route: api.route,
      findApi(target: RelationTarget) {
        const other = api.findApi(target)
        return { baseUrl: toBaseUrl(other, api, baseUrl), route: other.route }
      },
    }),
  })
  return api
}

/** The base URL (or the root path) of an API, if `baseUrl` is the base URL (or the root path) of the API `own`. */
export const toBaseUrl = (api: ApiProperties, own: ApiProperties, baseUrl: string): string =>
  api === own ? baseUrl : (findOtherOrigin(api, own) ?? toOrigin(own, baseUrl)) + api.prefix

/** The public URL of an API, if it has one that differs from the public URL of the API `own`. */
export const findOtherOrigin = (api: ApiProperties, own: ApiProperties): string | undefined =>
  api.publicUrl === own.publicUrl ? undefined : api.publicUrl

/** Removes the prefix of an API from its base URL or root path. */
export const toOrigin = ({ prefix }: ApiProperties, baseUrl: string): string =>
  baseUrl.slice(0, baseUrl.length - prefix.length)
