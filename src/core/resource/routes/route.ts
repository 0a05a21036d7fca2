// A route of a resource, and what its views share: names, policies and the handlers of actions.

import type { OperationOptions } from '../../describe/openapi-types.ts'
import { formatTitle } from '../../messages/title.ts'
import type { Handler, MethodOptions, ViewOptions, ViewPolicies } from '../../view/view.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import type { Action } from '../declare/action-options.ts'
import type { Resource } from '../declare/resource.ts'
import { hasMethod } from '../declare/resource-methods.ts'
import { addFileParser } from '../write/file-writes.ts'

/** A view and its path below the API's prefix, with a trailing slash. */
export interface Route {
  readonly path: string
  readonly view: ViewOptions
}

/** The names of a view, for programs and for people. */
export type ViewNames = Required<Pick<ViewOptions, 'id' | 'name'>>

/** The names of the view of a list. */
export const formatListName = ({ name, title }: Pick<Resource, 'name' | 'title'>): ViewNames => ({
  id: `${name}-list`,
  name: `${title} List`,
})

/** The names of the view of an object. */
export const formatObjectName = ({ name, title }: Pick<Resource, 'name' | 'title'>): ViewNames => ({
  id: `${name}-detail`,
  name: `${title} Instance`,
})

/** The names of a further view; `segment` is its name in the declaration. */
export const formatViewNames = ({ name, title }: Resource, segment: string): ViewNames => ({
  id: `${name}-${segment}`,
  name: `${title} ${formatTitle(segment)}`,
})

/** Options that several views share. */
export type SharedOptions = Partial<ViewPolicies> &
  Pick<
    ViewOptions,
    | 'description'
    | 'resource'
    | 'unknownFields'
    | 'rawBody'
    | 'responseHeaders'
    | 'auditEvent'
    | 'children'
    | 'headers'
    | 'openapi'
    | 'usesLanguage'
  >

/** Creates the options that all views of a resource share. */
export const createSharedOptions = (bound: BoundResource): SharedOptions => ({
  ...createResourceOptions(bound.resource),
  ...(usesLanguage(bound) && { usesLanguage: true }),
})

// Whether the SQL of fields or queries depends on the language of the request.
function usesLanguage({ resource, filters, search, ordering }: BoundResource): boolean {
  const fields = [...Object.values(resource.fields), ...search.path, ...ordering.path]
  const used = [...fields.flatMap(field => [field, field.queriedAs ?? field, field.orderedBy ?? field]), ...filters.all]
  return used.some(({ requestUses }) => requestUses?.language)
}

const createResourceOptions = (resource: Resource): SharedOptions => ({
  description: resource.description,
  resource: {
    name: resource.name,
    ...(resource.path !== undefined && { path: resource.path }),
    title: resource.title,
    pages: resource.pages,
  },
  ...(resource.unknownFields !== undefined && { unknownFields: resource.unknownFields }),
  ...(resource.rawBody !== undefined && { rawBody: resource.rawBody }),
  ...(resource.responseHeaders !== undefined && { responseHeaders: resource.responseHeaders }),
  ...(resource.auditEvent !== undefined && { auditEvent: resource.auditEvent }),
  ...(resource.openapi !== undefined && { openapi: resource.openapi }),
  ...((resource.noStore || resource.headers) && {
    headers: { ...resource.headers, ...(resource.noStore && { 'cache-control': 'no-store' }) },
  }),
  ...pickPolicies(resource),
})

function pickPolicies(resource: Resource): Partial<ViewPolicies> {
  const { authentication, permissions, throttles, parsers, renderers } = resource
  return {
    ...(authentication && { authentication }),
    ...(permissions && { permissions }),
    ...(throttles && { throttles }),
    ...(parsers && { parsers }),
    ...(renderers && { renderers }),
  }
}

/** The handler of an action, and its method. */
export type ActionHandler = readonly [action: Action, method: string, handle: Handler]

/** Creates the handlers of those actions that the resource declares, with their policies. */
export function createHandlers(
  bound: BoundResource,
  handlers: readonly ActionHandler[],
): Record<string, MethodOptions> {
  const { resource, parsers, plans } = bound
  const { actions, perAction } = resource
  return Object.fromEntries(
    handlers
      .filter(([action, method]) => actions.includes(action) && hasMethod(resource, method))
      .map(([action, method, handle]) => {
        const { takes: _takes, shows: _shows, status: _status, openapi, ...policies } = perAction[action] ?? {}
        const given = policies.parsers ?? parsers
        const accepted =
          method === 'GET' || method === 'DELETE' ? given : addFileParser(bound, given, plans[action].takes)
        return [
          method,
          {
            handle,
            ...policies,
            ...(openapi !== undefined && {
              // An update is a PUT and a PATCH, and only one of them can have the name that the application gives.
              openapi: method === 'PUT' ? withoutOperationId(openapi) : openapi,
            }),
            ...(accepted !== given && { parsers: accepted }),
          },
        ]
      }),
  )
}

/** The view without the names of operations, which another view has. */
export const withoutOperationIds = (view: ViewOptions): ViewOptions => ({
  ...view,
  ...(view.openapi !== undefined && { openapi: withoutOperationId(view.openapi) }),
  handlers: Object.fromEntries(
    Object.entries(view.handlers).map(([method, handler]) => [
      method,
      typeof handler === 'function' || handler.openapi === undefined
        ? handler
        : { ...handler, openapi: withoutOperationId(handler.openapi) },
    ]),
  ),
})

function withoutOperationId(options: OperationOptions | false): OperationOptions | false {
  if (options === false) return false
  const { operationId: _, ...others } = options
  return others
}
