// The routes of a resource: its list, its objects, the views below them, and its lists below parent objects.

import type { RequestContext } from '../context.ts'
import type { Connection } from '../database/database.ts'
import { NotFound } from '../errors/exceptions.ts'
import { readOnly } from '../fields/define-field.ts'
import type { Field, Fields } from '../fields/field.ts'
import { findPathIdentifier } from '../fields/identifier.ts'
import { listOnWire, nameOnWire } from '../fields/wire-names.ts'
import { formatPathSegment, type KeyValue } from '../keys/key.ts'
import type { Form } from '../metadata.ts'
import { combineFilters } from '../permissions/row-filter.ts'
import type { Handler, MethodOptions, ViewOptions, ViewPolicies } from '../view.ts'
import { create } from './actions/create.ts'
import { destroy } from './actions/destroy.ts'
import { type ListScope, list } from './actions/list.ts'
import { retrieve } from './actions/retrieve.ts'
import { update } from './actions/update.ts'
import { type BoundResource, readPathValue } from './bound-resource.ts'
import { createListMetadata } from './list-metadata.ts'
import { createRelatedRows } from './related-rows.ts'
import type { Action, NestedUnder, Resource } from './resource.ts'
import { compileExistence } from './sql/check.ts'
import { formatKeyList } from './sql/key-list.ts'
import { createParentFilter } from './sql/list.ts'
import { storageColumn } from './storage.ts'
import { formatTitle } from './title.ts'
import { createListMethods, createListViewOptions, createObjectViewOptions, type ListMethods } from './view-routes.ts'
import { findPermissionObject } from './write.ts'

/** A view and its path below the API's prefix, with a trailing slash. */
export interface Route {
  readonly path: string
  readonly view: ViewOptions
}

/** Creates the routes of a resource; actions that it does not declare have no route. */
export function createResourceRoutes(bound: BoundResource): readonly Route[] {
  const { resource, plans } = bound
  const { name, title, description, auditEvent, noStore, listViews = {}, objectViews = {} } = resource
  const path = `/${name}/`
  const shared = {
    description,
    ...(auditEvent !== undefined && { auditEvent }),
    ...(noStore && { headers: { 'cache-control': 'no-store' } }),
    ...pickPolicies(resource),
  }
  const allRows: ListScope = { filter: plans.list.filter, path: () => path }
  const belowList = Object.entries(listViews).map(([segment, view]) => ({
    path: `${path}${segment}/`,
    view: {
      ...shared,
      id: `${name}-${segment}`,
      name: `${title} ${formatTitle(segment)}`,
      ...createListViewOptions(bound, view),
    },
  }))
  const belowObject = Object.entries(objectViews).map(([segment, view]) => ({
    path: `${path}:key/${segment}/`,
    view: {
      ...shared,
      id: `${name}-${segment}`,
      name: `${title} ${formatTitle(segment)}`,
      ...createObjectViewOptions(bound, view),
    },
  }))
  return [
    ...createListRoute(bound, path, shared, {
      handleList: list(bound, allRows),
      handleCreate: create(bound),
      form: { fields: listOnWire(plans.create.takes) },
      children: Object.keys(listViews),
      methods: createListMethods(bound, resource.listMethods ?? { handlers: {} }),
    }),
    ...createObjectRoute(bound, `${path}:key/`, { ...shared, children: Object.keys(objectViews) }),
    ...belowList,
    ...belowObject,
    ...resource.nestedUnder.flatMap(nesting => createNestedRoute(bound, nesting, shared)),
  ]
}

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

type Shared = Partial<ViewPolicies> & Pick<ViewOptions, 'description' | 'auditEvent' | 'headers'>

interface ListParts {
  readonly handleList: Handler
  readonly handleCreate: Handler
  readonly form: Form
  readonly children?: readonly string[]
  /** Methods other than those of the actions. */
  readonly methods?: ListMethods
}

function createListRoute(bound: BoundResource, path: string, shared: Shared, parts: ListParts): readonly Route[] {
  const { resource } = bound
  const { handleList, handleCreate, form, children = [], methods } = parts
  const actions = createHandlers(resource, [
    ['list', 'GET', handleList],
    ['create', 'POST', handleCreate],
  ])
  const handlers = { ...actions, ...methods?.handlers }
  if (Object.keys(handlers).length === 0) return []
  const forms = { ...(actions.POST && { POST: form }), ...methods?.forms }
  const listMetadata = actions.GET && createListMetadata(bound)
  return [
    {
      path,
      view: {
        ...shared,
        ...formatListName(resource),
        handlers,
        forms,
        children,
        ...(listMetadata && { listMetadata }),
      },
    },
  ]
}

