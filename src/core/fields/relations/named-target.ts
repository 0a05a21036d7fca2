// A relation to a resource that is named instead of given: the API to which both belong completes it when it is created.

import { createCompletable } from '../complete-field.ts'
import { defineField, type FieldOptions } from '../define-field.ts'
import type { FieldCompletion, FieldDefinition, RelationTarget } from '../field.ts'

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

/** Creates the field of a relation whose storage only the declared table of its resource knows. */
export const createUndeclared = <Value>(
  target: RelationTarget | string,
  options: FieldOptions<Value>,
  parts: Parameters<typeof createUnresolved<Value>>[2],
  { forRelation, needsRelation }: Pick<FieldCompletion<Value>, 'forRelation' | 'needsRelation'>,
): FieldDefinition<Value> =>
  createCompletable(createUnresolved(typeof target === 'string' ? target : target.name, options, parts), {
    ...(forRelation && { forRelation }),
    ...(needsRelation && { needsRelation }),
  })
