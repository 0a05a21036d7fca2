// The routes of a resource: its list, its objects and the views below them, at the top level and below parent objects.

import type { HandlerContext, RequestContext } from '../context.ts'
import { NotFound } from '../errors/exceptions.ts'
import { listOnWire, nameOnWire } from '../fields/wire-names.ts'
import type { Form } from '../metadata.ts'
import { combineFilters } from '../permissions/row-filter.ts'
import { endUrl } from '../urls/trailing-slash.ts'
import type { Handler, MethodOptions, ViewOptions, ViewPolicies } from '../view.ts'
import { create, type PrepareUrlColumns, readNoColumns } from './actions/create.ts'
import { destroy } from './actions/destroy.ts'
import { list } from './actions/list.ts'
import { putSingleton } from './actions/put-singleton.ts'
import { retrieve } from './actions/retrieve.ts'
import { update } from './actions/update.ts'
import type { BoundResource } from './bound-resource.ts'
import { type BulkLocation, createMany, destroyMany, updateMany } from './bulk/bulk-handlers.ts'
import { completeBulk } from './bulk/check-bulk.ts'
import { createDownloads } from './download.ts'
import { acceptFiles, addFileParser } from './file-writes.ts'
import { createListMetadata } from './list-metadata.ts'
import {
  findListPath,
  formatListPath,
  formatObjectPattern,
  isOnlyNested,
  type ListPath,
  listPaths,
} from './list-paths.ts'
import { reportMissingParents } from './missing-parent.ts'
import { readObjectId } from './object-id.ts'
import type { Action, Resource } from './resource.ts'
import { locateResource, makeReadOnly, type ResourceLocation, withoutParent } from './resource-location.ts'
import type { DeclaredRowList } from './row-lists.ts'
import { listSelectionParameters } from './selection/resource-selection.ts'
import { createListFilter } from './sql/parents.ts'
import { formatTitle } from './title.ts'
import { createListMethods, createListViewOptions, createObjectViewOptions } from './view-routes.ts'
import type { ListView } from './views.ts'
import { findPermissionObject, loadObject } from './write.ts'

/** A view and its path below the API's prefix, with a trailing slash. */
export interface Route {
  readonly path: string
  readonly view: ViewOptions
}

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
  return paths.flatMap(path => [
    ...createRoutesAt(locateResource(bound, path)),
    ...lists.flatMap(list => createRowListRoute(locateResource(list.bound, path), list)),
  ])
}

function createRoutesAt(location: ResourceLocation): readonly Route[] {
  const { resource } = location.bound
  const { lists = {}, listViews = {}, objectViews = {} } = resource
  const { pattern } = location.list
  const objectPattern = formatObjectPattern(resource, location.list)
  const shared = createShared(resource)
  const named = { ...shared, ...(location.bound.envelope && { envelope: location.bound.envelope }) }
  const belowList = Object.entries(listViews).map(([segment, view]) => ({
    path: `${pattern}${view.path ?? segment}/`,
    view: { ...named, ...formatViewNames(resource, segment), ...createListViewOptions(location, segment, view) },
  }))
  const belowObject = Object.entries(objectViews).map(([segment, view]) => ({
    path: `${objectPattern}${view.path ?? segment}/`,
    view: { ...named, ...formatViewNames(resource, segment), ...createObjectViewOptions(location, segment, view) },
  }))
  const children = [...listChildren(objectViews), ...listNested(location)]
  const object = createObjectRoute(location, objectPattern, { ...shared, children })
  const downloads = createDownloads(location.objects).map(({ segment, view }) => ({
    path: `${objectPattern}${segment}/`,
    view: { ...shared, ...view },
  }))
  return [
    ...(objectPattern === pattern
      ? []
      : createListRoute(location, { ...shared, children: [...Object.keys(lists), ...listChildren(listViews)] })),
    ...reportMissingParents(object, location),
    ...belowList,
    ...reportMissingParents([...belowObject, ...downloads], location),
  ]
}

function createRowListRoute(location: ResourceLocation, { name: segment, list }: BoundList): readonly Route[] {
  const { resource } = location.bound
  const names = formatViewNames(resource, segment)
  return createListRoute(location, createShared(resource), `${segment}/`).map(({ path, view }) => ({
    path,
    view: { ...view, ...names, ...(list.name !== undefined && { name: list.name }) },
  }))
}

// The options that all views of a resource share.
const createShared = (resource: Resource): Shared => ({
  description: resource.description,
  resource: { name: resource.name, title: resource.title },
  ...(resource.auditEvent !== undefined && { auditEvent: resource.auditEvent }),
  ...(resource.noStore && { headers: { 'cache-control': 'no-store' } }),
  ...pickPolicies(resource),
})