function createObjectRoute(
  bound: BoundResource,
  path: string,
  shared: Shared & Pick<ViewOptions, 'children'>,
): readonly Route[] {
  const { resource, plans } = bound
  const handlers = createHandlers(resource, [
    ['retrieve', 'GET', retrieve(bound)],
    ['update', 'PUT', update(bound, { partial: false })],
    ['update', 'PATCH', update(bound, { partial: true })],
    ['destroy', 'DELETE', destroy(bound)],
  ])
  if (Object.keys(handlers).length === 0) return []
  const required = resource.requireIfMatch === true && { requiresIfMatch: true }
  const updateForm: Form = {
    fields: listOnWire(makeReadOnly(plans.update.takes, (_name, { fixed }) => fixed)),
    findPermissionObject: findPermissionObject(bound, 'update'),
    ...required,
  }
  const forms = {
    ...(handlers.PUT && { PUT: updateForm, PATCH: updateForm }),
    ...(handlers.DELETE && {
      DELETE: { fields: {}, findPermissionObject: findPermissionObject(bound, 'destroy'), ...required },
    }),
  }
  const { objectName } = resource
  return [
    {
      path,
      view: {
        ...shared,
        ...formatObjectName(resource),
        handlers,
        forms,
        ...(objectName && { objectName: nameOnWire(objectName, resource.fields[objectName]!) }),
      },
    },
  ]
}

// The list of rows that refer to the parent object in the path; 404 if the parent is hidden from the caller.
function createNestedRoute(bound: BoundResource, nesting: NestedUnder, shared: Shared): readonly Route[] {
  const { resource, plans } = bound
  const { parent, column } = nesting
  const identifier = findPathIdentifier(parent)
  const readParent = (context: RequestContext) => readPathValue({ identifier }, context)
  const parentFilter = createParentFilter(nesting, readParent)
  const scope: ListScope = {
    filter: combineFilters([parentFilter, ...(plans.list.filter ? [plans.list.filter] : [])]),
    path: context => `/${parent.name}/${formatPathSegment(readParent(context))}/${resource.name}/`,
  }
  const findParent = createParentFinder(bound, nesting)
  const handleList = list(bound, scope)
  const path = `/${parent.name}/:key/${resource.name}/`
  return createListRoute(bound, path, shared, {
    async handleList(context) {
      await findParent(context)
      return handleList(context)
    },
    handleCreate: create(bound, async (context, connection) => {
      return { [column]: await findParent(context, connection) }
    }),
    // The URL sets the parent column.
    form: {
      fields: listOnWire(makeReadOnly(plans.create.takes, (name, field) => storageColumn(name, field) === column)),
      async findPermissionObject(context) {
        await findParent(context)
        return undefined
      },
    },
  })
}

// The fields of a form, of which a body cannot change some.
const makeReadOnly = (fields: Fields, isReadOnly: (name: string, field: Field) => boolean): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, isReadOnly(name, field) ? readOnly(field) : field]),
  )

// Finds the key of the parent object; rejects with NotFound if it is hidden from the caller.
function createParentFinder(
  { database, api, whenResolved }: BoundResource,
  { parent }: NestedUnder,
): (context: RequestContext, connection?: Connection) => Promise<KeyValue> {
  const related = createRelatedRows(api)
  const createCondition = () => related.visibleCondition(parent, parent.table)
  whenResolved(createCondition)
  const identifier = findPathIdentifier(parent)
  const statement = compileExistence(database, { target: parent, identifier }, createCondition)
  return async (context, connection = database) => {
    const keys = formatKeyList(database.dialect, identifier, [readPathValue({ identifier }, context)])
    const row = await connection.first(statement, { keys, ...(await related.readValues(context)) })
    if (row === undefined) throw new NotFound()
    return row[0]
  }
}

type ActionHandler = readonly [action: Action, method: string, handle: Handler]

function createHandlers(
  { actions, perAction }: Resource,
  handlers: readonly ActionHandler[],
): Record<string, MethodOptions> {
  return Object.fromEntries(
    handlers
      .filter(([action]) => actions.includes(action))
      .map(([action, method, handle]) => {
        const { takes: _takes, shows: _shows, ...policies } = perAction[action] ?? {}
        return [method, { handle, ...policies }]
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
