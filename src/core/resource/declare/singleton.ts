// A singleton is an object without a key in its URL, such as `/me/` or `/settings/`: a function finds its key for each request.

import type { MaybePromise } from '../../base/maybe-promise.ts'
import { findPathIdentifier } from '../../fields/identifier.ts'
import type { Identity } from '../../http/identity.ts'
import type { Identifier, KeyValue } from '../../keys/key.ts'

/** The argument of the option `singleton`. */
export interface SingletonContext<out User extends Identity = Identity> {
  readonly caller: User
  /** The parameters in the path of the request, by name. */
  readonly parameters: Readonly<Record<string, string>>
  /** The time of the request. */
  readonly now: string
}

/** Finds the key of the object at the URL; null or undefined if there is none. */
export type FindSingleton<User extends Identity = Identity, Value extends KeyValue = KeyValue> = (
  context: SingletonContext<User>,
) => MaybePromise<Value | null | undefined>

/**
 * The option `singleton`. If what it returns does not fit the key, this is an object whose property says so. The id of a caller whose
 * type the application does not declare fits every key.
 */
export type FindOwnKey<User extends Identity, Found, Value extends KeyValue> = [Awaited<Found>] extends [
  Value | null | undefined,
]
  ? (context: SingletonContext<User>) => Found
  : [Identity['id']] extends [Awaited<Found>]
    ? (context: SingletonContext<User>) => Found
    : { readonly 'the type of the key that it returns': Value | null | undefined }

/** The identifier that a request to an object's URL names: the key of a singleton, otherwise what the path contains. */
export const findRequestedIdentifier = (
  resource: Parameters<typeof findPathIdentifier>[0] & { readonly singleton?: unknown },
): Identifier => (resource.singleton === undefined ? findPathIdentifier(resource) : resource.key)
