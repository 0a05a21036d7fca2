// The fields and relations that a query may select: the fields that the response shows, and the relations that the
// resource declares as expandable. A wrong declaration is an error at start that names the fix.

import { adviseName } from '../../../base/nearest-name.ts'
import type { Field, Fields, Join } from '../../../fields/field.ts'
import { isMet } from '../../../fields/field-visibility.ts'
import { pickFields } from '../../../fields/level.ts'
import { nameOnWire } from '../../../fields/wire-names.ts'
import type { Caller } from '../../../http/identity.ts'
import { listObjectColumns, listReadObjectPermissions } from '../../../policy/permissions/permission.ts'
import type { View } from '../../../view/view.ts'
import type { Resource } from '../../declare/resource.ts'
import { findResource } from '../../names/find-target-api.ts'
import { findListPath, formatObjectPattern } from '../../names/list-paths.ts'
import type { MountedApi } from '../../names/mounted-api.ts'
import { findJoin } from '../queried-value.ts'
import { type NameTree, noNames } from './name-tree.ts'

/** The fields of an object, by their names on the wire. */
export type SelectableFields = ReadonlyMap<string, SelectableField>

/** A field that a response shows. */
export interface SelectableField {
  readonly name: string
  readonly field: Field
  /** How the row leads to related rows; undefined if the field is not a relation. */
  readonly join: Join | undefined
  /** The fields of the objects that it shows; undefined if it shows none. */
  readonly inner: SelectableFields | undefined
  /** True if callers may expand it, or a relation inside it. */
  readonly isExpandable: boolean
  /** The related resource's objects; undefined unless callers may ask for them. */
  readonly expansion: Expansion | undefined
}

/** The objects of a related resource, as its own URLs show them. */
export interface Expansion {
  /** The view of these URLs, whose permissions apply. */
  readonly view: View
  readonly api: MountedApi
  readonly fields: SelectableFields
}

/**
 * Creates the selectable fields of an object with these fields. `expandable`: the declared names of its relations. Throws for
 * the first mistake, which begins with the path.
 */
export function createSelectableFields(
  fields: Fields,
  expandable: NameTree,
  api: MountedApi,
  path = '',
): SelectableFields {
  const shown = Object.entries(fields).filter(([, { writeOnly }]) => !writeOnly)
  const names = shown.map(([name]) => name)
  for (const name of expandable.keys())
    if (!names.includes(name))
      throw new Error(`"${path}${name}": there is no field "${name}" in the response${adviseName(name, names)}`)
  return new Map(
    shown.map(([name, field]) => [
      nameOnWire(name, field),
      createSelectableField(name, field, expandable.get(name), api, path + name),
    ]),
  )
}

function createSelectableField(
  name: string,
  field: Field,
  expandable: NameTree | undefined,
  api: MountedApi,
  path: string,
): SelectableField {
  const { relation, shownFields } = field
  const join = findJoin(name, field)
  const common = { name, field, join, isExpandable: expandable !== undefined }
  if (join === undefined) {
    if (expandable !== undefined) throw new Error(`"${path}": field "${name}" is not a relation: remove it`)
    return { ...common, inner: undefined, expansion: undefined }
  }
  if (relation === undefined && expandable?.size === 0)
    throw new Error(
      `"${path}": field "${name}" shows objects already: remove it, or name a relation inside it, such as "${path}.country"`,
    )
  const within = relation === undefined ? (expandable ?? noNames) : noNames
  return {
    ...common,
    inner: shownFields && createSelectableFields(shownFields, within, api.findApi(join.target), `${path}.`),
    expansion: relation && expandable && createExpansion(join, expandable, api, path),
  }
}

function createExpansion({ target }: Join, expandable: NameTree, api: MountedApi, path: string): Expansion {
  const home = api.findApi(target)
  const resource = findResource(home, target)
  if (resource === undefined)
    throw new Error(`"${path}": no API has the resource "${target.name}": add it to "resources"`)
  const view = findObjectView(resource, home, path)
  const fields = pickFields(resource, resource.perAction.retrieve?.shows)
  return { view, api: home, fields: createSelectableFields(fields, expandable, home, `${path}.`) }
}

function findObjectView(resource: Resource, api: MountedApi, path: string): View {
  const { name, actions } = resource
  const list = findListPath(resource, api.resources)
  const view = actions.includes('retrieve') && list ? api.findView(formatObjectPattern(resource, list)) : undefined
  if (view === undefined)
    throw new Error(
      `"${path}": the resource "${name}" has no action "retrieve": add it, or show the objects with nested()`,
    )
  const forGet = view.forMethod('GET')
  if (listObjectColumns(listReadObjectPermissions(forGet.permissions)) !== undefined)
    throw new Error(
      `"${path}": the resource "${name}" has a permission with "allowsObject", which lists do not ask about each object: give it a row filter instead`,
    )
  return forGet
}

/** Whether the caller sees the field. */
export const isVisible = ({ field: { visible } }: SelectableField, caller: Caller): boolean =>
  visible === undefined || isMet(visible, caller)

/** The fields of the objects that a field shows, if the query expands these names. */
export function findInner({ expansion, inner }: SelectableField, isExpanded: boolean): SelectableFields | undefined {
  return isExpanded ? (expansion?.fields ?? inner) : inner
}
