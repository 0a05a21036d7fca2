// Describes a filter for `OPTIONS`, in the form in which fields are described.

import type { Field } from '../../fields/field.ts'
import { describeValue, formatLabel } from '../../metadata.ts'
import type { Comparison, Filter } from './declared-filters.ts'
import { type Comparing, isTextLookup } from './lookups.ts'

/** The filter's field and lookup, as parameters name them, and what one value looks like. */
export const describeFilter = ({ parameter, comparison, input }: Filter): object => ({
  ...(comparison && { field: comparison.compared.wirePath, lookup: comparison.lookup }),
  label: formatLabel(parameter, input),
  ...describeValue(comparison === undefined ? input : findValue(comparison)),
})

type DescribedValue = Parameters<typeof describeValue>[0]

const valueTypes: Readonly<Partial<Record<Comparing, Pick<Field, 'type'>>>> = {
  isnull: { type: 'boolean' },
  date: { type: 'date' },
  year: { type: 'integer' },
}

function findValue({ comparing, compared }: Comparison): DescribedValue {
  const { field, type } = compared
  const value =
    valueTypes[comparing] ?? (isTextLookup(comparing) ? (field.child ?? { type: 'string' as const }) : undefined)
  return { help: field.help, ...(value ?? { ...field, type: field.relation === undefined ? field.type : type }) }
}
