// Checks a resource declaration alone, without its API or database. Each mistake is an error at start that names the fix.

import { adviseName } from '../../base/nearest-name.ts'
import { type Fields, hasInitial } from '../../fields/field.ts'
import { findPathIdentifier, listLookupFields } from '../../fields/identifier.ts'
import { hasTime, isStoredAsJson } from '../../fields/kinds/kind.ts'
import { findFile, hasColumn, isAlias, isComputed, isStored, listWrittenColumns } from '../../fields/storage.ts'
import type { Key } from '../../keys/key.ts'
import { type ActionOptions, allActions } from '../declare/action-options.ts'
import { checkFilterLimits } from '../declare/filter-limits.ts'
import type { Resource } from '../declare/resource.ts'
import { checkOrdering, findOrderedValues } from '../query/declared-ordering.ts'
import { createFilters } from '../query/filters/declared-filters.ts'
import { findSearchedValues } from '../query/list-search.ts'
import { checkExtending } from './check-extending.ts'
import { checkListMethods, checkMethods } from './check-methods.ts'
import { checkNestings } from './check-nestings.ts'
import { checkResourceOptions } from './check-resource-options.ts'
import { checkSelection } from './check-selection.ts'
import { checkVisibleFields, checkWriters } from './check-visible-fields.ts'
import { listExtraViews } from './extra-views.ts'
import { checkPageOptions } from './page-options.ts'

/** Throws for the first mistake. */
export function checkDeclaration({ name, ...resource }: Resource): void {
  try {
    checkName(name)
    checkPath(resource)
    checkTable(name, resource)
    checkActions(resource)
    checkMethods(resource)
    checkResourceOptions(resource)
    if (resource.title.trim() === '')
      throw new Error('the title must not be empty: remove it, or give the singular name of the resource')
    checkFields(resource)
    checkNames(resource)
    checkNestings(resource)
    checkPageOptions(resource)
    checkSelection(resource)
    checkWriters(resource)
    checkLookup(resource)
    checkVisibleFields(resource)
    checkListMethods(resource)
    checkSingleton(resource)
    checkCreate(resource)
    checkConditional(resource)
    checkFeed(resource)
    checkExtending({ name, ...resource })
  } catch (error) {
    throw new Error(`resource "${name}": ${(error as Error).message}`)
  }
}

type Declared = Omit<Resource, 'name'>

const pathSegment = /^[A-Za-z_][\w.~-]*$/

function checkName(name: string): void {
  if (!/^[a-z][a-z0-9_-]*$/.test(name))
    throw new Error('the name must be lower-case letters, digits, hyphens and underscores, beginning with a letter')
}

function checkPath({ path, nestedUnder }: Declared): void {
  if (path === undefined || (path === '' && nestedUnder.some(({ only }) => only))) return
  if (typeof path !== 'string' || !path.split('/').every(segment => pathSegment.test(segment)))
    throw new Error(
      `path: write segments without a slash at their ends, such as "custom_fields" or "plugins/tags"; only a list below a parent with "only" may have an empty path`,
    )
}

// Node runs TypeScript without checking types.
function checkTable(name: string, { table }: { readonly table?: unknown }): void {
  if (typeof table !== 'string' || table === '')
    throw new Error(`the option "table" is missing: name the table of its objects, as in table: "${name}"`)
}

function checkActions({ actions, perAction }: Declared): void {
  for (const [option, names] of Object.entries({ actions, perAction: Object.keys(perAction) })) {
    const unknown = names.find(action => !(allActions as readonly string[]).includes(action))
    if (unknown !== undefined)
      throw new Error(`${option}: there is no action "${unknown}": the actions are ${allActions.join(', ')}`)
  }
}

function checkFields({ fields, actions, hookColumns, key }: Declared): void {
  const writes = actions.includes('create') || actions.includes('update')
  for (const [name, field] of Object.entries(fields)) {
    const { childStorage, required, readOnly, writeOnly, fixed, kind, targetName } = field
    const columns = listWrittenColumns(name, field)
    // A write-only or computed field without storage passes its value to hooks. An API completes a field that names its target.
    if (!isStored(field) && !readOnly && !writeOnly && !isComputed(field) && targetName === undefined)
      throw new Error(`field "${name}" is not stored: wrap it in readOnly()`)
    if (writes && !readOnly && !required && !hasInitial(field) && columns.length > 0 && !isAlias(fields, name))
      throw new Error(`field "${name}" is optional: give it a default, or set nullable: true`)
    if (field.file === undefined && findFile(field))
      throw new Error(
        `field "${name}" is a list of files, which only the body of a view takes: declare a resource of the files`,
      )
    if (fixed && !readOnly && (!hasColumn(field) || isStoredAsJson(kind)))
      throw new Error(`field "${name}" cannot be fixed: only a field with a column whose values can be compared can be`)
    if (columns.includes(key.column) && !readOnly && childStorage)
      throw new Error(`field "${name}" writes the key column "${key.column}": name another column with a reference`)
    if (columns.includes(key.column) && !readOnly && !fixed && field.relation === undefined)
      throw new Error(refuseKey(name, key))
    const column = columns.find(each => hookColumns.includes(each))
    if (column !== undefined && !readOnly)
      throw new Error(`column "${column}" belongs to a field and to "hookColumns": remove it from one of them`)
  }
}

