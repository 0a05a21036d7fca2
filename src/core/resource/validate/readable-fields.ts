// The fields that a body can set: not those that the URL sets.

import type { Values } from '../../fields/declared-fields.ts'
import type { Fields } from '../../fields/field.ts'

/** Creates the selection of the fields that the URL does not set. It sets the same ones in all requests to a path. */
export function createFieldSelection(fields: Fields): (urlValues: Values) => Fields {
  const selections = new Map<string, Fields>()
  return urlValues => {
    const omitted = Object.keys(urlValues)
    if (omitted.length === 0) return fields
    const name = omitted.join(' ')
    const found =
      selections.get(name) ??
      Object.fromEntries(Object.entries(fields).filter(([field]) => !Object.hasOwn(urlValues, field)))
    selections.set(name, found)
    return found
  }
}
