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
