// Equivalent usernames, such as `Ann` and `ann`, cannot be taken by two users, because people would confuse them. Each
// user has a username key, a column that is equal for equivalent usernames. Logging in still requires the exact
// username.

import { type Connection, type KeyValue, ValidationError } from '#core'
import { usernameTaken } from './fields.ts'
import { accountsKysely } from './tables.ts'

/**
 * Returns the key of a username: equal for usernames that differ only in case or in Unicode form (case folding, NFKC).
 *
 * @example
 * toUsernameKey('STRAẞE') === toUsernameKey('ｓtrasse') // true
 */
export const toUsernameKey = (username: string): string =>
  username.normalize('NFKC').toLowerCase().toUpperCase().normalize('NFKC')

/** Rejects with ValidationError if a user other than `id` has this username or an equivalent one. */
export async function checkUsername(
  username: string,
  { id, connection }: { readonly id?: KeyValue | undefined; readonly connection: Connection },
): Promise<void> {
  const rows = await accountsKysely(connection)
    .selectFrom('users')
    .select(['id', 'username'])
    .where('username_key', '=', toUsernameKey(username))
    .execute()
  // A user keeps an unchanged username, even if an older account has an equivalent one.
  if (rows.some(row => row.id === id && row.username === username)) return
  if (rows.some(row => row.id !== id)) throw new ValidationError({ username: [usernameTaken] })
}