// An update could change the key of the object, and with it the URL.
function refuseKey(name: string, { column, source }: Key): string {
  const advice = source === 'body' ? '' : ', or set fixed: true if the body that creates an object gives its key'
  return `field "${name}" writes the key column "${column}": write ${name}: key()${advice}`
}

// Checks the field names, columns and paths that the other options contain.
function checkNames({
  fields,
  perAction,
  searchFields = [],
  filters,
  filterLimits,
  orderingFields = [],
  ordering,
  orderingTies = [],
  objectName,
  pages = {},
  auditFields = [],
  uniqueTogether,
  lists = {},
  listViews = {},
  objectViews = {},
}: Declared): void {
  for (const [action, options] of Object.entries(perAction)) checkActionFields(fields, action, options)
  if (objectName !== undefined) checkShownNames(fields, [objectName], 'objectName')
  checkShownNames(fields, pages.columns ?? [], 'pages.columns')
  checkShownNames(fields, auditFields, 'auditFields')
  checkList(searchFields, 'searchFields')
  findSearchedValues(fields, searchFields)
  checkList(orderingFields, 'orderingFields')
  findOrderedValues(fields, 'orderingFields', orderingFields)
  checkList(ordering, 'ordering')
  checkOrdering(fields, 'ordering', ordering)
  checkList(orderingTies, 'orderingTies')
  checkOrdering(fields, 'orderingTies', orderingTies)
  createFilters({ fields, ...(filters && { filters }) })
  checkFilterLimits(filterLimits)
  for (const names of uniqueTogether) {
    checkFieldNames(fields, names, 'uniqueTogether')
    const withoutColumn = names.find(field => !hasColumn(fields[field]!))
    if (withoutColumn !== undefined)
      throw new Error(`uniqueTogether: field "${withoutColumn}" has no column of its own`)
    const readOnly = names.find(field => fields[field]!.readOnly)
    if (readOnly !== undefined)
      throw new Error(`uniqueTogether: field "${readOnly}" is read-only, so callers cannot set it`)
    checkComparable(fields, names, 'uniqueTogether')
  }
  for (const [name, list] of Object.entries(lists)) {
    checkList(list.ordering ?? [], `the list "${name}": ordering`)
    checkOrdering(fields, `the list "${name}": ordering`, list.ordering ?? [])
  }
  for (const path of Object.keys({ ...lists, ...listViews, ...objectViews }))
    if (!pathSegment.test(path)) throw new Error(`the name of view "${path}" must be a valid path segment`)
  for (const [name, { columns = [] }] of Object.entries(objectViews)) checkList(columns, `the view "${name}": columns`)
  for (const [name, { path, parameters }] of listExtraViews({ listViews, objectViews }))
    checkViewPath(name, path, parameters)
}

function checkViewPath(name: string, path: string | undefined, declared: object = {}): void {
  const segments = path === undefined ? [] : String(path).split('/')
  const parameters = segments.filter(segment => segment.startsWith(':'))
  const isText = path === undefined || typeof path === 'string'
  if (!isText || !segments.every(segment => /^(?:[A-Za-z_][\w.~-]*|:[A-Za-z]\w*)$/.test(segment)))
    throw new Error(`the view "${name}": path: write segments and parameters, such as "lines/:line/ship"`)
  const taken = parameters.find(
    (parameter, index) => parameters.indexOf(parameter) < index || /^:(?:key|\w+_key)$/.test(parameter),
  )
  if (taken !== undefined)
    throw new Error(`the view "${name}": path: another part of the URL has the parameter "${taken}": rename it`)
  const missing = Object.keys(declared).find(parameter => !parameters.includes(`:${parameter}`))
  if (missing !== undefined)
    throw new Error(`the view "${name}": parameters: the path has no ":${missing}": add it, or remove it here`)
}

/** The actions with a request body that the fields read, and those whose response shows the object. */
const bodyActions: ReadonlySet<string> = new Set(['create', 'update'])

function checkActionFields(fields: Fields, action: string, { takes, shows }: ActionOptions): void {
  checkFieldNames(fields, takes, `perAction.${action}.takes`)
  checkShownNames(fields, shows, `perAction.${action}.shows`)
  if (takes !== undefined && !bodyActions.has(action))
    throw new Error(`perAction.${action}: the action has no request body: remove "takes"`)
  if (shows !== undefined && action === 'destroy')
    throw new Error('perAction.destroy: the response has no body: remove "shows"')
}