const formatViewNames = ({ name, title }: Resource, segment: string): ViewNames => ({
  id: `${name}-${segment}`,
  name: `${title} ${formatTitle(segment)}`,
})

// The segments of the views directly below; a page cannot link to a path with parameters.
const listChildren = (views: Readonly<Record<string, Pick<ListView, 'path'>>>): readonly string[] =>
  Object.entries(views).flatMap(([name, { path = name }]) => (/[/:]/.test(path) ? [] : [path]))

// The resources that have URLs directly below the objects.
const listNested = ({ bound: { resource, api } }: ResourceLocation): readonly string[] =>
  api.resources
    .filter(({ nestedUnder }) =>
      nestedUnder.some(({ parent: { name, table } }) => name === resource.name && table === resource.table),
    )
    .map(({ name }) => name)

type ViewNames = Required<Pick<ViewOptions, 'id' | 'name'>>

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

type Shared = Partial<ViewPolicies> &
  Pick<ViewOptions, 'description' | 'resource' | 'auditEvent' | 'children' | 'headers'>

// `segment`: the rest of the path of a further list.
function createListRoute(location: ResourceLocation, shared: Shared, segment = ''): readonly Route[] {
  const { bound, list: path, findParent } = location
  const { resource, plans } = bound
  const actions = createHandlers(bound, [
    ['list', 'GET', createListHandler(location, segment)],
    ['create', 'POST', createCreateHandler(location)],
    ...createBulkHandlers(location),
  ])
  const methods = createListMethods(location, 'listMethods', resource.listMethods ?? { handlers: {} })
  const handlers = { ...actions, ...methods.handlers }
  if (Object.keys(handlers).length === 0) return []
  const createForm: Form = {
    heading: 'Create',
    fields: listOnWire(withoutParent(plans.create.takes, path)),
    ...(findParent && { findPermissionObject: context => findParent(context).then(() => undefined) }),
  }
  const forms = { ...(actions.POST && { POST: createForm }), ...methods.forms }
  const listMetadata = actions.GET && createListMetadata(bound, linkedPath(bound, path).pattern)
  return [
    {
      path: path.pattern + segment,
      view: {
        ...shared,
        ...formatListName(resource),
        handlers,
        forms,
        descriptions: methods.descriptions,
        ...(listMetadata && { listMetadata }),
        ...(bound.envelope && { envelope: bound.envelope }),
      },
    },
  ]
}

// The rows that refer to the parent object in the path; 404 if that is hidden from the caller.
function createListHandler({ bound, list: path, findParent }: ResourceLocation, segment: string): Handler {
  const { resource, plans } = bound
  const [parent] = path.parents
  const filters = [parent && createListFilter(parent), plans.list.filter].filter(filter => filter !== undefined)
  const handle = list(bound, {
    filter: combineFilters(filters),
    path: context => endUrl(formatListPath(resource.name, path, context) + segment, bound.api.urlEnd),
  })
  return findParent === undefined ? handle : context => findParent(context).then(() => handle(context))
}

function createCreateHandler(location: ResourceLocation): Handler {
  const { bound, list: path } = location
  const formatPath = (context: RequestContext) => formatListPath(bound.resource.name, linkedPath(bound, path), context)
  const handle = create(bound, formatPath, createColumnReader(location))
  return acceptFiles(bound, 'create', handle, async context => location.findParent?.(context))
}

// The handlers of requests with many objects.
function createBulkHandlers(location: ResourceLocation): readonly ActionHandler[] {
  const { bound, objects, list: path } = location
  const { resource } = bound
  const bulk = completeBulk(resource)
  if (bulk === undefined) return []
  const bulkLocation: BulkLocation = {
    bulk,
    pattern: path.pattern,
    objectPattern: formatObjectPattern(resource, path),
    formatPath: context => formatListPath(resource.name, path, context),
    formatLinkedPath: context => formatListPath(resource.name, linkedPath(bound, path), context),
  }
  const creation = { createSingle: createCreateHandler(location), prepareUrlColumns: createColumnReader(location) }
  const handlers: readonly ActionHandler[] = [
    ['create', 'POST', createMany(bound, bulkLocation, creation)],
    ['update', 'PUT', updateMany(objects, bulkLocation, { partial: bound.put === 'partial' })],
    ['update', 'PATCH', updateMany(objects, bulkLocation, { partial: true })],
    ['destroy', 'DELETE', destroyMany(objects, bulkLocation)],
  ]
  return handlers.filter(([action]) => (bulk.actions as readonly Action[]).includes(action))
}

