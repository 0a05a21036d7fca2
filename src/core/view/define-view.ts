import type { OptionNames } from '../base/option-names.ts'
import type { Database } from '../database/database.ts'
import type { DeclaredFields } from '../fields/declared-fields.ts'
import { createOrigin } from '../fields/request-values.ts'
import type { HandlerContext } from '../http/context.ts'
import type { Identity } from '../http/identity.ts'
import { isSafe } from '../policy/permissions/permission.ts'
import { checkView, declaredMethodOptions, viewOptions } from './check-view.ts'
import { checkDeclaredView, checkNoRelations } from './declared/check-declared-view.ts'
import { createMethod, type MethodOwner, type MethodPlan } from './declared/declared-methods.ts'
import type { DeclaredMethod, DefineView, MethodSchemas, ViewContext } from './declared/declared-view.ts'
import type { Handler, MethodOptions, View, ViewOptions } from './view.ts'

interface ErasedView
  extends Omit<ViewOptions, '~types' | 'handlers' | 'forms' | 'descriptions' | 'operations' | 'pathParameters'>,
    MethodSchemas {
  readonly parameters?: DeclaredFields
  readonly handlers: Readonly<
    Record<string, ErasedHandle | (DeclaredMethod<never> & { readonly handle: ErasedHandle })>
  >
}

type ErasedHandle = (context: object) => unknown

/**
 * Declares a view of an API whose query, body, response and path parameters are fields or schemas. They are checked before the
 * handler runs, and have their types there. Throws for a wrong declaration.
 *
 * @example
 * const search = view({
 *   name: 'Search',
 *   query: { text: text({ max: 100 }), limit: integer({ default: 10 }) },
 *   response: { found: integer() },
 *   handlers: { GET: ({ query }) => ({ found: query.text.length + query.limit }) },
 * })
 */
export const view = ((declared: ErasedView): ViewOptions => {
  const { parameters, query, body, response, errors, handlers, ...options } = declared
  const label = `view "${declared.name}"`
  checkView(label, declared, declaredViewOptions, declaredMethodOptions)
  checkDeclaredView(label, declared)
  checkNoRelations(label, declared)
  const owner: MethodOwner = {
    label,
    createParseContext: context => ({
      baseUrl: context.baseUrl,
      route: () => undefined,
      origin: createOrigin(context),
    }),
  }
  const schemas = { ...(parameters && { parameters }), query, body, response, errors } as MethodSchemas
  const plans = Object.entries(handlers).map(
    ([method, handler]) => [method, handler, createMethod(schemas, method, handler, owner)] as const,
  )
  return {
    ...options,
    ...(parameters && { pathParameters: Object.keys(parameters) }),
    forms: Object.fromEntries(plans.flatMap(([method, , { form }]) => (isSafe(method) ? [] : [[method, form]]))),
    descriptions: Object.fromEntries(plans.map(([method, , { description }]) => [method, description])),
    handlers: Object.fromEntries(plans.map(([method, handler, plan]) => [method, createHandler(handler, plan)])),
  }
}) as unknown as DefineView<Identity>

function createHandler(handler: ErasedView['handlers'][string], plan: MethodPlan): Handler | MethodOptions {
  if (typeof handler === 'function') return wrap(handler, plan)
  const {
    query: _query,
    body: _body,
    response: _response,
    errors: _errors,
    status: _status,
    handle,
    ...policies
  } = handler
  return { ...policies, handle: wrap(handle, plan) }
}

const wrap =
  (handle: ErasedHandle, plan: MethodPlan): Handler =>
  async context => {
    const input = await plan.read(context)
    return plan.respond(await handle({ ...context, ...input, ...createTools(context) }), context)
  }

function createTools(
  context: HandlerContext,
): Pick<ViewContext<Record<never, never>, Identity>, 'database' | 'represent'> {
  const { database, calls } = context.view as View
  // The type of an API without a database would not tell the view that it has none.
  return { database: database as Database, represent: (resource, key) => calls.represent(resource, key, context) }
}

const declaredViewOptions: OptionNames<ErasedView> = (() => {
  const {
    forms: _forms,
    descriptions: _descriptions,
    operations: _operations,
    pathParameters: _pathParameters,
    ...shared
  } = viewOptions
  return { ...shared, parameters: true, query: true, body: true, response: true, errors: true }
})()