function checkLookup(resource: Declared): void {
  const { lookup, fields, feed } = resource
  try {
    const names = listLookupFields(resource)
    if (Array.isArray(lookup) && (names.length === 0 || new Set(names).size < names.length))
      throw new Error('name one field or several, each once')
    findPathIdentifier(resource)
    const empty = names.find(name => fields[name]!.nullable || fields[name]!.blank)
    if (empty !== undefined)
      throw new Error(`field "${empty}" may be empty, so an object may have no URL: remove "nullable" and "blank"`)
    if (names.length > 1 && feed) throw new Error('the events of a feed name an object by one field: remove "feed"')
  } catch (error) {
    throw new Error(`lookup: ${(error as Error).message}`)
  }
}

function checkComparable(fields: Fields, names: readonly string[], option: string): void {
  const json = names.find(field => isStoredAsJson(fields[field]!.kind))
  if (json !== undefined) throw new Error(`${option}: field "${json}" is stored as JSON, which cannot be compared`)
}

// A singleton has no list, and its key is not in its URL.
function checkSingleton({ singleton, actions, lookup, listMethods, lists, listViews }: Declared): void {
  if (singleton === undefined) return
  if (typeof singleton !== 'function')
    throw new Error('singleton: write a function that returns the key, such as ({ caller }) => caller.id')
  if (actions.includes('list')) throw new Error('singleton: it has no list: remove the action "list"')
  if (actions.includes('create') && !actions.includes('update'))
    throw new Error('singleton: a PUT creates and changes the object: add the action "update", or remove "create"')
  for (const [option, value] of Object.entries({ lookup, listMethods, lists, listViews }))
    if (value !== undefined) throw new Error(`singleton: its URL has no list and no key: remove "${option}"`)
}

// A new object needs a value for each stored field, from the request body or from a default.
function checkCreate({ fields, actions, perAction: { create } }: Declared): void {
  if (!actions.includes('create') || create?.takes === undefined) return
  const missing = Object.entries(fields).find(
    ([name, field]) =>
      !create.takes!.includes(name) &&
      !field.readOnly &&
      listWrittenColumns(name, field).length > 0 &&
      !hasInitial(field) &&
      !isAlias(fields, name),
  )
  if (missing !== undefined)
    throw new Error(`perAction.create.takes: field "${missing[0]}" is missing: add it, or give it a default`)
}

function checkConditional({ fields, actions, lastModified, requireIfMatch, noStore }: Declared): void {
  if (lastModified !== undefined) {
    checkFieldNames(fields, [lastModified], 'lastModified')
    const field = fields[lastModified]!
    if (!hasTime(field.kind) || !hasColumn(field))
      throw new Error(`lastModified: field "${lastModified}" is not a date-time with a column: name a dateTime() field`)
  }
  const writes = actions.includes('update') || actions.includes('destroy')
  if (requireIfMatch && !(writes && actions.includes('retrieve')))
    throw new Error('requireIfMatch: it needs "retrieve", and "update" or "destroy": add the actions, or remove it')
  const unused = noStore && (requireIfMatch ? 'requireIfMatch' : lastModified !== undefined && 'lastModified')
  if (unused) throw new Error(`noStore: without an ETag, "${unused}" has no effect: remove one of them`)
}

function checkFeed({ feed, actions, singleton, table }: Declared): void {
  if (feed === undefined || feed === false) return
  if (feed !== true) throw new Error('feed must be true or false')
  if (!actions.includes('list') || singleton !== undefined)
    throw new Error('feed: it sends the changes of a list: add the action "list", or remove it')
  if (table.includes('.')) throw new Error(`feed: the table "${table}" has a schema: use one of the default schema`)
}

function checkShownNames(fields: Fields, names: readonly string[] = [], where: string): void {
  checkFieldNames(fields, names, where)
  const hidden = names.find(name => fields[name]!.writeOnly)
  if (hidden !== undefined) throw new Error(`${where}: field "${hidden}" is write-only: remove it`)
}

// Node runs TypeScript without checking types.
function checkList(names: readonly string[], where: string): void {
  if (!Array.isArray(names)) throw new Error(`${where} must be a list: write [${JSON.stringify(names)}]`)
}

function checkFieldNames(fields: Fields, names: readonly string[] = [], where: string): void {
  checkList(names, where)
  const unknown = names.find(name => !Object.hasOwn(fields, name))
  if (unknown !== undefined)
    throw new Error(`${where}: there is no field "${unknown}"${adviseName(unknown, Object.keys(fields))}`)
}
