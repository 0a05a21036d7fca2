// Refuses unknown options and wrong policies of a resource. Node runs TypeScript without checking types, and a misspelt
// `permissions` would open the resource to everyone.

import { checkFunction } from '../../base/check-function.ts'
import { checkOptionNames, type OptionNames } from '../../base/option-names.ts'
import { checkEnvelope } from '../../http/envelope/envelope.ts'
import { checkParameterNames } from '../../http/urls/parameter-names.ts'
import { checkPaginator, checkPolicies } from '../../policy/check-policies.ts'
import { checkHandlers, checkView, declaredMethodOptions, methodPolicies } from '../../view/check-view.ts'
import { checkDeclaredView } from '../../view/declared/check-declared-view.ts'
import { checkOperationOptions } from '../../view/describe/options.ts'
import { findHeaderProblem } from '../../view/render.ts'
import { checkRawBody, checkResponseHeaders, checkUnknownFields } from '../../view/unknown-fields.ts'
import type { ActionOptions } from '../declare/action-options.ts'
import { checkPut } from '../declare/put-option.ts'
import type { DeclaredResource, Resource } from '../declare/resource.ts'
import type { RowList } from '../declare/row-lists.ts'
import type { ListMethods, ObjectMethods, ObjectView } from '../declare/views.ts'
import { checkBulk } from './check-bulk.ts'
import { listExtraViews } from './extra-views.ts'

/** Throws for the first unknown option or wrong policy of a resource, its actions, its views or their handlers. */
export function checkResourceOptions(resource: Omit<Resource, 'name'>): void {
  const { perAction, listMethods, objectMethods, lists = {}, listViews = {}, objectViews = {} } = resource
  checkOptionNames('', resource, resourceOptions)
  checkPolicies('', resource)
  checkPaginator('', resource.pagination)
  checkEnvelope('envelope', resource.envelope)
  checkPut('put', resource.put)
  checkUnknownFields('unknownFields', resource.unknownFields)
  checkRawBody('rawBody', resource.rawBody)
  checkResponseHeaders('responseHeaders', resource.responseHeaders)
  const problem = resource.headers && findHeaderProblem(resource.headers)
  if (problem !== undefined) throw new Error(`headers cannot be sent: ${problem}`)
  if (![undefined, 'words', 'phrase'].includes(resource.searchAs))
    throw new Error("searchAs must be 'words' or 'phrase'")
  checkParameterNames('parameters', resource.parameters)
  checkBulk(resource)
  for (const hook of hooks) checkFunction(hook, resource[hook], `such as ${hook}(context) { … }`)
  checkOperationOptions('openapi', resource.openapi)
  checkViewMaps({ lists, listViews, objectViews })
  for (const [action, options] of Object.entries(perAction)) {
    checkOptionNames(`perAction.${action}`, options, actionOptions)
    checkPolicies(`perAction.${action}`, options)
    checkStatus(action, options, resource)
    checkOperationOptions(`perAction.${action}.openapi`, options.openapi)
  }
  for (const [name, list] of Object.entries(lists)) {
    checkOptionNames(`the list "${name}"`, list, listOptions)
    checkPolicies(`the list "${name}"`, list)
    checkPaginator(`the list "${name}"`, list.pagination)
    if (typeof list.rows !== 'function')
      throw new Error(`the list "${name}" needs its rows: write rows: ({ row, caller }) => sql\`…\``)
  }
  for (const [option, view] of Object.entries({ listMethods, objectMethods })) {
    if (view === undefined) continue
    checkHandlers(option, view.handlers, declaredMethodOptions)
    checkOwnMethods(option, view)
    checkDeclaredView(option, view)
  }
  for (const [name, view] of listExtraViews(resource)) {
    checkView(`the view "${name}"`, view, viewOptions, declaredMethodOptions)
    checkDeclaredView(`the view "${name}"`, view)
  }
}

// The policies of the resource, or those of the handlers, apply to its own URLs.
function checkOwnMethods(option: string, view: object): void {
  const policy = Object.keys({ ...methodPolicies, authentication: true }).find(name => Object.hasOwn(view, name))
  if (policy !== undefined)
    throw new Error(`${option}: "${policy}" has no effect here: write it for each method, or for the resource`)
  checkOptionNames(option, view, option === 'listMethods' ? listMethodOptions : objectMethodOptions)
}

