// The names that SQL of an application may use: `row.title` is a column of a row, `caller.id` a property of the caller.
// A column becomes a reference, a property a parameter of the statement, so statements are compiled once for all callers.

import type { SqlValue } from '../database/database.ts'
import type { Sql } from '../database/dialect.ts'
import type { Identity } from '../http/identity.ts'

/** The columns of a row, by name. */
export type RowReferences<Column extends string = string> = Readonly<Record<Column, Sql>>

/** The columns of all tables of an application; any name if it does not declare them. */
export type ColumnsOf<Tables> = { [Table in keyof Tables]: keyof Tables[Table] & string }[keyof Tables]

/**
 * The properties of the caller whose values SQL can take: texts, numbers, booleans and null. A property that is undefined
 * is null, and so is the `id` of an anonymous caller.
 */
export type CallerReferences<User extends Identity = Identity> = { readonly [Name in SqlProperty<User>]: Sql }

// Of a union of user types, the properties of each.
type SqlProperty<User> = User extends unknown
  ? { [Name in keyof User]-?: User[Name] extends SqlValue | undefined ? Name : never }[keyof User]
  : never

/** An object whose every property is the SQL that `createReference` returns for its name. */
export function createReferences<References extends object>(createReference: (name: string) => Sql): References {
  return new Proxy(Object.create(null) as References, {
    get: (_, name) => (typeof name === 'string' ? createReference(name) : undefined),
  })
}

/** A property of the caller, or a function that computes it. */
export type CallerProperty<Value> = string | ((user: never) => Value | null | undefined)

const computedProperties = new Map<string, (user: never) => unknown>()

/** The name by which SQL refers to a property of the caller. The space prevents a conflict with the names of others. */
export function nameCallerProperty(property: CallerProperty<unknown>): string {
  if (typeof property === 'string') return property
  const known = computedProperties.entries().find(([, compute]) => compute === property)
  const name = known?.[0] ?? `computed ${computedProperties.size}`
  computedProperties.set(name, property)
  return name
}

/** The value of a property of the caller; throws an error that begins with `owner` if SQL cannot take it. */
export function readCallerProperty(user: Identity, name: string, owner: string): SqlValue {
  const compute = computedProperties.get(name) as ((user: Identity) => unknown) | undefined
  const value = (compute ? compute(user) : (user as unknown as Readonly<Record<string, unknown>>)[name]) ?? null
  // NaN and infinite numbers are null in the keys of caches.
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value))
    return value as SqlValue
  throw new Error(
    `${owner}: caller.${name} is ${describeType(value)}, which SQL cannot take: use a property that is a string, a number, a boolean or null`,
  )
}

function describeType(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'number') return String(value)
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
