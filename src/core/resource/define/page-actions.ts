// The actions that a resource declares for its pages. Each of them is a PATCH, so it has the permissions, checks, hooks and audit
// events of one.

import { checkOptionNames, type OptionNames } from '../../base/option-names.ts'
import { nameOnWire } from '../../fields/wire-names.ts'
import type { PageAction, PageActions } from '../../view/page-action.ts'
import type { Resource } from '../declare/resource.ts'

const optionNames: OptionNames<PageAction> = {
  label: true,
  description: true,
  values: true,
  fields: true,
  adds: true,
  bulk: true,
  menu: true,
}

/** Throws for the first mistake in a declaration. */
export function checkPageActions({
  pageActions = {},
  objectViews = {},
  fields,
  actions,
}: Pick<Resource, 'pageActions' | 'objectViews' | 'fields' | 'actions'>): void {
  if (Object.keys(pageActions).length > 0 && !actions.includes('update'))
    throw new Error('pageActions: each of them is an update: add "update" to "actions"')
  for (const [name, action] of Object.entries(pageActions)) {
    const where = `pageActions: "${name}"`
    checkOptionNames(where, action, optionNames)
    if (!/^[a-z][\w-]*$/.test(name)) throw new Error(`${where}: use letters, digits and hyphens`)
    if (Object.hasOwn(objectViews, name)) throw new Error(`${where}: a view of "objectViews" has this name`)
    if ([action.values, action.fields, action.adds].filter(part => part !== undefined).length !== 1)
      throw new Error(`${where}: it needs one of "values", "fields" and "adds"`)
    for (const field of listNames(action))
      if (fields[field] === undefined || fields[field].readOnly)
        throw new Error(`${where}: there is no writable field "${field}"`)
    if (action.adds !== undefined && !fields[action.adds]!.relation?.many)
      throw new Error(`${where}: field "${action.adds}" is not a relation with several objects`)
  }
}

const listNames = ({ values = {}, fields = [], adds }: PageAction): readonly string[] => [
  ...Object.keys(values),
  ...fields,
  ...(adds === undefined ? [] : [adds]),
]

/** The actions with the names that fields have in requests. */
export function namePageActions({ pageActions = {}, fields }: Pick<Resource, 'pageActions' | 'fields'>): PageActions {
  const toWire = (name: string) => nameOnWire(name, fields[name]!)
  return Object.fromEntries(
    Object.entries(pageActions).map(([name, { values, fields: asked, adds, ...texts }]) => [
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
