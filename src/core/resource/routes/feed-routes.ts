// The routes of the changes of a list.

import type { HandlerContext } from '../../http/context.ts'
import type { Handler } from '../../view/view.ts'
import type { ResourceLocation } from '../bind/resource-location.ts'
import { listChanges, openFeed } from '../feed/feed.ts'
import { createListScope } from './list-route.ts'
import { describeChanges, describeFeed } from './operations/feed-operations.ts'
import { createHandlers, formatViewNames, type Route, type SharedOptions } from './route.ts'

/** Creates the routes `feed/` and `changes/`; none without the option `feed`. */
export function createFeedRoutes(location: ResourceLocation, shared: SharedOptions): readonly Route[] {
  const { bound, list, findParent } = location
  const { resource } = bound
  if (resource.feed !== true) return []
  const scope = { ...createListScope(location, ''), check: async (context: HandlerContext) => findParent?.(context) }
  const createRoute = (segment: string, handle: Handler, describe: typeof describeFeed): Route => ({
    path: `${list.pattern}${segment}/`,
    view: {
      ...shared,
      ...formatViewNames(resource, segment),
      lenientAccept: segment === 'feed',
      handlers: createHandlers(bound, [['list', 'GET', handle]]),
      operations: { GET: describe(location) },
    },
  })
  return [
    createRoute('feed', openFeed(bound, scope), describeFeed),
    createRoute('changes', listChanges(bound, scope), describeChanges),
  ]
}
