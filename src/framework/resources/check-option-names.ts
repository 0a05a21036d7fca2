// Refuses unknown options of a resource. Node runs TypeScript without checking types, and a misspelt `permissions` would
// open the resource to everyone.

import type { MethodOptions } from '../view.ts'
import { nearestName } from './nearest-name.ts'
import type { ActionOptions, Resource } from './resource.ts'
import type { ObjectView } from './views.ts'

type Names<Options> = Readonly<Record<keyof Options, true>>

/** Throws for the first unknown option of a resource, its actions, its views or their handlers. */
export function checkOptionNames(resource: Omit<Resource, 'name'>): void {
  const { perAction, listMethods, listViews = {}, objectViews = {} } = resource
  check(resource, resourceOptions)
  for (const [action, options] of Object.entries(perAction)) check(options, actionOptions, `perAction.${action}: `)
  if (listMethods !== undefined) checkHandlers(listMethods.handlers, 'listMethods: ')
  for (const [name, view] of Object.entries({ ...listViews, ...objectViews })) {
    check(view, viewOptions, `the view "${name}": `)
    checkHandlers(view.handlers, `the view "${name}": `)
  }
}

function checkHandlers(handlers: ObjectView['handlers'], where: string): void {
  for (const [method, handler] of Object.entries(handlers))
    if (typeof handler !== 'function') check(handler, methodOptions, `${where}${method}: `)
}

function check(options: object, known: Readonly<Record<string, true>>, where = ''): void {
  const unknown = Object.keys(options).find(name => !Object.hasOwn(known, name))
  if (unknown === undefined) return
  const nearest = nearestName(unknown, Object.keys(known))
  const advice = nearest === undefined ? `the options are ${Object.keys(known).join(', ')}` : `write "${nearest}"`
  throw new Error(`${where}there is no option "${unknown}": ${advice}`)
}

const policies = { permissions: true, throttles: true, parsers: true, renderers: true } as const

const resourceOptions: Names<Resource> = {
  name: true,
  table: true,
  key: true,
  api: true,
  fields: true,
  ordering: true,
  searchFields: true,
  filters: true,
  orderingFields: true,
  pagination: true,
  actions: true,
  perAction: true,
  authentication: true,
  ...policies,
  uniqueTogether: true,
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

const actionOptions: Names<ActionOptions> = { fields: true, ...policies }

const viewOptions: Names<ObjectView> = {
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

const methodOptions: Names<MethodOptions> = { handle: true, ...policies }
