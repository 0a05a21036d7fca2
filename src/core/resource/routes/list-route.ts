// The route of a list: its rows, and the creation and change of one object or many.

import { listOnWire, nameOnWire } from '../../fields/wire-names.ts'
import { combineFilters } from '../../policy/permissions/row-filter.ts'
import type { BulkMetadata, Form } from '../../view/metadata.ts'
import type { Handler, ViewOptions } from '../../view/view.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import { createColumnReader, type ResourceLocation, withoutParent } from '../bind/resource-location.ts'
import { withoutPages } from '../bind/restrict.ts'
import type { Action } from '../declare/action-options.ts'
import type { Resource } from '../declare/resource.ts'
import { hasMethod } from '../declare/resource-methods.ts'
import { completeBulk, findNamingField } from '../define/check-bulk.ts'
import { groupsOnWire } from '../define/page-options.ts'
import {
  createPathFormatter,
  findListPath,
  formatObjectPattern,
  isOnlyNested,
  type ListPath,
} from '../names/list-paths.ts'
import { type ListScope, list } from '../read/list.ts'
import { createListMetadata } from '../read/list-metadata.ts'
import { createListFilter } from '../sql/parents.ts'
import { type BulkLocation, createMany, destroyMany, updateMany } from '../write/bulk/bulk-handlers.ts'
import { createImportWriter } from '../write/bulk/write-imported.ts'
import { create } from '../write/create.ts'
import { acceptFiles } from '../write/file-writes.ts'
import { describeBulkWrite } from './operations/bulk-operations.ts'
import { describeCreate, describeList } from './operations/list-operations.ts'
import { type ActionHandler, createHandlers, formatListName, type Route, type SharedOptions } from './route.ts'
import { createListMethods } from './view-routes.ts'

/** Creates the route of a list; none if it has no handler. `segment`: the rest of the path of a further list. */
export function createListRoute(location: ResourceLocation, shared: SharedOptions, segment = ''): readonly Route[] {
  const { bound, list: path, findParent } = location
  const { resource, plans } = bound
  const linked = findLinkedPath(bound, path)
  const createSingle = createCreateHandler(location, linked)
  const actions = createHandlers(bound, [
    ['list', 'GET', createListHandler(location, segment)],
    ['create', 'POST', createSingle],
    ...createBulkHandlers(location, linked, createSingle),
  ])
  const methods = createListMethods(location, 'listMethods', resource.listMethods ?? { handlers: {} })
  const handlers = { ...actions, ...methods.handlers }
  if (Object.keys(handlers).length === 0) return []
  const createForm: Form = {
    heading: 'Create',
    fields: listOnWire(withoutParent(plans.create.takes, path)),
    groups: groupsOnWire(resource),
    ...(findParent && { findPermissionObject: context => findParent(context).then(() => undefined) }),
  }
  const forms = { ...(actions.POST && { POST: createForm }), ...methods.forms }
  const needsFile = Object.values(plans.create.takes).some(({ required, file }) => required && file !== undefined)
  const listMetadata =
    actions.GET &&
    createListMetadata(bound, linked.pattern, {
      listAll: createListHandler({ ...location, bound: withoutPages(bound) }, segment),
      imported: actions.POST === undefined || needsFile ? undefined : createImportWriter(location),
    })
  return [
    {
      path: path.pattern + segment,
      view: {
        ...shared,
        ...formatListName(resource),
        handlers,
        forms,
        descriptions: methods.descriptions,
        operations: { ...describeActions(location), ...methods.operations },
        ...(listMetadata && { listMetadata }),
        ...describeBulk(resource),
        ...(bound.envelope && { envelope: bound.envelope }),
      },
    },
  ]
}

// The rows that refer to the parent object in the path; 404 if that is hidden from the caller.
const createListHandler = (location: ResourceLocation, segment: string): Handler =>
  requireParent(location, list(location.bound, createListScope(location, segment)))

/** The rows of a list at one of the paths of its resource. `segment`: the rest of the path of a further list. */
export function createListScope({ bound, list: path }: ResourceLocation, segment: string): ListScope {
  const { resource, plans, api, database } = bound
  const [parent, ...others] = path.parents
  const below = parent && createListFilter(api, database.dialect, [parent, ...others])
  const filters = [below, plans.list.filter].filter(filter => filter !== undefined)
  return {
    filter: combineFilters(filters),
    path: createPathFormatter(resource, path, { below: segment, end: bound.api.urlEnd }),
  }
}

// Responds with 404 if the parent is missing or hidden, even if the request concerns no row: an empty list, an empty array.
const requireParent = ({ findParent }: ResourceLocation, handle: Handler): Handler =>
  findParent === undefined ? handle : context => findParent(context).then(() => handle(context))

function createCreateHandler(location: ResourceLocation, linked: ListPath): Handler {
  const { bound } = location
  const handle = create(bound, createPathFormatter(bound.resource, linked), createColumnReader(location))
  return acceptFiles(bound, 'create', handle, async context => location.findParent?.(context))
}

// The handlers of requests with many objects.
function createBulkHandlers(
  location: ResourceLocation,
  linked: ListPath,
  createSingle: Handler,
): readonly ActionHandler[] {
  const { bound, objects, list: path } = location
  const { resource } = bound
  const bulk = completeBulk(resource)
  if (bulk === undefined) return []
  const bulkLocation: BulkLocation = {
    bulk,
    pattern: path.pattern,
    objectPattern: formatObjectPattern(resource, path),
    formatPath: createPathFormatter(resource, path),
    formatLinkedPath: createPathFormatter(resource, linked),
  }
  const creation = { createSingle, prepareUrlColumns: createColumnReader(location) }
  const handlers: readonly ActionHandler[] = [
    ['create', 'POST', createMany(bound, bulkLocation, creation)],
    ['update', 'PUT', requireParent(location, updateMany(objects, bulkLocation, { partial: bound.put === 'partial' }))],
    ['update', 'PATCH', requireParent(location, updateMany(objects, bulkLocation, { partial: true }))],
    ['destroy', 'DELETE', requireParent(location, destroyMany(objects, bulkLocation))],
  ]
  return handlers.filter(([action]) => (bulk.actions as readonly Action[]).includes(action))
}

const bulkMethods = { create: ['POST'], update: ['PATCH', 'PUT'], destroy: ['DELETE'] } as const

function describeBulk(resource: Resource): { readonly bulk?: BulkMetadata } {
  const bulk = completeBulk(resource)
  if (bulk === undefined) return {}
  const { mode, max, actions } = bulk
  const name = actions.some(action => action !== 'create') ? findNamingField(resource) : undefined
  const key = name === undefined ? undefined : nameOnWire(name, resource.fields[name]!)
  const methods = actions.map(action => [action, bulkMethods[action].find(method => hasMethod(resource, method))!])
  return { bulk: { mode, max, key, methods: Object.fromEntries(methods) } }
}

// Links lead to the top level; those of a resource without URLs there lead to the list that creates the object.
const findLinkedPath = ({ resource, api }: BoundResource, path: ListPath): ListPath =>
  isOnlyNested(resource) ? path : (findListPath(resource, api.resources) ?? path)

const describeActions = (location: ResourceLocation): NonNullable<ViewOptions['operations']> => ({
  GET: describeList(location),
  POST: describeCreate(location),
  PUT: describeBulkWrite(location, 'PUT'),
  PATCH: describeBulkWrite(location, 'PATCH'),
  DELETE: describeBulkWrite(location, 'DELETE'),
})
