// Describes a filter for `OPTIONS`, in the form in which fields are described.

import { formatLabel } from '../../../fields/format-label.ts'
import { textKind } from '../../../fields/kinds/text.ts'
import { readEnglish } from '../../../messages/english.ts'
import { describeValue } from '../../../view/metadata.ts'
import type { DeclaredLookup, Filter } from './filter.ts'
import { inputKinds, isTextLookup } from './lookups.ts'

/** The filter's field and lookup, as parameters name them, and what one value looks like. */
export const describeFilter = ({ parameter, lookup, input }: Filter): object => ({
  ...(lookup && { field: lookup.compared.wirePath, lookup: lookup.name }),
  label: readEnglish(formatLabel(parameter, input)),
  ...describeValue(lookup === undefined ? input : findValue(lookup)),
})

type DescribedValue = Parameters<typeof describeValue>[0]

function findValue({ positive, compared }: DeclaredLookup): DescribedValue {
  const { field } = compared
  const kind = inputKinds[positive]
  if (kind !== undefined) return { help: field.help, kind }
  if (isTextLookup(positive)) return { help: field.help, ...(field.child ?? { kind: textKind }) }
  return { ...field, kind: field.relation === undefined ? field.kind : compared.kind }
}
