// Describes a filter for `OPTIONS`, in the form in which fields are described.

import { formatLabel } from '../../../fields/format-label.ts'
import { readEnglish } from '../../../messages/english.ts'
import { describeValue } from '../../../view/metadata.ts'
import type { DeclaredLookup, Filter } from './filter.ts'
import { inputTypes, isTextLookup } from './lookups.ts'

/** The filter's field and lookup, as parameters name them, and what one value looks like. */
export const describeFilter = ({ parameter, lookup, input }: Filter): object => ({
  ...(lookup && { field: lookup.compared.wirePath, lookup: lookup.name }),
  label: readEnglish(formatLabel(parameter, input)),
  ...describeValue(lookup === undefined ? input : findValue(lookup)),
})

type DescribedValue = Parameters<typeof describeValue>[0]

function findValue({ positive, compared }: DeclaredLookup): DescribedValue {
  const { field, type } = compared
  const value =
    inputTypes[positive] ?? (isTextLookup(positive) ? (field.child ?? { type: 'string' as const }) : undefined)
  return { help: field.help, ...(value ?? { ...field, type: field.relation === undefined ? field.type : type }) }
}
