// The routes of a resource: its list, its objects and the views below them, at the top level and below parent objects.

import { formatResourcePath } from '../../messages/title.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import { locateResource, type ResourceLocation } from '../bind/resource-location.ts'
import type { DeclaredRowList } from '../declare/row-lists.ts'
import type { ListView } from '../declare/views.ts'
import { formatObjectPattern, listPaths } from '../names/list-paths.ts'
import { createDownloads } from './download.ts'
import { createFeedRoutes } from './feed-routes.ts'
import { createListRoute } from './list-route.ts'
import { reportMissingParents } from './missing-parent.ts'
import { createObjectRoute } from './object-route.ts'
import { completeActions } from './page-actions.ts'
import { createSharedOptions, formatViewNames, type Route, withoutOperationIds } from './route.ts'
import { createListViewOptions, createObjectViewOptions } from './view-routes.ts'

/** A resource that gets routes, with its further lists. */
export interface LocatedResource {
  readonly bound: BoundResource
  readonly lists: readonly BoundList[]
}

/** A further list of a resource, and the resource as the list shows it. */
interface BoundList {
  readonly name: string
  readonly list: DeclaredRowList
  readonly bound: BoundResource
}

/** Creates the routes of a resource, at each of its paths; actions that it does not declare have no route. */
export function createResourceRoutes({ bound, lists }: LocatedResource): readonly Route[] {
  const { resource, api } = bound
  const paths = listPaths(resource, api.resources)
  if (paths.length === 0)
    throw new Error(
      `resource "${resource.name}": nestedUnder: it has URLs only below itself: remove "only", or add another parent`,
    )
  return paths.flatMap((path, index) => {
    const routes = [
      ...createRoutesAt(locateResource(bound, path)),
      ...lists.flatMap(list => createRowListRoute(locateResource(list.bound, path), list)),
    ]
    return index === 0 ? routes : routes.map(route => ({ ...route, view: withoutOperationIds(route.view) }))
  })
}

function createRoutesAt(location: ResourceLocation): readonly Route[] {
  const { resource } = location.bound
  const { lists = {}, listViews = {}, objectViews = {} } = resource
  const { pattern } = location.list
  const objectPattern = formatObjectPattern(resource, location.list)
  const shared = createSharedOptions(location.bound)
  const named = { ...shared, ...(location.bound.envelope && { envelope: location.bound.envelope }) }
  const belowList = Object.entries(listViews).map(([segment, view]) => ({
    path: `${pattern}${view.path ?? segment}/`,
    view: { ...named, ...formatViewNames(resource, segment), ...createListViewOptions(location, segment, view) },
  }))
  const belowObject = Object.entries(objectViews).map(([segment, view]) => ({
    path: `${objectPattern}${view.path ?? segment}/`,
    view: {
      ...named,
      ...formatViewNames(resource, segment),
      ...createObjectViewOptions(location, segment, view),
      ...(view.pageActions && {
        pageActions: completeActions(view.pageActions, location, `objectViews: "${segment}": pageActions`),
      }),
    },
  }))
  const children = [...listChildren(objectViews), ...listNested(location)]
  const object = createObjectRoute(location, objectPattern, { ...shared, children })
  const downloads = createDownloads(location).map(({ segment, view }) => ({
    path: `${objectPattern}${segment}/`,
    view: { ...shared, ...view },
  }))
  return [
    ...(objectPattern === pattern
      ? []
      : createListRoute(location, { ...shared, children: [...Object.keys(lists), ...listChildren(listViews)] })),
    ...createFeedRoutes(location, shared),
    ...reportMissingParents(object, location),
    ...belowList,
    ...reportMissingParents([...belowObject, ...downloads], location),
  ]
}

function createRowListRoute(location: ResourceLocation, { name: segment, list }: BoundList): readonly Route[] {
  const names = formatViewNames(location.bound.resource, segment)
  return createListRoute(location, createSharedOptions(location.bound), `${segment}/`).map(({ path, view }) => ({
    path,
    view: { ...view, ...names, ...(list.name !== undefined && { name: list.name }) },
  }))
}

// The segments of the views directly below; a page cannot link to a path with parameters.
const listChildren = (views: Readonly<Record<string, Pick<ListView, 'path'>>>): readonly string[] =>
  Object.entries(views).flatMap(([name, { path = name }]) => (/[/:]/.test(path) ? [] : [path]))

// The resources that have URLs directly below the objects.
const listNested = ({ bound: { resource, api } }: ResourceLocation): readonly string[] =>
  api.resources
    .filter(({ nestedUnder }) =>
      nestedUnder.some(({ parent: { name, table } }) => name === resource.name && table === resource.table),
    )
    .map(formatResourcePath)
    .filter(path => path !== '')
