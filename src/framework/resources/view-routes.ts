// The views of a resource other than the five actions, and the context of their handlers.

import type { HandlerContext, RequestContext } from '../context.ts'
import { unwrapBody } from '../envelope/wrap.ts'
import { NotFound } from '../errors/exceptions.ts'
import type { Fields } from '../fields/field.ts'
import { listVisibleFields } from '../fields/field-visibility.ts'
import { readFields } from '../fields/read-fields.ts'
import type { KeyValue } from '../keys/key.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { Form } from '../metadata.ts'
import {
  checkObjectPermissions,
  createRowFilter,
  isSafe,
  listObjectColumns,
  type Permission,
} from '../permissions/permission.ts'
import { combineFilters, readFilterValues } from '../permissions/row-filter.ts'
import { type ApiResponse, JsonText } from '../response.ts'
import type { PathParameters } from '../urls/path-parameters.ts'
import type { Handler, ViewOptions } from '../view.ts'
import type { BoundResource } from './bound-resource.ts'
import { createFields } from './declared-fields.ts'
import { prepareRepresentation } from './find-representation.ts'
import { readObjectId } from './object-id.ts'
import type { ResourceLocation } from './resource-location.ts'
import { respondOnce } from './respond-once.ts'
import { compileColumns } from './sql/select.ts'
import { createRelationCheck } from './validation.ts'
import type { ListContext, ListView, ObjectContext, ObjectView } from './views.ts'

/** Handlers of list methods, and their forms for `OPTIONS` and the browsable pages. */
export interface ListMethods {
  readonly handlers: ViewOptions['handlers']
  readonly forms: Readonly<Record<string, Form>>
}

/** Creates the handlers of the list's own URL, or of a view below it. */
export function createListMethods(
  { bound, findParent }: ResourceLocation,
  view: Pick<ListView, 'fields' | 'handlers' | 'idempotent'>,
): ListMethods {
  const fields = createFields(view.fields ?? {}, `a view of resource "${bound.resource.name}"`)
  const createContext = createListContextFactory(bound, fields)
  return {
    forms: pickUnsafeForms(
      mapValues(view.handlers, () => ({
        fields,
        ...(findParent && { findPermissionObject: context => findParent(context).then(() => undefined) }),
      })),
    ),
    handlers: mapHandlers<ListContext>(view.handlers, handle =>
      respondTo(bound, view, async context => {
        const parent = await findParent?.(context)
        const listContext = await createContext(context, parent)
        return entered => handle({ ...listContext, ...createTools(entered, context) })
      }),
    ),
  }
}

/** Creates a view below the list. */
export function createListViewOptions(location: ResourceLocation, view: ListView): Omit<ViewOptions, 'name'> {
  return { ...view, ...createListMethods(location, view) }
}

/** Creates a view below an object. Finds the object and checks its permissions before it reads the request body. */
export function createObjectViewOptions(location: ResourceLocation, view: ObjectView): Omit<ViewOptions, 'name'> {
  const { bound } = location
  const fields = createFields(view.fields ?? {}, `a view of resource "${bound.resource.name}"`)
  const createContext = createListContextFactory(bound, fields)
  const { columns = [], permissions = bound.permissions } = view
  const methodPermissions = mapValues(
    view.handlers,
    handler => (typeof handler === 'function' ? undefined : handler.permissions) ?? permissions,
  )
  const finders = mapValues(methodPermissions, required => createObjectFinder(location, columns, required))
  return {
    ...view,
    forms: pickUnsafeForms(
      mapValues(finders, find => ({
        fields,
        findPermissionObject: async context => (await find(context)).permissionObject,
      })),
    ),
    handlers: mapHandlers<ObjectContext>(view.handlers, (handle, method) =>
      respondTo(bound, view, async context => {
        const { key, parent, permissionObject, object } = await finders[method]!(context)
        await checkObjectPermissions(context, methodPermissions[method]!, permissionObject)
        const listContext = await createContext(context, parent)
        return entered => handle({ ...listContext, ...createTools(entered, context), key, object })
      }),
    ),
  }
}

/** Creates a handler. `prepare` checks the request, and returns the function that runs in the transaction if there is one. */
const respondTo =
  (
    bound: BoundResource,
    { idempotent }: Pick<ListView, 'idempotent'>,
    prepare: (context: HandlerContext) => Promise<(entered: BoundResource) => MaybePromise<ApiResponse>>,
  ): Handler =>
  async context =>
    idempotent && !isSafe(context.method)
      ? respondOnce(bound, context, () => prepare(context))
      : (await prepare(context))(bound)