// The columns that the path sets in a new object.
function createColumnReader({ list, prepareParent }: ResourceLocation): PrepareUrlColumns {
  const [parent] = list.parents
  if (parent === undefined || prepareParent === undefined) return async () => readNoColumns
  return async context => {
    const find = await prepareParent(context)
    return async connection => ({ [parent.column]: await find(connection) })
  }
}

const createsByPut = ({ singleton, actions }: Resource): boolean =>
  singleton !== undefined && actions.includes('create')

function ignoreNotFound(error: unknown): undefined {
  if (!(error instanceof NotFound)) throw error
}

// Links lead to the top level; those of a resource without URLs there lead to the list that creates the object.
const linkedPath = ({ resource, api }: BoundResource, path: ListPath): ListPath =>
  isOnlyNested(resource) ? path : (findListPath(resource, api.resources) ?? path)

function createObjectRoute(location: ResourceLocation, path: string, shared: Shared): readonly Route[] {
  const { objects: bound } = location
  const { resource } = bound
  const put = createsByPut(resource)
    ? putSingleton(bound, createColumnReader(location))
    : update(bound, { partial: bound.put === 'partial' })
  const check = (context: HandlerContext) => checkUpdate(bound, context)
  const handlers = createHandlers(bound, [
    ['retrieve', 'GET', retrieve(bound)],
    ['update', 'PUT', acceptFiles(bound, 'update', put, createsByPut(resource) ? async () => undefined : check)],
    ['update', 'PATCH', acceptFiles(bound, 'update', update(bound, { partial: true }), check)],
    ['destroy', 'DELETE', destroy(bound)],
  ])
  if (Object.keys(handlers).length === 0) return []
  const { objectName } = resource
  return [
    {
      path,
      view: {
        ...shared,
        ...formatObjectName(resource),
        handlers,
        forms: createObjectForms(bound, handlers),
        ...(bound.envelope && { envelope: bound.envelope }),
        ...(objectName && { objectName: nameOnWire(objectName, resource.fields[objectName]!) }),
      },
    },
  ]
}

function createObjectForms(bound: BoundResource, handlers: ViewOptions['handlers']): Record<string, Form> {
  const { resource, plans } = bound
  const shared = {
    ...(resource.requireIfMatch === true && { requiresIfMatch: true }),
    selectionParameters: listSelectionParameters(resource),
  }
  const find = findPermissionObject(bound, 'update')
  const updateForm: Form = {
    heading: 'Edit',
    fields: listOnWire(makeReadOnly(plans.update.takes, (_name, { fixed }) => fixed)),
    findPermissionObject: find,
    ...shared,
  }
  const createForm: Form = {
    ...updateForm,
    fields: listOnWire(plans.update.takes),
    findPermissionObject: context => find(context).catch(ignoreNotFound),
  }
  const putForm = bound.put === 'partial' ? makePartial(updateForm) : updateForm
  return {
    ...(handlers.PUT && { PUT: createsByPut(resource) ? createForm : putForm, PATCH: updateForm }),
    ...(handlers.DELETE && {
      DELETE: { fields: {}, findPermissionObject: findPermissionObject(bound, 'destroy'), ...shared },
    }),
  }
}

const makePartial = (form: Form): Form => ({
  ...form,
  fields: Object.fromEntries(Object.entries(form.fields).map(([name, field]) => [name, { ...field, required: false }])),
  isPartial: true,
})

type ActionHandler = readonly [action: Action, method: string, handle: Handler]

// Rejects as the update would, before the files of its body are stored.
const checkUpdate = async (bound: BoundResource, context: HandlerContext): Promise<unknown> =>
  loadObject(bound, context, 'update', { id: await readObjectId(bound, context), isKey: false })

function createHandlers(
  { resource: { name, actions, perAction }, parsers, plans }: BoundResource,
  handlers: readonly ActionHandler[],
): Record<string, MethodOptions> {
  return Object.fromEntries(
    handlers
      .filter(([action]) => actions.includes(action))
      .map(([action, method, handle]) => {
        const { takes: _takes, shows: _shows, ...policies } = perAction[action] ?? {}
        const given = policies.parsers ?? parsers
        const accepted =
          method === 'GET' || method === 'DELETE' ? given : addFileParser(name, given, plans[action].takes)
        return [method, { handle, ...policies, ...(accepted !== given && { parsers: accepted }) }]
      }),
  )
}

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
