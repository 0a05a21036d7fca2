// The URLs of a resource: its list, its objects, the views below them, and its lists below other resources' objects.

import type { RequestContext } from '../context.ts'
import { NotFound } from '../errors/exceptions.ts'
import { type Fields, readOnly } from '../fields/field.ts'
import type { Form } from '../metadata.ts'
import { everyFilter, readValues, rowCondition } from '../permissions/row-filter.ts'
import type { Handler, MethodOptions, ViewOptions, ViewPolicies } from '../view.ts'
import { create } from './actions/create.ts'
import { destroy } from './actions/destroy.ts'
import { type ListPlace, list } from './actions/list.ts'
import { retrieve } from './actions/retrieve.ts'
import { update } from './actions/update.ts'
import { type BoundResource, keyOf } from './bound-resource.ts'
import { type ListMethods, listMethods, viewBelowList, viewBelowObject } from './extra-routes.ts'
import { createListMetadata } from './list-metadata.ts'
import type { Action, NestedUnder, Resource } from './resource.ts'
import { compileExistence } from './sql/check.ts'
import { rowsBelow } from './sql/list.ts'
import { storageColumn } from './storage.ts'
import { plainTitle } from './title.ts'
import { findPermissionObject } from './write.ts'

/** A view and its path below the API's prefix, with a trailing slash. */
export interface Route {
  readonly path: string
  readonly view: ViewOptions
}

/** The routes of a resource; those whose actions it does not have are left out. */
export function resourceRoutes(bound: BoundResource): readonly Route[] {
  const { resource, plans } = bound
  const { name, title, description, auditEvent, listViews = {}, objectViews = {} } = resource
  const path = `/${name}/`
  const shared = { description, ...(auditEvent !== undefined && { auditEvent }), ...policiesOf(resource) }
  const whole: ListPlace = { filter: plans.list.filter, path: () => path }
  const belowList = Object.entries(listViews).map(([part, view]) => ({
    path: `${path}${part}/`,
    view: { ...shared, id: `${name}-${part}`, name: `${title} ${plainTitle(part)}`, ...viewBelowList(bound, view) },
  }))
  const belowObject = Object.entries(objectViews).map(([part, view]) => ({
    path: `${path}:key/${part}/`,
    view: { ...shared, id: `${name}-${part}`, name: `${title} ${plainTitle(part)}`, ...viewBelowObject(bound, view) },
  }))
  return [
    ...listRoute(bound, path, shared, {
      lists: list(bound, whole),
      creates: create(bound),
      form: { fields: plans.create.fields },
      children: Object.keys(listViews),
      own: listMethods(bound, resource.listMethods ?? { handlers: {} }),
    }),
    ...objectRoute(bound, `${path}:key/`, { ...shared, children: Object.keys(objectViews) }),
    ...belowList,
    ...belowObject,
    ...resource.nestedUnder.flatMap(nesting => nestedRoute(bound, nesting, shared)),
  ]
}

type Shared = Partial<ViewPolicies> & Pick<ViewOptions, 'description' | 'auditEvent'>

interface ListParts {
  readonly lists: Handler
  readonly creates: Handler
  readonly form: Form
  readonly children?: readonly string[]
  /** Methods beside those of the actions. */
  readonly own?: ListMethods
}

function listRoute(bound: BoundResource, path: string, shared: Shared, parts: ListParts): readonly Route[] {
  const { resource } = bound
  const { lists, creates, form, children = [], own } = parts
  const actions = handlersOf(resource, [
    ['list', 'GET', lists],
    ['create', 'POST', creates],
  ])
  const handlers = { ...actions, ...own?.handlers }
  if (Object.keys(handlers).length === 0) return []
  const forms = { ...(actions.POST && { POST: form }), ...own?.forms }
  const listMetadata = actions.GET && createListMetadata(bound)
  const [id, name] = [`${resource.name}-list`, `${resource.title} List`]
  return [{ path, view: { ...shared, id, name, handlers, forms, children, ...(listMetadata && { listMetadata }) } }]
}

function objectRoute(
  bound: BoundResource,
  path: string,
  shared: Shared & Pick<ViewOptions, 'children'>,
): readonly Route[] {
  const { resource, plans } = bound
  const handlers = handlersOf(resource, [
    ['retrieve', 'GET', retrieve(bound)],
    ['update', 'PUT', update(bound, { partial: false })],
    ['update', 'PATCH', update(bound, { partial: true })],
    ['destroy', 'DELETE', destroy(bound)],
  ])
  if (Object.keys(handlers).length === 0) return []
  const change: Form = { fields: plans.update.fields, findPermissionObject: findPermissionObject(bound, 'update') }
  const forms = {
    ...(handlers.PUT && { PUT: change, PATCH: change }),
    ...(handlers.DELETE && { DELETE: { fields: {}, findPermissionObject: findPermissionObject(bound, 'destroy') } }),
  }
  const { objectName } = resource
  const [id, name] = [`${resource.name}-detail`, `${resource.title} Instance`]
  return [{ path, view: { ...shared, id, name, handlers, forms, ...(objectName && { objectName }) } }]
}

// The list of the rows that refer to the object in the path, which has to exist for this caller.
function nestedRoute(bound: BoundResource, nesting: NestedUnder, shared: Shared): readonly Route[] {
  const { resource, plans } = bound
  const { parent, column } = nesting
  const isBelow = rowsBelow(column, keyOf)
  const place: ListPlace = {
    filter: everyFilter([isBelow, ...(plans.list.filter ? [plans.list.filter] : [])]),
    path: context => `/${parent.name}/${keyOf(context)}/${resource.name}/`,
  }
  const checkParent = parentCheck(bound, nesting)
  const lists = list(bound, place)
  const path = `/${parent.name}/:key/${resource.name}/`
  return listRoute(bound, path, shared, {
    async lists(context) {
      await checkParent(context)
      return lists(context)
    },
    creates: create(bound, async context => {
      await checkParent(context)
      return { [column]: keyOf(context) }
    }),
    form: { fields: fieldsBelow(plans.create.fields, column), findPermissionObject: checkParent },
  })
}

// What the URL gives is not the body's to say.
function fieldsBelow(fields: Fields, column: string): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      storageColumn(name, field) === column ? readOnly(field) : field,
    ]),
  )
}

function parentCheck(
  { database, rowsOf }: BoundResource,
  { parent }: NestedUnder,
): (context: RequestContext) => Promise<undefined> {
  const filter = rowsOf(parent)
  const found = compileExistence(database, parent, filter && rowCondition(parent.table, filter))
  return async context => {
    const keys = JSON.stringify([keyOf(context)])
    const row = await database.first(found, { keys, ...(await readValues(filter, context)) })
    if (row === undefined) throw new NotFound()
    return undefined
  }
}

type ActionHandler = readonly [action: Action, method: string, handle: Handler]

function handlersOf(
  { actions, perAction }: Resource,
  handlers: readonly ActionHandler[],
): Record<string, MethodOptions> {
  return Object.fromEntries(
    handlers
      .filter(([action]) => actions.includes(action))
      .map(([action, method, handle]) => {
        const { fields: _, ...policies } = perAction[action] ?? {}
        return [method, { handle, ...policies }]
      }),
  )
}

function policiesOf(resource: Resource): Partial<ViewPolicies> {
  const { authentication, permissions, throttles, parsers, renderers } = resource
  return {
    ...(authentication && { authentication }),
    ...(permissions && { permissions }),
    ...(throttles && { throttles }),
    ...(parsers && { parsers }),
    ...(renderers && { renderers }),
  }
}
