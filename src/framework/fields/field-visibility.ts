// Fields that depend on the caller. For a caller who does not see a field, it is as if it were not declared.

import type { Caller } from '../authentication/identity.ts'
import type { Field, FieldDefinition, Fields } from './field.ts'

/** Decides whether a caller sees a field. */
export type FieldCondition = NonNullable<FieldDefinition['visible']>

/** Whether the condition is true for the caller. Throws a TypeError if it returns neither true nor false. */
export function isMet(condition: FieldCondition, caller: Caller): boolean {
  const result: unknown = condition(caller)
  if (typeof result === 'boolean') return result
  throw new TypeError('visible: the function must return true or false, not a promise or another value')
}

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
  const visible = entries
    .filter(
      ([, { visible: condition }]) => condition === undefined || (caller !== undefined && isMet(condition, caller)),
    )
    .map(([name, field]) => [name, narrowParts(field, caller)] as const)
  const isSame = visible.length === entries.length && visible.every(([name, field]) => field === fields[name])
  return isSame ? fields : Object.fromEntries(visible)
}

function narrowParts(field: Field, caller: Caller | undefined): Field {
  const child = field.child && narrowParts(field.child, caller)
  const children = field.children && listVisibleFields(field.children, caller)
  if (child === field.child && children === field.children) return field
  return { ...field, ...(child && { child }), ...(children && { children }) }
}
