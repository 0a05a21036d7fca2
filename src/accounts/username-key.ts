// Two names that people take for the same are one: who asks for `Ann` where there is `ann` would be taken for her. What
// such names share is kept beside the name. Logging in takes a name as it is written.

import type { Connection } from '../framework/database/database.ts'
import { ValidationError } from '../framework/errors/exceptions.ts'
import { usernameField } from './fields.ts'
import { accountTables } from './tables.ts'

/**
 * What names that differ in their case, or in how the same letters are encoded, have in common (NFKC and folded case).
 *
 * @example
 * usernameKey('STRAẞE') === usernameKey('ｓtrasse') // true
 */
export const usernameKey = (username: string): string =>
  username.normalize('NFKC').toLowerCase().toUpperCase().normalize('NFKC')

/** Throws ValidationError where another user has the name, or one like it; `id` is whose name it will be, if known. */
export async function checkUsername(
  username: string,
  { id, connection }: { readonly id?: number | undefined; readonly connection: Connection },
): Promise<void> {
  const rows = await accountTables(connection)
    .selectFrom('users')
    .select(['id', 'username'])
    .where('username_key', '=', usernameKey(username))
    .execute()
  // Who has the name already keeps it, whoever else came by one like it before there was this check.
  if (rows.some(row => row.id === id && row.username === username)) return
  if (rows.some(row => row.id !== id)) throw new ValidationError({ username: [usernameField.unique!] }, 'unique')
}
