// The views of a resource other than the five actions, and the context of their handlers.

import type { MaybePromise } from '../../base/maybe-promise.ts'
import { NotFound } from '../../errors/exceptions.ts'
import { createOrigin } from '../../fields/request-values.ts'
import { listOnWire } from '../../fields/wire-names.ts'
import type { HandlerContext, RequestContext } from '../../http/context.ts'
import type { ApiResponse } from '../../http/response.ts'
import type { KeyValue } from '../../keys/key.ts'
import {
  checkObjectPermissions,
  createRowFilter,
  isSafe,
  listObjectColumns,
  type Permission,
} from '../../policy/permissions/permission.ts'
import { combineFilters, readFilterValues } from '../../policy/permissions/row-filter.ts'
import { createMethod, type MethodPlan } from '../../view/declared/declared-methods.ts'
import type { CheckedInput, DeclaredMethod } from '../../view/declared/declared-view.ts'
import type { Form } from '../../view/metadata.ts'
import type { Handler, MethodOptions, ViewOptions } from '../../view/view.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import { checkLookupRows } from '../bind/check-lookup.ts'
import { type ResourceLocation, restrictToVisibleParents } from '../bind/resource-location.ts'
import { selectForm } from '../bind/seen-resource.ts'
import type { ListContext, ListView, ObjectContext, ObjectView } from '../declare/views.ts'
import { formatObjectPattern } from '../names/list-paths.ts'
import { listSelectionParameters, selectsInWrites } from '../query/selection/resource-selection.ts'
import { readObjectId, represent } from '../read/retrieve.ts'
import { compileColumns } from '../sql/select.ts'
import { createRelationCheck } from '../validate/existence.ts'
import { respondOnce } from '../write/write.ts'
import { describeRetrieved } from './operations/resource-schemas.ts'
import { describeView, type LocatedView } from './operations/view-operations.ts'

/** Handlers, and what `OPTIONS` and the browsable pages say about them. */
export type ExtraMethods = Required<Pick<ViewOptions, 'handlers' | 'forms' | 'descriptions' | 'operations'>>

type ListMethodOptions = Pick<
  ListView,
  'parameters' | 'query' | 'body' | 'response' | 'handlers' | 'idempotent' | 'pageActions' | 'unknownFields'
>

/** Creates the handlers of the list's own URL, or of a view below it. `name`: of the view. */
export function createListMethods(location: ResourceLocation, name: string, view: ListMethodOptions): ExtraMethods {
  const { bound, findParent } = location
  const plans = createMethods(bound, name, view)
  const operationName = view === bound.resource.listMethods ? '' : name
  return {
    operations: describeOperations({ location, name: operationName, place: 'list', view }, plans),
    ...describeMethods(plans, () => findParent && (context => findParent(context).then(() => undefined))),
    handlers: mapHandlers<ListHandler>(view.handlers, (handle, method) =>
      respondTo(bound, view, async context => {
        const plan = plans[method]!
        const parent = await findParent?.(context)
        const input = { ...context, ...(await plan.read(context)), parent } as ListInput
        const shown = await selectRepresentation(bound, plan, context)
        return async entered =>
          plan.respond(await handle({ ...input, ...createTools(shown, context, entered.database) }), context)
      }),
    ),
  }
}

type ListInput = Omit<Parameters<ListHandler>[0], keyof Tools>
type ListHandler = (context: ListContext & CheckedInput) => unknown
type ObjectHandler = (context: ObjectContext & CheckedInput) => unknown

/** Creates a view below the list. */
export function createListViewOptions(
  location: ResourceLocation,
  name: string,
  view: ListView,
): Omit<ViewOptions, 'name'> {
  return { ...pickViewOptions(view), ...createListMethods(location, name, view) }
}

