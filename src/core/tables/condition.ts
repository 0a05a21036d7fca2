// Conditions on rows as values, without SQL: paths through the relations of declared tables, with the lookups of filters.

import type { SqlValue } from '../database/database.ts'
import type { Field } from '../fields/field.ts'
import type { FieldLink, FieldTrait } from '../fields/field-types.ts'

/**
 * A condition on the rows of a declared table. All of its parts must hold. A name is a column, a path through relations
 * (`author.username`), or one of them with a lookup (`price__gte`); the value of a relation is a condition on the related rows, of which
 * one must fulfil it. In `or` and `not`, a property of the caller stands for itself: it holds if it is true.
 *
 * @example
 * const condition: Condition = { state: 'live', favorites: { user: caller('id') }, or: [{ price: null }, { price__lt: 10 }] }
 */
export interface Condition {
  readonly [path: string]: ConditionValue | readonly (Condition | CallerValue)[]
}

export type ConditionValue = SqlValue | readonly SqlValue[] | Placeholder | Condition

/** A value that the request gives. */
export type Placeholder = CallerValue | RequestTime | QueryValue

/** A property of the caller. */
export interface CallerValue {
  readonly placeholder: 'caller'
  readonly property: string
}

/** The time of the request. */
export interface RequestTime {
  readonly placeholder: 'now'
}

/** The value of a filter in the query of the request. */
export interface QueryValue<out Value = unknown> {
  /** Exists only for the compiler. */
  readonly '~value'?: Value
  readonly placeholder: 'value'
  /** Reads and describes the value. */
  readonly field: Field
}

/** A property of the caller, such as `id`; null for an anonymous caller without it. */
export const caller = (property: string): CallerValue => Object.freeze({ placeholder: 'caller', property })

/** The time of the request. What depends on it is not cached. */
export const now = (): RequestTime => Object.freeze({ placeholder: 'now' })

/** The value of the filter, which `field` reads from the query. */
export const value = <Value, Shown, Taken, Trait extends FieldTrait, Link extends FieldLink>(
  field: Field<Value, Shown, Taken, Trait, Link>,
): QueryValue<Taken> => Object.freeze({ placeholder: 'value', field: field as Field })

/** Whether a part of a condition is a value of the request. */
export const isPlaceholder = (part: unknown): part is Placeholder =>
  typeof part === 'object' && part !== null && 'placeholder' in part
