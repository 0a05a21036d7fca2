// Completes and checks the option `bulk`.

import { checkOptionNames, type OptionNames } from '../../base/option-names.ts'
import { findPathIdentifier, listLookupFields } from '../../fields/identifier.ts'
import type { Bulk, BulkAction, BulkOptions } from '../declare/bulk-option.ts'
import type { Resource } from '../declare/resource.ts'
import { hasMethod } from '../declare/resource-methods.ts'

export const completeBulk = ({ bulk, actions }: Pick<Resource, 'bulk' | 'actions'>): Bulk | undefined =>
  bulk === undefined
    ? undefined
    : {
        max: 1000,
        actions: bulkActions.filter(action => actions.includes(action)),
        ...(typeof bulk === 'string' ? { mode: bulk } : bulk),
      }

const bulkActions: readonly BulkAction[] = ['create', 'update', 'destroy']

/** The name of the field by which the items of a request name their objects. */
export const findNamingField = (resource: Pick<Resource, 'key' | 'lookup' | 'fields'>): string | undefined => {
  const { column } = findPathIdentifier(resource)
  const [field, ...others] = listLookupFields(resource)
  if (others.length > 0) return undefined
  return field ?? Object.entries(resource.fields).find(([, { keyColumn }]) => keyColumn === column)?.[0]
}

/** Throws for the first mistake. */
export function checkBulk(resource: Omit<Resource, 'name'>): void {
  const { actions: declared, singleton, requireIfMatch, listMethods } = resource
  if (resource.bulk === undefined) return
  if (typeof resource.bulk === 'object') checkOptions(resource.bulk)
  const bulk = completeBulk(resource)!
  const { mode, max, actions } = bulk
  if (mode !== 'atomic' && mode !== 'each') throw new Error('bulk: the mode must be "atomic" or "each"')
  if (!Number.isInteger(max) || max < 1) throw new Error(`bulk: max is ${max}: give a whole number, 1 or more`)
  if (bulk.keysIn !== undefined && (typeof bulk.keysIn !== 'string' || bulk.keysIn === ''))
    throw new Error('bulk: keysIn must be the name of a member of the body, such as "ids"')
  if (bulk.keysIn !== undefined && !actions.includes('destroy'))
    throw new Error('bulk: keysIn is about the action "destroy": add it, or remove "keysIn"')
  if (![undefined, 'refuse', 'skip'].includes(bulk.missing)) throw new Error("bulk: missing must be 'refuse' or 'skip'")
  if (bulk.missing === 'skip' && mode === 'each')
    throw new Error("bulk: missing: 'each' has a status for each item: set the mode 'atomic', or remove it")
  if (actions.length === 0)
    throw new Error(
      `bulk: no request can have an array: name some actions of ${bulkActions.join(', ')}, or remove "bulk"`,
    )
  const unknown = actions.find(action => !bulkActions.includes(action))
  if (unknown !== undefined)
    throw new Error(`bulk: there is no action "${unknown}" for many objects: the actions are ${bulkActions.join(', ')}`)
  const missing = actions.find(action => !declared.includes(action))
  if (missing !== undefined) throw new Error(`bulk: the resource has no action "${missing}": add it to "actions"`)
  if (singleton !== undefined) throw new Error('bulk: a singleton has no list: remove "bulk"')
  const file = actions.includes('create') ? findNeededFile(resource) : undefined
  if (file !== undefined)
    throw new Error(
      `bulk: a new object needs the file "${file}", which an array cannot contain: declare the file as nullable, or leave out 'create': actions: ['update', 'destroy']`,
    )
  const named = actions.find(action => action !== 'create')
  if (named === undefined) return
  if (requireIfMatch)
    throw new Error(
      `bulk: a request has one If-Match for all objects: set actions: ['create'], or remove "requireIfMatch"`,
    )
  if (listLookupFields(resource).length > 1)
    throw new Error(
      'bulk: the items name their objects by one field, and "lookup" has several: set actions: [\'create\']',
    )
  if (findNamingField(resource) === undefined)
    throw new Error('bulk: the items name their objects by their keys: add the field key()')
  const methods = { update: ['PUT', 'PATCH'], destroy: ['DELETE'] }
  const taken = actions
    .flatMap(action => (action === 'create' ? [] : methods[action]))
    .filter(method => hasMethod(resource, method))
    .find(method => Object.hasOwn(listMethods?.handlers ?? {}, method))
  if (taken !== undefined) throw new Error(`bulk: "listMethods" has ${taken} too: remove one of them`)
}

// Node runs TypeScript without checking types.
function checkOptions(bulk: BulkOptions): void {
  if (bulk === null || Array.isArray(bulk)) throw new Error("bulk: write 'atomic', 'each', or { mode, max, actions }")
  checkOptionNames('bulk', bulk, optionNames)
  if (bulk.actions !== undefined && !Array.isArray(bulk.actions))
    throw new Error(`bulk: actions must be a list: write [${JSON.stringify(bulk.actions)}]`)
}

const optionNames: OptionNames<BulkOptions> = { mode: true, max: true, actions: true, keysIn: true, missing: true }

const findNeededFile = ({ fields, perAction }: Pick<Resource, 'fields' | 'perAction'>): string | undefined => {
  const { takes = Object.keys(fields) } = perAction.create ?? {}
  return takes.find(name => fields[name]?.file && fields[name].required)
}