/** Creates a view below an object. */
export const createObjectViewOptions = (
  location: ResourceLocation,
  name: string,
  view: ObjectView,
): Omit<ViewOptions, 'name'> => ({ ...pickViewOptions(view), ...createObjectMethods(location, name, view) })

/**
 * Creates the handlers of the objects' own URL, or of a view below it. They find the object and check its permissions before they read
 * the request body. `name`: of the view.
 */
export function createObjectMethods(
  location: ResourceLocation,
  name: string,
  view: Omit<ListMethodOptions, 'handlers'> & Pick<ObjectView, 'permissions' | 'columns' | 'handlers'>,
): ExtraMethods {
  const { bound } = location
  const plans = createMethods(bound, name, view)
  const { columns = [], permissions = bound.permissions } = view
  const methodPermissions = mapValues(
    view.handlers,
    handler => (typeof handler === 'function' ? undefined : handler.permissions) ?? permissions,
  )
  const finders = mapValues(methodPermissions, required => createObjectFinder(location, columns, required))
  const operationName = view === bound.resource.objectMethods ? '' : name
  return {
    operations: describeOperations({ location, name: operationName, place: 'object', view }, plans),
    ...describeMethods(plans, method => async context => (await finders[method]!(context)).permissionObject),
    handlers: mapHandlers<ObjectHandler>(view.handlers, (handle, method) =>
      respondTo(bound, view, async context => {
        const plan = plans[method]!
        const { key, parent, permissionObject, object } = await finders[method]!(context)
        await checkObjectPermissions(context, methodPermissions[method]!, permissionObject)
        const input = { ...context, ...(await plan.read(context)), parent, key, object } as ObjectInput
        const shown = await selectRepresentation(bound, plan, context)
        return async entered =>
          plan.respond(
            await handle({ ...input, ...createObjectTools(entered, context, { bound, shown, key }) }),
            context,
          )
      }),
    ),
  }
}

type ObjectInput = Omit<Parameters<ObjectHandler>[0], keyof ObjectTools>

/** Leaves out the options from which the handlers are created. */
function pickViewOptions(view: ListView | ObjectView): Omit<ViewOptions, 'name' | 'handlers'> {
  const {
    path: _path,
    parameters: _parameters,
    query: _query,
    body: _body,
    response: _response,
    errors: _errors,
    ...options
  } = view
  return options
}

const createMethods = (
  bound: BoundResource,
  name: string,
  view: ListMethodOptions | ObjectView,
): Readonly<Record<string, MethodPlan>> =>
  mapValues(view.handlers, (handler, method) =>
    createMethod(view, method, handler, {
      label: `view "${name}" of resource "${bound.resource.name}"`,
      strict: bound.strict,
      createCheck: fields => createRelationCheck(fields, bound),
      createParseContext: context => ({
        ...bound.api.createParseContext(context.baseUrl),
        origin: createOrigin(context),
      }),
      envelope: bound.envelope,
      representation: listOnWire(bound.plans.retrieve.shows),
      ...(selectsInWrites(bound.resource) && {
        selectionNames: listSelectionParameters(bound.resource).map(name => bound.parameterNames[name]),
      }),
      describeRepresentation: context => describeRetrieved(bound, context),
    }),
  )

// Safe methods have no form.
function describeMethods(
  plans: Readonly<Record<string, MethodPlan>>,
  createFinder: (method: string) => Form['findPermissionObject'] | undefined,
): Pick<ExtraMethods, 'forms' | 'descriptions'> {
  const forms = Object.entries(plans).flatMap(([method, { form }]) => {
    const findPermissionObject = createFinder(method)
    return isSafe(method) ? [] : [[method, { ...form, ...(findPermissionObject && { findPermissionObject }) }] as const]
  })
  return { forms: Object.fromEntries(forms), descriptions: mapValues(plans, ({ description }) => description) }
}

const describeOperations = (
  located: LocatedView,
  plans: Readonly<Record<string, MethodPlan>>,
): NonNullable<ViewOptions['operations']> => mapValues(plans, (plan, method) => describeView(located, method, plan))

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

