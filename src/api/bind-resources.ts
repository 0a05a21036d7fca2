// Binds the resources of an API to its database, its defaults and its caches.

import {
  type ApplicationRoutes,
  type BoundResource,
  type BoundResourceOptions,
  bindResource,
  defaultParameterNames,
  defaultRowsPerRequest,
  findTakenSegments,
  type JoinedApi,
  type LocatedResource,
  narrowToList,
  pageParameters,
  type Resource,
  type ViewPolicies,
} from '#core'
import type { ApiOptions } from './api-options.ts'
import { listReservedParameters } from './api-settings.ts'

/** The parts of an API that its resources share. */
export type SharedParts = JoinedApi &
  ApplicationRoutes &
  Pick<BoundResourceOptions, 'pageCache' | 'tagCache' | 'clock' | 'idempotency' | 'readChildren'>

/** Binds each resource, and each further list of it. */
export const bindResources = (
  options: ApiOptions,
  policies: ViewPolicies,
  shared: SharedParts,
): readonly LocatedResource[] =>
  (options.resources ?? []).map(resource => ({
    bound: bind(resource, options, policies, shared),
    lists: Object.entries(resource.lists ?? {}).map(([name, list]) => ({
      name,
      list,
      bound: bind(narrowToList(resource, list, policies.permissions), options, policies, { ...shared, list: name }),
    })),
  }))

function bind(
  resource: Resource,
  options: ApiOptions,
  policies: ViewPolicies,
  shared: SharedParts & { readonly list?: string },
): BoundResource {
  const { database } = options
  if (database === undefined) throw new Error(`createApi(): resource "${resource.name}" needs the option "database"`)
  const paginator = resource.pagination === undefined ? (options.pagination ?? null) : resource.pagination
  return bindResource(resource, {
    database,
    permissions: resource.permissions ?? policies.permissions,
    parsers: resource.parsers ?? policies.parsers,
    paginator,
    envelope: resource.envelope ?? options.envelope,
    put: resource.put ?? options.put ?? 'whole',
    strict: resource.strict ?? options.strict ?? false,
    unknownFields: resource.unknownFields ?? options.unknownFields ?? 'ignore',
    suggestsIndexes: resource.suggestsIndexes ?? options.suggestsIndexes ?? true,
    parameterNames: { ...defaultParameterNames, ...options.parameters, ...resource.parameters },
    reservedParameters: [
      ...Object.keys(paginator?.parameters ?? {}),
      ...listReservedParameters(options),
      ...(hasPages(resource, policies) ? pageParameters : []),
    ],
    pageSize: options.pageSize,
    rowsPerRequest: options.rowsPerRequest ?? defaultRowsPerRequest,
    secret: options.secret,
    recordChanges: options.recordChanges,
    takenSegments: findTakenSegments(resource, shared),
    ...shared,
  })
}

const hasPages = ({ renderers, perAction }: Resource, policies: ViewPolicies): boolean =>
  (perAction.list?.renderers ?? renderers ?? policies.renderers).some(({ mediaType }) => mediaType === 'text/html')