type Handle<C> = (context: C) => ReturnType<Handler>

function mapHandlers<C extends HandlerContext>(
  handlers: Readonly<Record<string, Handle<C> | { readonly handle: Handle<C> }>>,
  wrap: (handle: Handle<C>, method: string) => Handler,
): ViewOptions['handlers'] {
  return mapValues(handlers, (handler, method) =>
    typeof handler === 'function' ? wrap(handler, method) : { ...handler, handle: wrap(handler.handle, method) },
  )
}

const mapValues = <From, To>(entries: Readonly<Record<string, From>>, transform: (value: From, name: string) => To) =>
  Object.fromEntries(Object.entries(entries).map(([name, value]) => [name, transform(value, name)]))

/** Creates the context of handlers, with the values of the request body; rejects with ValidationError. */
function createListContextFactory(
  bound: BoundResource,
  fields: Fields,
): (context: HandlerContext, parent: KeyValue | undefined) => Promise<Omit<ListContext, keyof Tools>> {
  const { api, envelope } = bound
  const check = createRelationCheck(fields, bound)
  const hasFields = Object.keys(fields).length > 0
  return async (context, parent) => {
    const { baseUrl, requestBody, method, request } = context
    const parameters = readParameters(request)
    const options = { context: api.createParseContext(baseUrl), partial: method === 'PATCH', exists: method === 'PUT' }
    const readable = listVisibleFields(fields, context)
    const values =
      hasFields && readsBody(method)
        ? await readFields(readable, unwrapBody(requestBody, envelope), options, check(context))
        : {}
    return { ...context, values, parameters, parent }
  }
}

// An empty parameter, and one with a NUL, which no database stores, name nothing. The router matches both.
function readParameters({ params }: RequestContext['request']): PathParameters {
  const parameters = params as PathParameters
  if (Object.values(parameters).some(text => text === '' || text.includes('\0'))) throw new NotFound()
  return parameters
}

type Tools = Pick<ListContext, 'database' | 'represent'>

// What handlers read and write with.
const createTools = (bound: BoundResource, context: HandlerContext): Tools => ({
  database: bound.database,
  async represent(key) {
    const find = await prepareRepresentation(bound, context)
    const found = await find(key, bound.database)
    if (found === undefined) throw new NotFound()
    return new JsonText(found.json)
  },
})

const readsBody = (method: string): boolean => !isSafe(method) && method !== 'DELETE'

interface FoundObject {
  readonly key: KeyValue
  /** The key of the nearest parent object in the path. */
  readonly parent: KeyValue | undefined
  /** The columns that handlers read. */
  readonly object: Readonly<Record<string, unknown>>
  /** The columns that handlers and object permissions read. */
  readonly permissionObject: Readonly<Record<string, unknown>>
}

// Safe methods have no form.
const pickUnsafeForms = (forms: Readonly<Record<string, Form>>): Readonly<Record<string, Form>> =>
  Object.fromEntries(Object.entries(forms).filter(([method]) => !isSafe(method)))

function createObjectFinder(
  { objects, list: { parents } }: ResourceLocation,
  columns: readonly string[],
  permissions: readonly Permission[],
): (context: RequestContext) => Promise<FoundObject> {
  const { database, resource, rows } = objects
  const filter = combineFilters([rows, createRowFilter(permissions)].filter(part => part !== undefined))
  const parentColumn = parents[0]?.column
  const allColumns = [
    ...new Set([...columns, ...(listObjectColumns(permissions) ?? []), ...(parentColumn ? [parentColumn] : [])]),
  ]
  const statement = compileColumns(database, resource, allColumns, filter)
  return async context => {
    const id = await readObjectId(objects, context)
    const row = await database.first(statement, { id, ...(await readFilterValues(filter, context)) })
    if (row === undefined) throw new NotFound()
    const [json, key = id] = row
    const permissionObject = JSON.parse(json) as FoundObject['permissionObject']
    const parent = parentColumn === undefined ? undefined : (permissionObject[parentColumn] as KeyValue)
    return {
      key,
      parent,
      permissionObject,
      object: Object.fromEntries(columns.map(name => [name, permissionObject[name]])),
    }
  }
}