function mapHandlers<H extends (context: never) => unknown>(
  handlers: Readonly<Record<string, H | (Omit<MethodOptions, 'handle'> & { readonly handle: H })>>,
  wrap: (handle: H, method: string) => Handler,
): ViewOptions['handlers'] {
  return mapValues(handlers, (handler, method) =>
    typeof handler === 'function'
      ? wrap(handler, method)
      : { ...omitSchemas(handler), handle: wrap(handler.handle, method) },
  )
}

function omitSchemas(method: DeclaredMethod<never>): Omit<MethodOptions, 'handle'> {
  const {
    query: _query,
    body: _body,
    response: _response,
    errors: _errors,
    status: _status,
    handle: _handle,
    ...policies
  } = method
  return policies
}

const mapValues = <From, To>(entries: Readonly<Record<string, From>>, transform: (value: From, name: string) => To) =>
  Object.fromEntries(Object.entries(entries).map(([name, value]) => [name, transform(value, name)]))

type Tools = Pick<ListContext, 'database' | 'represent'>

// The resource whose objects `represent` shows, with the fields that the query selects if the response is a representation.
async function selectRepresentation(
  bound: BoundResource,
  { description }: MethodPlan,
  context: HandlerContext,
): Promise<BoundResource> {
  const visible = restrictToVisibleParents(bound)
  const selects = description.describeResponse !== undefined && selectsInWrites(bound.resource)
  return selects ? selectForm(visible, 'retrieve', context, false) : visible
}

// The tools with which handlers read and write. `shown`: the resource whose objects `represent` shows.
const createTools = (shown: BoundResource, context: HandlerContext, database: BoundResource['database']): Tools => ({
  database,
  represent: key => represent(shown, context, key, database),
})

type ObjectTools = Pick<ObjectContext, 'database' | 'represent' | 'update' | 'restore'>

function createObjectTools(
  { database }: BoundResource,
  context: HandlerContext,
  { bound, shown, key }: { readonly bound: BoundResource; readonly shown: BoundResource; readonly key: KeyValue },
): ObjectTools {
  const tools = createTools(shown, context, database)
  return {
    database,
    represent: (other = key) => tools.represent(other),
    async update(values) {
      await context.view.calls.change(bound.resource, key, values, context)
      return tools.represent(key)
    },
    restore: () => context.view.calls.restore(bound.resource, key, context),
  }
}

const findKey = (object: Readonly<Record<string, unknown>>, column: string | undefined): KeyValue | undefined =>
  column === undefined ? undefined : (object[column] as KeyValue)

interface FoundObject {
  readonly key: KeyValue
  /** The key of the nearest parent object in the path. */
  readonly parent: KeyValue | undefined
  /** The columns that handlers read. */
  readonly object: Readonly<Record<string, unknown>>
  /** The columns that handlers and object permissions read. */
  readonly permissionObject: Readonly<Record<string, unknown>>
}

/** Creates the function that finds the object of a request, as far as the row filters of the permissions show it. */
export function createObjectFinder(
  { objects, list, findParent }: ResourceLocation,
  columns: readonly string[],
  permissions: readonly Permission[],
): (context: RequestContext) => Promise<FoundObject> {
  const { database, resource, rows } = objects
  const filter = combineFilters(
    [rows, createRowFilter(permissions, resource.ownRows)].filter(part => part !== undefined),
  )
  checkLookupRows(resource, filter, formatObjectPattern(resource, list))
  const [nearest] = list.parents
  const parentColumn = nearest?.through ? undefined : nearest?.column
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
    const parent = nearest?.through ? await findParent?.(context) : findKey(permissionObject, parentColumn)
    return {
      key,
      parent,
      permissionObject,
      object: Object.fromEntries(columns.map(name => [name, permissionObject[name]])),
    }
  }
}
