// The types of the values that name objects, in URLs and in the items of many.

import type { ResourceTypes } from '#core'

/** The key in the URL of an object, or the value of the field that stands for it. */
export type PathKey<T extends ResourceTypes> = [LookupField<T>] extends [never]
  ? T['key']['shown']
  : T['fields'][LookupField<T>]['shown']

/** The value that a call takes to name an object: its key, or a list with the values of the fields in its URL. */
export type GivenKey<T extends ResourceTypes> =
  HasSeveral<T> extends true ? ListedKey<T, T['operations']['lookup']> : PathKey<T>

type ListedKey<T extends ResourceTypes, Lookup> = Lookup extends readonly unknown[]
  ? { readonly [Index in keyof Lookup]: T['fields'][Lookup[Index] & keyof T['fields']]['shown'] }
  : never

type HasSeveral<T extends ResourceTypes> = [T['operations']['lookup']] extends [string]
  ? false
  : T['operations']['lookup'] extends readonly [unknown, unknown, ...unknown[]]
    ? true
    : false

/** The resources whose URLs do not name objects by several fields. */
export type WithoutSeveral<T extends ResourceTypes> = T extends unknown
  ? HasSeveral<T> extends true
    ? never
    : T
  : never

/** The field that names the object of an item. */
export type NamingField<T extends ResourceTypes> = [LookupField<T>] extends [never]
  ? {
      [Name in keyof T['fields']]: T['fields'][Name] extends { readonly isKey: true } ? Name : never
    }[keyof T['fields']]
  : LookupField<T>

type LookupField<T extends ResourceTypes> = keyof T['fields'] & NameIn<T['operations']['lookup']>

type NameIn<Lookup> = Lookup extends readonly (infer Name)[] ? Name : Lookup
