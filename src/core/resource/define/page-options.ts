// Checks the option `pages` of a resource, and names its fields as requests do. Each of its actions is a PATCH, so it has the
// permissions, checks, hooks and audit events of one.

import { adviseName } from '../../base/nearest-name.ts'
import { checkOptionNames, type OptionNames } from '../../base/option-names.ts'
import type { Fields } from '../../fields/field.ts'
import { type FieldGroup, type FieldGroups, listGroups } from '../../fields/field-groups.ts'
import { nameOnWire } from '../../fields/wire-names.ts'
import type { PageAction, PageActions } from '../../view/page-action.ts'
import type { PageOptions } from '../declare/page-options.ts'
import type { Resource } from '../declare/resource.ts'
import { listMethodsOf } from '../declare/resource-methods.ts'

const pageOptions: OptionNames<PageOptions> = { names: true, columns: true, groups: true, actions: true }

const actionOptions: OptionNames<PageAction> = {
  label: true,
  description: true,
  done: true,
  values: true,
  fields: true,
  adds: true,
  bulk: true,
  menu: true,
  when: true,
}

/** Throws for the first mistake in a declaration, except for the names of `columns`. */
export function checkPageOptions({ pages = {}, fields, ...resource }: Omit<Resource, 'name'>): void {
  checkOptionNames('pages', pages, pageOptions)
  const { names, groups = {}, actions = {} } = pages
  if (names !== undefined && (names.one === undefined || names.many === undefined))
    throw new Error('pages.names: give the names of one object and of the list, such as { one: "Book", many: "Books" }')
  checkGroups(fields, groups)
  if (Object.keys(actions).length > 0 && !resource.actions.includes('update'))
    throw new Error('pages.actions: each of them is an update: add "update" to "actions"')
  if (Object.keys(actions).length > 0 && !listMethodsOf(resource, 'update').includes('PATCH'))
    throw new Error('pages.actions: each of them is a PATCH: add it to "methods"')
  for (const [name, action] of Object.entries(actions)) {
    const where = `pages.actions: "${name}"`
    if (Object.hasOwn(resource.objectViews ?? {}, name))
      throw new Error(`${where}: a view of "objectViews" has this name`)
    checkAction(where, name, action, fields)
  }
}

// A name that is no field, or that is in two groups.
function checkGroups(fields: Fields, groups: FieldGroups): void {
  const seen = new Map<string, string>()
  for (const [heading, group] of Object.entries(groups)) {
    const names = Array.isArray(group) ? group : Object(group).fields
    const where = `pages.groups: "${heading}"`
    // Node runs TypeScript without checking types.
    if (!Array.isArray(names)) throw new Error(`${where} must be a list: write [${JSON.stringify(group)}]`)
    for (const name of names) {
      if (!Object.hasOwn(fields, name))
        throw new Error(`${where}: there is no field "${name}"${adviseName(name, Object.keys(fields))}`)
      if (seen.has(name))
        throw new Error(`${where}: field "${name}" is in the group "${seen.get(name)}" already: remove it from one`)
      seen.set(name, heading)
    }
  }
}

function checkAction(where: string, name: string, action: PageAction, fields: Fields): void {
  checkOptionNames(where, action, actionOptions)
  if (!/^[a-z][\w-]*$/.test(name)) throw new Error(`${where}: use letters, digits and hyphens`)
  if ([action.values, action.fields, action.adds].filter(part => part !== undefined).length !== 1)
    throw new Error(`${where}: it needs one of "values", "fields" and "adds"`)
  for (const field of listNames(action))
    if (fields[field] === undefined || fields[field].readOnly)
      throw new Error(`${where}: there is no writable field "${field}"`)
  if (action.adds !== undefined && !fields[action.adds]!.relation?.many)
    throw new Error(`${where}: field "${action.adds}" is not a relation with several objects`)
}

const listNames = ({ values = {}, fields = [], adds }: PageAction): readonly string[] => [
  ...Object.keys(values),
  ...fields,
  ...(adds === undefined ? [] : [adds]),
]

/** The groups with the names of fields in requests. */
export const groupsOnWire = ({ pages, fields }: Pick<Resource, 'pages' | 'fields'>): readonly FieldGroup[] =>
  listGroups(pages?.groups ?? {}).map(({ heading, names }) => ({
    heading,
    names: names.map(name => nameOnWire(name, fields[name]!)),
  }))

/** The actions with the names that fields have in requests. */
export function actionsOnWire({ pages, fields }: Pick<Resource, 'pages' | 'fields'>): PageActions {
  const toWire = (name: string) => nameOnWire(name, fields[name]!)
  return Object.fromEntries(
    Object.entries(pages?.actions ?? {}).map(([name, { values, fields: asked, adds, ...texts }]) => [
      name,
      {
        ...texts,
        ...(values && {
          values: Object.fromEntries(Object.entries(values).map(([key, value]) => [toWire(key), value])),
        }),
        ...(asked && { fields: asked.map(toWire) }),
        ...(adds !== undefined && { adds: toWire(adds) }),
      },
    ]),
  )
}
