// Finds rows of one request that have the same unique values.

import { ValidationError } from '../../../errors/exceptions.ts'
import type { Values } from '../../../fields/declared-fields.ts'
import { toStoredValue } from '../../../fields/storage.ts'
import { nameOnWire } from '../../../fields/wire-names.ts'
import type { Resource } from '../../declare/resource.ts'
import { createUniqueSetError } from '../../validate/uniqueness.ts'
import type { ReadRow } from './read-row.ts'

/** The first row that has the unique values of an earlier one, and its error; undefined if there is none. */
export function findRepeated(
  { fields, uniqueTogether }: Resource,
  rows: readonly ReadRow[],
): { readonly index: number; readonly error: ValidationError } | undefined {
  const sets = [
    ...Object.keys(fields)
      .filter(name => fields[name]!.unique !== undefined && !fields[name]!.readOnly)
      .map(name => [name]),
    ...uniqueTogether,
  ]
  for (const names of sets) {
    const taken = new Set<string>()
    for (const [index, row] of rows.entries()) {
      const text = formatValues(fields, names, { ...row.loaded?.values, ...row.values })
      if (text === undefined) continue
      if (taken.has(text)) return { index, error: createUniqueError(fields, names) }
      taken.add(text)
    }
  }
  return undefined
}

// Undefined if the values are unique anyway, or unchanged. All children of a new parent have the same value for its key:
// undefined.
function formatValues(fields: Resource['fields'], names: readonly string[], values: Values): string | undefined {
  const all = names.map(name => (values as Readonly<Record<string, unknown>>)[name])
  if (names.some((name, index) => !Object.hasOwn(values, name) || all[index] === null)) return undefined
  return JSON.stringify(all.map((value, index) => value !== undefined && toStoredValue(fields[names[index]!]!, value)))
}

function createUniqueError(fields: Resource['fields'], names: readonly string[]): ValidationError {
  if (names.length > 1) return createUniqueSetError(fields, names)
  const field = fields[names[0]!]!
  return new ValidationError({ [nameOnWire(names[0]!, field)]: [field.unique!] }, 'unique')
}
