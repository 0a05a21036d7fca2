// Fields that are completed later: a relation without a `column` by its own name, `key()` by the key of its resource, and a
// relation by the resource that an API has for its target. The field is then created again, and whatever was changed since
// the first creation stays: by readOnly(), by writeOnly(), by names on the wire, or in a copy with other properties.

import type { FieldCompletion, FieldDefinition } from './field.ts'

/** Creates a field that is completed later, from the field as it is without the completion. */
export const createCompletable = <Value>(
  created: FieldDefinition<Value>,
  completion: Omit<FieldCompletion<Value>, 'created'>,
): FieldDefinition<Value> => Object.freeze({ ...created, completion: { ...completion, created } })

/** Completes a field in one way; returns the same field if it is complete. Nothing else creates a field again. */
export function completeField<Value, Way extends keyof Omit<FieldCompletion, 'created' | 'needsRelation'>>(
  field: FieldDefinition<Value>,
  way: Way,
  argument: Parameters<NonNullable<FieldCompletion[Way]>>[0],
): FieldDefinition<Value> {
  const complete = field.completion?.[way] as ((argument: unknown) => FieldDefinition<Value>) | undefined
  return complete === undefined ? field : keepChanges(field, complete(argument))
}

function keepChanges<Value>(field: FieldDefinition<Value>, completed: FieldDefinition<Value>): FieldDefinition<Value> {
  const { completion, ...current } = field
  const before = new Map<string, unknown>(Object.entries(completion!.created))
  const changed = Object.entries(current).filter(([name, value]) => !before.has(name) || before.get(name) !== value)
  const removed = new Set([...before.keys()].filter(name => !Object.hasOwn(current, name)))
  const kept = Object.entries(completed).filter(([name]) => !removed.has(name))
  return Object.freeze(Object.fromEntries([...kept, ...changed])) as FieldDefinition<Value>
}