const hooks = ['normalize', 'validate', 'prepare', 'beforeSave', 'afterSave', 'beforeDestroy', 'afterDestroy'] as const

// A PUT that creates an object responds with 201 (RFC 9110 §9.3.4).
function checkStatus(action: string, { status }: ActionOptions, { singleton }: Omit<Resource, 'name'>): void {
  if (status === undefined) return
  if (action !== 'create') throw new Error(`perAction.${action}: "status" is an option of create: remove it`)
  if (singleton !== undefined) throw new Error('perAction.create: a PUT that creates is 201: remove "status"')
  if (![200, 201, 202, 203].includes(status))
    throw new Error('perAction.create: "status" must be 200, 201, 202 or 203, which have a body')
}

function checkViewMaps(options: Readonly<Record<string, unknown>>): void {
  for (const [option, views] of Object.entries(options)) {
    if (typeof views === 'function')
      throw new Error(`${option} must be an object, because only "objectViews" may be a function`)
    if (typeof views !== 'object' || views === null || Array.isArray(views))
      throw new Error(`${option} must be an object with a name for each view`)
  }
}

// A resource can be declared with all properties of another one.
const resourceOptions: OptionNames<Omit<DeclaredResource, '~types'>> = {
  create: true,
  update: true,
  destroy: true,
  name: true,
  table: true,
  key: true,
  lookup: true,
  path: true,
  parameters: true,
  api: true,
  fields: true,
  ordering: true,
  searchFields: true,
  searchAs: true,
  filters: true,
  filterLimits: true,
  strict: true,
  unknownFields: true,
  rawBody: true,
  responseHeaders: true,
  headers: true,
  suggestsIndexes: true,
  sparseFields: true,
  expandableFields: true,
  fieldSets: true,
  selectsIn: true,
  unknownNames: true,
  orderingFields: true,
  orderingTies: true,
  pagination: true,
  envelope: true,
  put: true,
  bulk: true,
  actions: true,
  perAction: true,
  authentication: true,
  ...methodPolicies,
  uniqueTogether: true,
  countDeletion: true,
  wire: true,
  normalize: true,
  validate: true,
  prepare: true,
  beforeSave: true,
  afterSave: true,
  beforeDestroy: true,
  afterDestroy: true,
  hookColumns: true,
  filledColumns: true,
  ownRows: true,
  deletedColumn: true,
  restoredColumn: true,
  declaredTable: true,
  parentRows: true,
  findExistingRows: true,

  lists: true,
  listViews: true,
  objectViews: true,
  methods: true,
  listMethods: true,
  objectMethods: true,
  nestedUnder: true,
  singleton: true,
  title: true,
  description: true,
  objectName: true,
  defaultName: true,
  pages: true,
  lastModified: true,
  requireIfMatch: true,
  noStore: true,
  feed: true,
  auditEvent: true,
  auditFields: true,
  openapi: true,
}

const actionOptions: OptionNames<ActionOptions> = {
  takes: true,
  shows: true,
  status: true,
  openapi: true,
  ...methodPolicies,
}

const listOptions: OptionNames<RowList> = {
  rows: true,
  volatile: true,
  ordering: true,
  pagination: true,
  permissions: true,
  throttles: true,
  renderers: true,
  name: true,
  description: true,
  auditEvent: true,
}

const listMethodOptions: OptionNames<Omit<ListMethods, '~types'>> = {
  query: true,
  body: true,
  response: true,
  handlers: true,
  idempotent: true,
}

const objectMethodOptions: OptionNames<Omit<ObjectMethods, '~types'>> = { ...listMethodOptions, columns: true }

const viewOptions: OptionNames<Omit<ObjectView, '~types'>> = {
  handlers: true,
  query: true,
  body: true,
  response: true,
  errors: true,
  parameters: true,
  columns: true,
  path: true,
  authentication: true,
  ...methodPolicies,
  name: true,
  description: true,
  pageActions: true,
  auditEvent: true,
  lenientAccept: true,
  unknownFields: true,
  rawBody: true,
  responseHeaders: true,
  openapi: true,
  idempotent: true,
}
