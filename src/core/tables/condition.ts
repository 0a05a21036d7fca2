// Conditions on rows as values, without SQL: paths through the relations of declared tables, with the lookups of filters.

import type { MaybePromise } from '../base/maybe-promise.ts'
import type { SqlValue } from '../database/database.ts'
import type { Field } from '../fields/field.ts'
import type { FieldLink, FieldTrait } from '../fields/field-types.ts'
import type { RequestContext } from '../http/context.ts'
import type { Identity } from '../http/identity.ts'

/**
 * A condition on the rows of a declared table. All of its parts must hold. A name is a column, a path through relations
 * (`author.username`), or one of them with a lookup (`price__gte`); the value of a relation is a condition on the related rows, of which
 * one must fulfil it. In `and`, `or` and `not`, a property of the caller stands for itself: it holds if it is true.
 *
 * @example
 * const condition: Condition = { state: 'live', favorites: { user: caller('id') }, or: [{ price: null }, { price__lt: 10 }] }
 */
export interface Condition {
  readonly [path: string]: ConditionValue | readonly (Condition | CallerValue)[]
}

export type ConditionValue = SqlValue | readonly SqlValue[] | Placeholder | Condition

/** A value that the request gives. `Of`: the name of the property of the caller, or the type of the value in the query. */
export interface Placeholder<out Kind extends PlaceholderKind = PlaceholderKind, out Of = unknown> {
  /** Exists only for the compiler. */
  readonly '~of'?: Of
  readonly placeholder: Kind
  /** The property of the caller. */
  readonly property?: string
  /** Reads and describes the value in the query. */
  readonly field?: Field
}

/** A property of the caller. */
export type CallerValue = Placeholder<'caller'>

/** A property of the caller, the time of the request, or the value of a filter in its query. */
type PlaceholderKind = 'caller' | 'now' | 'value'

/** A property of the caller, such as `id`; null for an anonymous caller without it. */
export const caller = <const Property extends string>(property: Property): Placeholder<'caller', Property> =>
  Object.freeze({ placeholder: 'caller', property })

/** The time of the request. What depends on it is not cached. */
export const now = (): Placeholder<'now'> => Object.freeze({ placeholder: 'now' })

/** The value of the filter, which `field` reads from the query. */
export const value = <Value, Shown, Taken, Trait extends FieldTrait, Link extends FieldLink>(
  field: Field<Value, Shown, Taken, Trait, Link>,
): Placeholder<'value', Taken> => Object.freeze({ placeholder: 'value', field: field as Field })

/** Whether a part of a condition is a value of the request. */
export const isPlaceholder = (part: unknown): part is Placeholder =>
  typeof part === 'object' && part !== null && 'placeholder' in part

/** Conditions that are data of the application; one of them must hold. */
export interface StoredConditions<in User extends Identity = Identity> {
  readonly load: (context: RequestContext<User>) => MaybePromise<readonly unknown[]>
}

/**
 * Conditions that rows of the application store as JSON, for {@link rowFilter}. A row must fulfil one of them; without any, no row exists.
 * `load` returns those of the caller for `context.method`: as values, or as the text of the JSON. It runs for each request.
 *
 * @example
 * const granted = rowFilter(stored(async ({ user, view }) => {
 *   const { kysely } = view.connection()
 *   const rows = await kysely.selectFrom('grants').select('condition').where('user_id', '=', user.id).execute()
 *   return rows.map(row => row.condition)
 * }))
 */
export const stored = <User extends Identity = Identity>(
  load: StoredConditions<User>['load'],
): StoredConditions<User> => Object.freeze({ load })

/** Whether a condition is data of the application. */
export const isStored = (condition: object): condition is StoredConditions =>
  'load' in condition && typeof condition.load === 'function'
