// Creates the fields of a response that a query selects.

import type { Fields } from '../../../fields/field.ts'
import { showObjects } from '../../../fields/relations/nested.ts'
import { type NameTree, noNames } from './name-tree.ts'
import { findInner, type SelectableField, type SelectableFields } from './selectable-fields.ts'

/** The names that a query selects. */
interface SelectedNames {
  readonly expand: NameTree
  /** Undefined for all fields. */
  readonly fields: NameTree | undefined
  readonly omit: NameTree
}

/** Creates the fields of a response that shows these names. */
export const createSelectedFields = (selectable: SelectableFields, names: SelectedNames): Fields =>
  selectFields(selectable, names).fields

/** The names on the wire of an expanded relation, of the member with its objects in the statement, and of their key. */
export interface SeparateRelation {
  readonly name: string
  readonly member: string
  readonly key: string
}

/** The fields of items that show keys, with one more for the objects of each expanded relation. */
export interface SeparateFields {
  readonly fields: Fields
  readonly relations: readonly SeparateRelation[]
}

/** Creates the fields of a response that shows expanded objects apart from its items. */
export function createSeparateFields(
  selectable: SelectableFields,
  { expand, fields, omit }: SelectedNames,
): SeparateFields {
  const plain = createSelectedFields(selectable, { expand: noNames, fields, omit })
  const expanded = [...expand.keys()].flatMap(name => {
    const entry = selectable.get(name)!
    if (entry.expansion === undefined || !Object.hasOwn(plain, entry.name)) return []
    const key = findKeyName(entry.expansion.fields)!
    const shown = fields?.get(name)
    const inner = {
      expand: expand.get(name)!,
      fields: shown?.size ? new Map([...shown, [key, noNames]]) : undefined,
      omit: new Map([...(omit.get(name) ?? noNames)].filter(([each]) => each !== key)),
    }
    const member = `expanded ${name}`
    return [{ field: { ...selectInner(entry, inner, true), wireName: member }, relation: { name, member, key } }]
  })
  return {
    fields: { ...plain, ...Object.fromEntries(expanded.map(({ field, relation }) => [relation.member, field])) },
    relations: expanded.map(({ relation }) => relation),
  }
}

/** The name on the wire of the field with the key; undefined if the objects do not show it. */
export const findKeyName = (fields: SelectableFields): string | undefined =>
  [...fields].find(([, { field }]) => field.keyColumn !== undefined)?.[0]

interface SelectedFields {
  readonly fields: Fields
  /** False if these are the fields that the response shows without a selection. */
  readonly isChanged: boolean
}

function selectFields(selectable: SelectableFields, { expand, fields, omit }: SelectedNames): SelectedFields {
  const selected: Record<string, Fields[string]> = {}
  for (const [wireName, entry] of selectable) {
    const named = fields?.get(wireName)
    const omitted = omit.get(wireName)
    if ((fields !== undefined && named === undefined) || omitted?.size === 0) continue
    selected[entry.name] = selectInner(
      entry,
      {
        expand: expand.get(wireName) ?? noNames,
        fields: named?.size ? named : undefined,
        omit: omitted ?? noNames,
      },
      expand.has(wireName),
    )
  }
  const all = [...selectable.values()]
  const isChanged = all.some(({ name, field }) => selected[name] !== field)
  return { fields: selected, isChanged }
}

// Row filters apply to expanded objects even if the field shows keys of hidden ones.
function selectInner(entry: SelectableField, names: SelectedNames, isNamed: boolean): Fields[string] {
  const { field, join, expansion } = entry
  const isExpanded = isNamed && expansion !== undefined
  const inner = findInner(entry, isNamed)
  if (inner === undefined) return field
  const { fields, isChanged } = selectFields(inner, names)
  if (!isExpanded && !isChanged) return field
  return showObjects(field, isExpanded ? { ...join!, ignoreRowFilter: false } : join!, fields)
}
