// Checks the options of an API. A mistake throws at startup; the message says how to fix it.

import {
  checkDefault,
  checkDocumentOptions,
  checkEnvelope,
  checkFunction,
  checkOptionNames,
  checkPageSize,
  checkPaginator,
  checkParameterNames,
  checkPolicies,
  checkPut,
  checkUnknownFields,
  checkVersioning,
  checkView,
  isLongEnough,
  listExtraViews,
  listViewFields,
  type OptionNames,
  type Resource,
  type ViewOptions,
  viewOptions,
} from '#core'
import type { ApiOptions } from './api-options.ts'
import { readFormatParam } from './api-settings.ts'

/** Throws for an option that does not exist. */
export const checkApiOptionNames = (options: ApiOptions): void => checkOptionNames('createApi()', options, optionNames)

const optionNames: OptionNames<ApiOptions> = {
  authentication: true,
  permissions: true,
  throttles: true,
  parsers: true,
  renderers: true,
  publicUrl: true,
  allowedHosts: true,
  name: true,
  title: true,
  isAdministration: true,
  database: true,
  migrations: true,
  resources: true,
  views: true,
  trailingSlash: true,
  root: true,
  envelope: true,
  put: true,
  pagination: true,
  pageSize: true,
  rowsPerRequest: true,
  secret: true,
  accounts: true,
  anonymous: true,
  exceptionHandler: true,
  observe: true,
  recordChanges: true,
  serverError: true,
  messages: true,
  languages: true,
  catalogues: true,
  showCauses: true,
  checkResponses: true,
  nonFieldErrorsKey: true,
  formatParam: true,
  versioning: true,
  parameters: true,
  strict: true,
  unknownFields: true,
  describesLists: true,
  suggestsIndexes: true,
  idempotencyKeys: true,
  compression: true,
  openapi: true,
  clock: true,
}

/** Throws for the first mistake. */
export function checkOptions({ resources = [], views = {}, root, ...options }: ApiOptions): void {
  if (options.name === '')
    throw new Error('createApi(): the name must not be empty: remove it, or give one such as "crm"')
  if (options.showCauses && process.env.NODE_ENV === 'production')
    throw new Error(
      "createApi(): showCauses is for development only, and NODE_ENV is production: write showCauses: process.env.NODE_ENV !== 'production'",
    )
  checkPolicies('createApi()', options)
  for (const option of functions) checkFunction(`createApi(): ${option}`, options[option])
  checkDocumentOptions('createApi(): openapi', options.openapi)
  checkPaginator('createApi()', options.pagination)
  checkEnvelope('createApi(): envelope', options.envelope)
  checkPut('createApi(): put', options.put)
  checkUnknownFields('createApi(): unknownFields', options.unknownFields)
  checkParameterNames('createApi(): parameters', options.parameters)
  checkVersioning('createApi(): versioning', options.versioning, readFormatParam(options))
  checkPageSize('createApi(): pageSize', options.pageSize)
  checkPageSize('createApi(): rowsPerRequest', options.rowsPerRequest)
  checkSecret(options, resources)
  checkNames(resources)
  checkIdempotency(options, resources)
  checkTrailingSlash(options)
  for (const [path, view] of Object.entries(views)) checkPath(path, view, options)
  for (const view of [...Object.values(views), ...(root ? [root] : [])])
    checkView(`view "${view.name}"`, view, viewOptions)
}

const functions = ['exceptionHandler', 'observe', 'recordChanges', 'serverError', 'clock'] as const

/** Rejects for the first invalid default of a field. Some fields, such as lists, check values asynchronously. */
export async function checkDefaults(resources: readonly Resource[]): Promise<void> {
  for (const resource of resources) {
    for (const [view, fields] of [[undefined, resource.fields] as const, ...listViewFields(resource)]) {
      const where = view === undefined ? `resource "${resource.name}"` : `view "${view}" of resource "${resource.name}"`
      for (const [name, field] of Object.entries(fields)) {
        try {
          await checkDefault(field)
        } catch (error) {
          throw new Error(`${where}: field "${name}": ${(error as Error).message}`)
        }
      }
    }
  }
}

function checkSecret({ secret, pagination }: ApiOptions, resources: readonly Resource[]): void {
  if (secret !== undefined && !isLongEnough(secret))
    throw new Error('createApi(): secret must have 32 characters or more')
  const paginators = [
    pagination,
    ...resources.flatMap(resource => [resource, ...Object.values(resource.lists ?? {})].map(list => list.pagination)),
  ]
  if (secret === undefined && paginators.some(paginator => paginator?.needsSecret))
    throw new Error('createApi(): cursor() needs a secret: give createApi() or cursor() the option "secret"')
}

function checkIdempotency({ idempotencyKeys, database }: ApiOptions, resources: readonly Resource[]): void {
  if (idempotencyKeys && database === undefined)
    throw new Error('createApi(): idempotencyKeys stores responses: give the option "database"')
  for (const resource of resources)
    for (const [view, { idempotent }] of listExtraViews(resource)) {
      const { name, noStore } = resource
      if (!idempotent || (idempotencyKeys && !noStore)) continue
      const fix = noStore
        ? 'noStore: true forbids to store its responses: remove one of them'
        : 'set idempotencyKeys: true, and apply idempotencyMigrations'
      throw new Error(`createApi(): view "${view}" of resource "${name}" is idempotent: ${fix}`)
    }
}

function checkNames(resources: readonly Resource[]): void {
  const names = new Map<string, string>()
  for (const { name } of resources) {
    const other = names.get(name.replaceAll('-', '_'))
    if (other === name) throw new Error(`createApi(): there are two resources named "${name}": rename one`)
    if (other !== undefined)
      throw new Error(`createApi(): the names "${other}" and "${name}" differ only in "-" and "_": rename one`)
    names.set(name.replaceAll('-', '_'), name)
  }
}

function checkTrailingSlash({ trailingSlash = true }: ApiOptions): void {
  if (typeof trailingSlash !== 'boolean' && trailingSlash !== 'both')
    throw new Error("createApi(): trailingSlash must be true, false or 'both'")
}

function checkPath(
  path: string,
  { name, pathParameters = [] }: Pick<ViewOptions, 'name' | 'pathParameters'>,
  { trailingSlash = true }: ApiOptions,
): void {
  const view = `createApi(): the path "${path}" of view "${name}"`
  if (!path.startsWith('/') || (trailingSlash === true && !path.endsWith('/')))
    throw new Error(`${view} must begin${trailingSlash === true ? ' and end' : ''} with a slash`)
  const segments = path.replace(/^\/|\/$/g, '').split('/')
  if (path !== '/' && !segments.every(isSegment))
    throw new Error(
      `${view} has a segment that a URL can spell in other ways: write segments of ASCII letters, digits, ".", "_", "~" and "-", and parameters such as ":name"`,
    )
  const parameters: readonly string[] = path.match(/(?<=\/:)\w+(?=\/|$)/g) ?? []
  const duplicate = parameters.find((parameter, index) => parameters.indexOf(parameter) < index)
  if (duplicate !== undefined) throw new Error(`${view} has two parameters named "${duplicate}": rename one`)
  const missing = pathParameters.find(name => !parameters.includes(name))
  if (missing !== undefined)
    throw new Error(`${view} has no parameter ":${missing}": add it, or remove it from "parameters"`)
}

// Clients remove the segments "." and "..", and may percent-encode all other characters (RFC 3986 §6.2.2).
const isSegment = (segment: string): boolean =>
  /^(?::[A-Za-z_]\w*|[\w.~-]+)$/.test(segment) && segment !== '.' && segment !== '..'
