// Fields that depend on the caller. For a caller who does not see a field, it is as if it were not declared.

import type { Caller } from '../http/identity.ts'
import type { Field, FieldDefinition, Fields } from './field.ts'

/** Decides whether a caller sees a field. */
export type FieldCondition = NonNullable<FieldDefinition['visible']>

/** Whether the condition is true for the caller. Throws a TypeError if it returns neither true nor false. */
export function isMet(condition: FieldCondition, caller: Caller): boolean {
  const result: unknown = condition(caller)
  if (typeof result === 'boolean') return result
  throw new TypeError('visible: the function must return true or false, not a promise or another value')
}

/** Whether the responses of some objects do not contain the field. */
export const isAbsentInSome = ({ isPartial, hiddenAs }: FieldDefinition): boolean =>
  isPartial === true && hiddenAs !== 'null'

/** The condition that a caller sees all fields of a path; none if every caller does. */
export function combineVisible(path: readonly Field[]): Pick<Field, 'visible'> {
  const conditions = path.flatMap(({ visible }) => visible ?? [])
  return conditions.length === 0 ? {} : { visible: caller => conditions.every(condition => isMet(condition, caller)) }
}

/**
 * The fields that the caller sees, also inside nested objects; those that every caller sees if the caller is unknown. The
 * same object if these are all fields.
 */
export function listVisibleFields(fields: Fields, caller: Caller | undefined): Fields {
  const entries = Object.entries(fields)
  if (entries.every(([, field]) => narrowField(field, caller) === field)) return fields
  return Object.fromEntries(
    entries.flatMap(([name, field]) => {
      const narrowed = narrowField(field, caller)
      return narrowed === undefined ? [] : [[name, narrowed]]
    }),
  )
}

function narrowField(field: Field, caller: Caller | undefined): Field | undefined {
  const { visible: condition } = field
  const isVisible = condition === undefined || (caller !== undefined && isMet(condition, caller))
  return isVisible ? narrowParts(field, caller) : undefined
}

function narrowParts(field: Field, caller: Caller | undefined): Field {
  const child = field.child && narrowParts(field.child, caller)
  const children = field.children && listVisibleFields(field.children, caller)
  if (child === field.child && children === field.children) return field
  return { ...field, ...(child && { child }), ...(children && { children }) }
}
