// Refuses unknown options of a resource. Node runs TypeScript without checking types, and a misspelt `permissions` would
// open the resource to everyone.

import { checkOptionNames, type OptionNames } from '../option-names.ts'
import type { MethodOptions } from '../view.ts'
import type { ActionOptions, Resource } from './resource.ts'
import type { ObjectView } from './views.ts'

/** Throws for the first unknown option of a resource, its actions, its views or their handlers. */
export function checkResourceOptions(resource: Omit<Resource, 'name'>): void {
  const { perAction, listMethods, listViews = {}, objectViews = {} } = resource
  checkOptionNames('', resource, resourceOptions)
  for (const [action, options] of Object.entries(perAction))
    checkOptionNames(`perAction.${action}`, options, actionOptions)
  if (listMethods !== undefined) checkHandlers(listMethods.handlers, 'listMethods')
  for (const [name, view] of Object.entries({ ...listViews, ...objectViews })) {
    checkOptionNames(`the view "${name}"`, view, viewOptions)
    checkHandlers(view.handlers, `the view "${name}"`)
  }
}

function checkHandlers(handlers: ObjectView['handlers'], where: string): void {
  for (const [method, handler] of Object.entries(handlers))
    if (typeof handler !== 'function') checkOptionNames(`${where}: ${method}`, handler, methodOptions)
}

const policies = { permissions: true, throttles: true, parsers: true, renderers: true } as const

// A resource can be declared with all properties of another one.
const resourceOptions: OptionNames<Omit<Resource, '~types'>> = {
  create: true,
  update: true,
  destroy: true,
  name: true,
  table: true,
  key: true,
  lookup: true,
  api: true,
  fields: true,
  ordering: true,
  searchFields: true,
  filters: true,
  filterLimits: true,
  strict: true,
  orderingFields: true,
  pagination: true,
  actions: true,
  perAction: true,
  authentication: true,
  ...policies,
  uniqueTogether: true,
  wire: true,
  normalize: true,
  validate: true,
  prepare: true,
  beforeSave: true,
  afterSave: true,
  beforeDestroy: true,
  afterDestroy: true,
  hookColumns: true,
  listViews: true,
  objectViews: true,
  listMethods: true,
  nestedUnder: true,
  title: true,
  description: true,
  objectName: true,
  auditEvent: true,
}

const actionOptions: OptionNames<ActionOptions> = { takes: true, shows: true, ...policies }

const viewOptions: OptionNames<ObjectView> = {
  handlers: true,
  fields: true,
  columns: true,
  authentication: true,
  ...policies,
  name: true,
  description: true,
  auditEvent: true,
  lenientAccept: true,
}

const methodOptions: OptionNames<MethodOptions> = { handle: true, ...policies }
