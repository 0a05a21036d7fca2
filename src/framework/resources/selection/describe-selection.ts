// Lists the names that a caller may give in `fields`, `omit` and `expand`, as the description of a view shows them.

import type { Caller } from '../../authentication/identity.ts'
import { type NameTree, noNames } from './name-tree.ts'
import { findInner, isVisible, type SelectableFields } from './selectable-fields.ts'

/** The paths of the relations that the caller may expand. */
export function listExpandable(selectable: SelectableFields, caller: Caller, prefix = ''): readonly string[] {
  return [...selectable].flatMap(([name, entry]) => {
    if (!entry.isExpandable || !isVisible(entry, caller)) return []
    const path = prefix + name
    const inner = listExpandable(findInner(entry, true)!, caller, `${path}.`)
    return entry.expansion === undefined ? inner : [path, ...inner]
  })
}

/** The paths of the fields that the response shows to the caller, if the query expands these names. */
export function listFields(
  selectable: SelectableFields,
  expand: NameTree,
  caller: Caller,
  prefix = '',
): readonly string[] {
  return [...selectable].flatMap(([name, entry]) => {
    if (!isVisible(entry, caller)) return []
    const inside = expand.get(name)
    const inner = findInner(entry, inside !== undefined)
    const path = prefix + name
    return [path, ...(inner === undefined ? [] : listFields(inner, inside ?? noNames, caller, `${path}.`))]
  })
}
