// The routes of an API: its root, those of its resources, and its views.

import {
  addSlash,
  createResourceRoutes,
  type LocatedResource,
  type Route,
  type SharedPrefix,
  type ViewOptions,
} from '#core'
import type { ApiOptions } from './api-options.ts'
import { createRootView } from './default-views.ts'

/** Creates the routes of an API, at a prefix that other APIs may share. */
export function createRoutes(
  options: ApiOptions,
  located: readonly LocatedResource[],
  shared: SharedPrefix,
): readonly Route[] {
  const { views = {} } = options
  const root = findRoot(options, shared)
  const resourceRoutes = located.flatMap(createResourceRoutes)
  const viewRoutes = Object.entries(views).map(([path, view]) => ({ path: addSlash(path), view }))
  return [...(root === null ? [] : [{ path: '/', view: root }]), ...resourceRoutes, ...viewRoutes]
}

// The default root view lists the resources of all APIs at the prefix.
function findRoot({ root }: ApiOptions, { routes, resources }: SharedPrefix): ViewOptions | null {
  const hasRoot = routes.some(({ path }) => path === '/')
  if (hasRoot && root)
    throw new Error(
      `createApi(): another API at the same prefix has a root view: remove the option "root", or set it to null there`,
    )
  return hasRoot || root === null ? null : (root ?? createRootView(resources))
}
