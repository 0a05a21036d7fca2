// The resources of an API as calls of their actions find them: with the API's permissions, or without any for a context
// that ignores permissions. The second binding is created when a call first needs it.

import type { CalledResource } from '../context.ts'
import type { View, ViewOptions } from '../view.ts'
import { type CalledApi, createActionCalls } from './action-calls.ts'
import { type BoundResource, bindResource } from './bound-resource.ts'
import type { MountedApi } from './mounted-api.ts'
import type { Resource } from './resource.ts'
import { formatListName, formatObjectName } from './routes.ts'

export interface CalledApiOptions {
  readonly api: MountedApi
  /** All APIs of the application. */
  readonly apis: readonly MountedApi[]
  readonly boundResources: readonly BoundResource[]
  /** Whether the application has resolved the relations of its APIs. */
  readonly isReady: () => boolean
  readonly findView: (path: string) => View | undefined
  /** Creates the view of an action that has no URL. */
  readonly createView: (path: string, options: ViewOptions) => View
}

/** Creates the calls of an API's actions. */
export const createApiCalls = (options: CalledApiOptions): ReturnType<typeof createActionCalls> =>
  createActionCalls(createCalledApi(options))

function createCalledApi(options: CalledApiOptions): CalledApi {
  const { boundResources, isReady, findView, createView } = options
  const unrestricted = new Map<BoundResource, BoundResource>()
  const otherViews = new Map<string, View>()
  return {
    findBound(resource, ignoresPermissions) {
      if (!isReady()) throw new Error(`${resource.name}: its actions were called before "await app.ready()"`)
      const bound = boundResources.find(candidate => isSame(candidate.resource, resource))
      if (bound === undefined) throw new Error(explainMissing(options, resource))
      if (!ignoresPermissions) return bound
      const found = unrestricted.get(bound) ?? bindWithoutPermissions(bound)
      unrestricted.set(bound, found)
      return found
    },
    findView({ resource }, action) {
      const { name, authentication } = resource
      const [path, names] =
        action === 'create' ? [`/${name}/`, formatListName(resource)] : [`/${name}/:key/`, formatObjectName(resource)]
      const view = findView(path) ?? otherViews.get(path)
      if (view !== undefined) return view
      const created = createView(path, { ...names, handlers: {}, ...(authentication && { authentication }) })
      otherViews.set(path, created)
      return created
    },
  }
}

const isSame = (resource: Resource, called: CalledResource): boolean =>
  resource.name === called.name && resource.table === called.table

function explainMissing({ api, apis }: CalledApiOptions, resource: CalledResource): string {
  const start = `the API "${api.name}" has no resource "${resource.name}", whose action was called`
  const other = apis.find(({ resources }) => resources.some(candidate => isSame(candidate, resource)))
  return other === undefined
    ? `${start}: add it to "resources"`
    : `${start}: the API "${other.name}" has it, so create the context with createContext(app, { api: "${other.name}", … })`
}

function bindWithoutPermissions(bound: BoundResource): BoundResource {
  const { resource, tables, writeQueues } = bound
  const perAction = Object.fromEntries(
    Object.entries(resource.perAction).map(([action, { permissions: _, ...options }]) => [action, options]),
  )
  return {
    ...bindResource(
      { ...resource, permissions: [], perAction },
      { ...bound, permissions: [], api: showAllRows(bound.api), whenResolved: prepare => void prepare() },
    ),
    tables,
    writeQueues,
    ignoresPermissions: true,
  }
}

const unfilteredApis = new WeakMap<MountedApi, MountedApi>()

// The API without the row filters of its resources, and of the APIs that they refer to.
function showAllRows(api: MountedApi): MountedApi {
  const found = unfilteredApis.get(api)
  if (found !== undefined) return found
  const unfiltered: MountedApi = {
    ...api,
    findRowFilter: () => undefined,
    findApi: target => showAllRows(api.findApi(target)),
  }
  unfilteredApis.set(api, unfiltered)
  return unfiltered
}
