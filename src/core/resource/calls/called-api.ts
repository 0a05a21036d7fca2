// The resources of an API as calls of their actions find them: with the API's permissions, or without any for a context
// that ignores permissions. The second binding is created when a call first needs it.

import type { CalledResource } from '../../http/context.ts'
import { formatListPath } from '../../messages/title.ts'
import type { View, ViewOptions } from '../../view/view.ts'
import { type BoundResource, bindResource } from '../bind/bound-resource.ts'
import { restrictToVisibleParents } from '../bind/resource-location.ts'
import { restrict, withoutEnvelope } from '../bind/restrict.ts'
import type { Resource } from '../declare/resource.ts'
import { hasUrl, prefer } from '../names/find-target-api.ts'
import { findListPath, formatObjectPattern } from '../names/list-paths.ts'
import { type MountedApi, toBaseUrl } from '../names/mounted-api.ts'
import { findExistingFilter } from '../names/row-filter-finder.ts'
import { formatListName, formatObjectName } from '../routes/route.ts'
import { createChildrenReader, type FindChildren } from '../write/children/read-children.ts'
import { type CalledApi, createActionCalls } from './action-calls.ts'

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

const calledApis = new WeakMap<MountedApi, CalledApi>()

/** Creates the calls of an API's actions. They also find resources in other APIs of the application. */
export function createApiCalls(options: CalledApiOptions): ReturnType<typeof createActionCalls> {
  const { api: own, isReady } = options
  calledApis.set(own, createCalledApi(options))
  return createActionCalls((resource, baseUrl) => {
    if (!isReady()) throw new Error(`${resource.name}: its actions were called before "await app.ready()"`)
    const api = findCalledApi(options, resource)
    return { api: calledApis.get(api)!, baseUrl: toBaseUrl(api, own, baseUrl) }
  })
}

/** Creates the function that finds the children of an API's resources. `findApi`: the API, once it is known. */
export const createChildrenFinder =
  (
    findApi: () => MountedApi,
    { ignoresPermissions = false }: { readonly ignoresPermissions?: boolean } = {},
  ): FindChildren =>
  target => {
    const own = findApi()
    const api = own.findApi(target)
    return {
      bound: calledApis.get(api)!.findBound(target, { ignoresPermissions, takesAll: false }),
      toBaseUrl: baseUrl => toBaseUrl(api, own, baseUrl),
    }
  }

function createCalledApi({ api, boundResources, findView, createView }: CalledApiOptions): CalledApi {
  // Values of calls have no names around them.
  const called = boundResources.map(withoutEnvelope)
  const otherViews = new Map<string, View>()
  return {
    findBound(resource, { ignoresPermissions, takesAll }) {
      const bound = called.find(candidate => isSame(candidate.resource, resource))!
      const permitted = ignoresPermissions ? removePermissions(bound) : restrictToVisibleParents(bound)
      return takesAll ? takeAllFields(permitted) : permitted
    },
    findView({ resource }, action) {
      const { authentication } = resource
      const list = findListPath(resource, api.resources) ?? {
        pattern: formatListPath(resource),
        parents: [],
      }
      const [path, names] =
        action === 'create' && resource.singleton === undefined
          ? [list.pattern, formatListName(resource)]
          : [formatObjectPattern(resource, list), formatObjectName(resource)]
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

// The context's API if it has the resource, otherwise the one other API of the application that has it, as for relations. A
// transaction covers one database, so that API must use the same one.
function findCalledApi({ api: own, apis }: CalledApiOptions, resource: CalledResource): MountedApi {
  const findOwn = ({ resources }: MountedApi) => resources.find(candidate => isSame(candidate, resource))
  if (findOwn(own) !== undefined) return own
  const all = apis.filter(api => findOwn(api) !== undefined)
  const candidates = prefer(
    all.filter(({ database }) => database === own.database),
    api => hasUrl(findOwn(api)!),
  )
  const [found, ...others] = candidates
  if (found !== undefined && others.length === 0) return found
  throw new Error(
    `the API "${own.name}" has no resource "${resource.name}", whose action was called${found === undefined ? explainMissing(own, all) : explainSeveral(own, candidates)}`,
  )
}

const explainMissing = (own: MountedApi, [other]: readonly MountedApi[]): string =>
  other === undefined
    ? `: ${adviseToAdd(own)}`
    : `, and the API "${other.name}", which has it, uses another database: create the context with createContext(app, { api: "${other.name}", … })`

const explainSeveral = (own: MountedApi, apis: readonly MountedApi[]): string =>
  `, and several others have it (${apis.map(({ name }) => `"${name}"`).join(', ')}): ${adviseToAdd(own)}`

const adviseToAdd = ({ name }: MountedApi): string =>
  `add it to "resources" of the API "${name}"; with "actions: []" it has no URL`

const removePermissions = (bound: BoundResource): BoundResource =>
  restrict(bound, 'without permissions', () => {
    const { resource, tables, hookChecks, writeQueues } = bound
    const perAction = Object.fromEntries(
      Object.entries(resource.perAction).map(([action, { permissions: _, ...options }]) => [action, options]),
    )
    const unrestricted = bindResource(
      { ...resource, permissions: [], perAction },
      {
        ...bound,
        permissions: [],
        api: showAllRows(bound.api),
        readChildren: createChildrenReader(createChildrenFinder(() => bound.api, { ignoresPermissions: true })),
        whenResolved: prepare => void prepare(),
      },
    )
    return { ...unrestricted, tables, hookChecks, writeQueues, ignoresPermissions: true }
  })

/** The resource whose update takes every writable field, also those that `perAction.update.takes` leaves out. */
function takeAllFields(bound: BoundResource): BoundResource {
  const { resource, plans } = bound
  if (resource.perAction.update?.takes === undefined) return bound
  const update = { ...plans.update, takes: resource.fields }
  return restrict(bound, 'all fields', () => ({ plans: { ...plans, update } }))
}

const unfilteredApis = new WeakMap<MountedApi, MountedApi>()

// The API without the row filters of permissions, and of the APIs that it refers to. Rows that do not exist stay hidden.
function showAllRows(api: MountedApi): MountedApi {
  const found = unfilteredApis.get(api)
  if (found !== undefined) return found
  const unfiltered: MountedApi = {
    ...api,
    findRowFilter: target =>
      target.name === undefined
        ? findExistingFilter(target.table, [api])
        : (target as Pick<Resource, 'ownRows'>).ownRows,
    findParentFilter: () => undefined,
    findApi: target => showAllRows(api.findApi(target)),
  }
  unfilteredApis.set(api, unfiltered)
  return unfiltered
}
