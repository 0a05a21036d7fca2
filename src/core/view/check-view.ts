import { METHODS } from '../base/http.ts'
import { checkOptionNames, type OptionNames } from '../base/option-names.ts'
import { checkPolicies } from '../policy/check-policies.ts'
import type { DeclaredMethod } from './declared/declared-view.ts'
import { checkOperationOptions } from './describe/options.ts'
import { findHeaderProblem } from './render.ts'
import { checkRawBody, checkResponseHeaders, checkUnknownFields } from './unknown-fields.ts'
import type { MethodOptions, ViewOptions } from './view.ts'

/** The parts of a view that are checked alike in plain views and in those of a resource. */
type CheckedView = Omit<ViewOptions<never>, 'name' | 'handlers' | '~types'> & { readonly handlers: object }

/** Throws for the first unknown option, wrong policy or wrong handler of a view. `where` begins the message. */
export function checkView(
  where: string,
  view: CheckedView,
  options: Readonly<Record<string, true>>,
  methods: Readonly<Record<string, true>> = methodOptions,
): void {
  checkOptionNames(where, view, options)
  checkPolicies(where, view)
  checkOperationOptions(`${where}: openapi`, view.openapi)
  checkUnknownFields(`${where}: "unknownFields"`, view.unknownFields)
  checkRawBody(`${where}: "rawBody"`, view.rawBody)
  checkResponseHeaders(`${where}: "responseHeaders"`, view.responseHeaders)
  const problem = view.headers && findHeaderProblem(view.headers)
  if (problem !== undefined) throw new Error(`${where}: "headers" cannot be sent: ${problem}`)
  checkHandlers(where, view.handlers, methods)
}

/** Throws for the first wrong handler. */
export function checkHandlers(
  where: string,
  handlers: object | undefined,
  options: Readonly<Record<string, true>>,
): void {
  if (typeof handlers !== 'object' || handlers === null)
    throw new Error(`${where} needs "handlers": write handlers: { GET: … }`)
  if (Object.keys(handlers).length === 0) throw new Error(`${where} has no handler: write handlers: { GET: … }`)
  for (const [method, handler] of Object.entries(handlers)) {
    if (!METHODS.includes(method))
      throw new Error(`${where}: "${method}" is not an HTTP method; write it in upper case, such as GET`)
    if (typeof handler !== 'function') checkMethod(`${where}: ${method}`, handler, options)
  }
}

function checkMethod(where: string, method: MethodOptions, options: Readonly<Record<string, true>>): void {
  if (typeof method?.handle !== 'function')
    throw new Error(`${where} needs a function: write (context) => …, or { handle: (context) => … }`)
  checkOptionNames(where, method, options)
  checkPolicies(where, method)
  checkOperationOptions(`${where}: openapi`, method.openapi)
}

/** The options that each view may have, except `authentication`. */
export const methodPolicies = { permissions: true, throttles: true, parsers: true, renderers: true } as const

const methodOptions: OptionNames<MethodOptions> = { handle: true, openapi: true, ...methodPolicies }

/** The options of a method of a view with schemas. */
export const declaredMethodOptions: OptionNames<DeclaredMethod<never>> = {
  query: true,
  body: true,
  response: true,
  errors: true,
  status: true,
  ...methodOptions,
}

/** The options of a plain view. */
export const viewOptions: OptionNames<Omit<ViewOptions, '~types'>> = {
  name: true,
  id: true,
  description: true,
  lenientAccept: true,
  unknownFields: true,
  rawBody: true,
  responseHeaders: true,
  headers: true,
  resource: true,
  handlers: true,
  forms: true,
  descriptions: true,
  operations: true,
  openapi: true,
  pathParameters: true,
  children: true,
  listMetadata: true,
  objectMetadata: true,
  bulk: true,
  objectName: true,
  pageActions: true,
  page: true,
  envelope: true,
  usesLanguage: true,
  auditEvent: true,
  authentication: true,
  ...methodPolicies,
}
