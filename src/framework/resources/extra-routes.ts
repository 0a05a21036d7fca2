// The routes of a resource's views beside the five actions, and what their handlers are given.

import type { HandlerContext, RequestContext } from '../context.ts'
import { NotFound } from '../errors/exceptions.ts'
import type { Fields } from '../fields/field.ts'
import { readFields } from '../fields/read-fields.ts'
import type { Form } from '../metadata.ts'
import { checkObjectPermissions, isSafe, objectColumns, type Permission, rowsFor } from '../permissions/permission.ts'
import { rowValues } from '../permissions/row-filter.ts'
import { JsonText } from '../response.ts'
import type { Handler, ViewOptions } from '../view.ts'
import { type BoundResource, keyOf } from './bound-resource.ts'
import { completeFields } from './declared-fields.ts'
import type { ListContext, ListView, ObjectContext, ObjectView } from './extra-view.ts'
import { statementValues } from './related-rows.ts'
import { compileColumns } from './sql/select.ts'
import { relationCheck } from './validation.ts'

/** Methods of the list, and what `OPTIONS` says of them. */
export interface ListMethods {
  readonly handlers: ViewOptions['handlers']
  readonly forms: Readonly<Record<string, Form>>
}

/** Methods of the list's own URL, or of a view below it. */
export function listMethods(bound: BoundResource, view: Pick<ListView, 'fields' | 'handlers'>): ListMethods {
  const fields = completeFields(view.fields ?? {}, `a view of resource "${bound.resource.name}"`)
  const complete = listCalls(bound, fields)
  return {
    forms: formsOf(mapValues(view.handlers, () => ({ fields }))),
    handlers: mapHandlers<ListContext>(view.handlers, handle => async context => handle(await complete(context))),
  }
}

/** A view below the list. */
export function viewBelowList(bound: BoundResource, view: ListView): Omit<ViewOptions, 'name'> {
  return { ...view, ...listMethods(bound, view) }
}

/** A view below an object: the object is found and judged before the body is looked at. */
export function viewBelowObject(bound: BoundResource, view: ObjectView): Omit<ViewOptions, 'name'> {
  const fields = completeFields(view.fields ?? {}, `a view of resource "${bound.resource.name}"`)
  const complete = listCalls(bound, fields)
  const { columns = [], permissions = bound.permissions } = view
  const judges = mapValues(
    view.handlers,
    given => (typeof given === 'function' ? undefined : given.permissions) ?? permissions,
  )
  const finders = mapValues(judges, own => objectFinder(bound, columns, own))
  return {
    ...view,
    forms: formsOf(
      mapValues(finders, find => ({
        fields,
        findPermissionObject: async context => (await find(context)).permissionObject,
      })),
    ),
    handlers: mapHandlers<ObjectContext>(view.handlers, (handle, method) => async context => {
      const { key, permissionObject, object } = await finders[method]!(context)
      await checkObjectPermissions(context, judges[method]!, permissionObject)
      return handle({ ...(await complete(context)), key, object })
    }),
  }
}

type Handle<C> = (call: C) => ReturnType<Handler>

function mapHandlers<C extends HandlerContext>(
  handlers: Readonly<Record<string, Handle<C> | { readonly handle: Handle<C> }>>,
  change: (handle: Handle<C>, method: string) => Handler,
): ViewOptions['handlers'] {
  return mapValues(handlers, (given, method) =>
    typeof given === 'function' ? change(given, method) : { ...given, handle: change(given.handle, method) },
  )
}

const mapValues = <From, To>(entries: Readonly<Record<string, From>>, change: (value: From, name: string) => To) =>
  Object.fromEntries(Object.entries(entries).map(([name, value]) => [name, change(value, name)]))

/** What handlers are given beside the call; throws ValidationError. */
function listCalls(bound: BoundResource, fields: Fields): (context: HandlerContext) => Promise<ListContext> {
  const { database, route, statements, plans, related } = bound
  const { filter, serialize } = plans.retrieve
  const check = relationCheck(fields, bound)
  const hasFields = Object.keys(fields).length > 0
  return async context => {
    const { baseUrl, body, method } = context
    const options = { context: { baseUrl, route }, partial: method === 'PATCH', exists: method === 'PUT' }
    const values = hasFields && takesBody(method) ? await readFields(fields, body, options, check(context)) : {}
    const represent: ListContext['represent'] = async key => {
      const rows = await statementValues(filter, related, { ...context, method: 'GET' })
      const row = await database.first(statements.retrieve, { base: baseUrl, id: key, ...rows })
      if (row === undefined) throw new NotFound()
      return new JsonText(serialize(row[0], context))
    }
    return { ...context, database, values, represent }
  }
}

const takesBody = (method: string): boolean => !isSafe(method) && method !== 'DELETE'

interface Found {
  readonly key: number
  /** The columns that handlers read. */
  readonly object: Readonly<Record<string, unknown>>
  /** What the object permissions read. */
  readonly permissionObject: Readonly<Record<string, unknown>>
}

// What only reads takes no form.
const formsOf = (forms: Readonly<Record<string, Form>>): Readonly<Record<string, Form>> =>
  Object.fromEntries(Object.entries(forms).filter(([method]) => !isSafe(method)))

function objectFinder(
  { database, resource }: BoundResource,
  columns: readonly string[],
  permissions: readonly Permission[],
): (context: RequestContext) => Promise<Found> {
  const filter = rowsFor(permissions)
  const all = [...new Set([...columns, ...(objectColumns(permissions) ?? [])])]
  const statement = compileColumns(database, resource, all, filter)
  return async context => {
    const key = keyOf(context)
    const row = await database.first(statement, { id: key, ...(await rowValues(filter, context)) })
    if (row === undefined) throw new NotFound()
    const permissionObject = JSON.parse(row[0]) as Found['permissionObject']
    return { key, permissionObject, object: Object.fromEntries(columns.map(name => [name, permissionObject[name]])) }
  }
}
