// Lists the names that a caller may give in `fields`, `omit` and `expand`, as the description of a view shows them.

import type { JsonSchema } from '../../../describe/json-schema.ts'
import type { Caller } from '../../../http/identity.ts'
import type { DescriptionContext } from '../../../view/describe/described-operation.ts'
import { describeShownObject, type Expansions } from '../../../view/describe/field-schema.ts'
import { type NameTree, noNames } from './name-tree.ts'
import { type Expansion, findInner, isVisible, type SelectableFields } from './selectable-fields.ts'

/** The paths of the relations that the caller may expand; all, if the caller is undefined. */
export function listExpandable(
  selectable: SelectableFields,
  caller: Caller | undefined,
  prefix = '',
): readonly string[] {
  return [...selectable].flatMap(([name, entry]) => {
    if (!entry.isExpandable || (caller !== undefined && !isVisible(entry, caller))) return []
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

/**
 * Describes the relations that callers may expand, each as an object. `isSparse`: queries also select the fields of expanded
 * objects.
 */
export const describeExpansions = (
  selectable: SelectableFields,
  isSparse: boolean,
  context: DescriptionContext,
): Expansions =>
  Object.fromEntries(
    [...selectable].flatMap(([name, { isExpandable, expansion, inner }]) => {
      if (!isExpandable) return []
      const expanded = expansion && { object: () => describeObject(expansion, isSparse, context) }
      return [[name, { ...expanded, ...(inner && { inner: describeExpansions(inner, isSparse, context) }) }]]
    }),
  )

// The component of the related resource describes an object that this resource does not change.
function describeObject({ view, fields }: Expansion, isSparse: boolean, context: DescriptionContext): JsonSchema {
  const expansions = describeExpansions(fields, isSparse, context)
  if (!isSparse && Object.keys(expansions).length === 0) return context.describe(view, 'GET').responses[200]!.object!
  const shown = Object.fromEntries([...fields].map(([name, { field }]) => [name, field]))
  return describeShownObject(context.listFields(shown), { isSparse, expansions }, context)
}
