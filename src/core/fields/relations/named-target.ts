// A relation to a resource that is named instead of given: the API to which both belong completes it when it is created.

import { defineField, type FieldOptions } from '../define-field.ts'
import type { FieldDefinition } from '../field.ts'

/** Creates the field of a relation whose target is not known yet. */
export function createUnresolved<Value>(
  name: string,
  options: FieldOptions<Value>,
  parts: Partial<FieldDefinition<Value>> & Pick<FieldDefinition<Value>, 'kind'>,
): FieldDefinition<Value> {
  const fail = (): never => {
    throw new Error(
      `related(): only an API can resolve the name "${name}": add the resource to the "resources" of an API`,
    )
  }
  return defineField<Value>(options, {
    parse: fail,
    show: fail,
    ...parts,
    targetName: name,
  })
}
