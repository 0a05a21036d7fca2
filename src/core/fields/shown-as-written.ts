// The fields whose responses contain the values that bodies wrote, if their columns store them unchanged.

import type { FieldDefinition } from './field.ts'

type Show = FieldDefinition['show']

// `show` itself is remembered, because other fields are created from a field with another `show`.
const shows = new WeakSet<Show>()

/**
 * Marks a `show` that selects the column of its field, and converts no value that the field stores. Does nothing if the field shows
 * another value than that of a column.
 */
export function markShownAsWritten<Value>(field: FieldDefinition<Value>): FieldDefinition<Value> {
  if (field.compileValue === undefined) shows.add(field.show)
  return field
}

/** Whether the field shows what its column stores, unchanged for each value that the field stores. */
export const isShownAsWritten = ({ show }: Pick<FieldDefinition, 'show'>): boolean => shows.has(show)
