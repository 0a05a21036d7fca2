// The tables of accounts, as Kysely sees them. SQLite keeps booleans as 0 and 1.

import type { Generated, Kysely } from 'kysely'
import type { Connection } from '../framework/database/database.ts'

export interface AccountTables {
  users: {
    id: Generated<number>
    username: string
    email: Generated<string>
    /** A hash; null for a user who cannot log in with a password. */
    password: string | null
    is_active: Generated<boolean | number>
    is_staff: Generated<boolean | number>
    is_superuser: Generated<boolean | number>
    date_joined: string
  }
  groups: { id: Generated<number>; name: string }
  user_groups: { user_id: number; group_id: number }
  tokens: { user_id: number; digest: string; sealed: string; created: string }
}

/** The accounts' tables over this connection. */
export const accountTables = ({ kysely }: Connection): Kysely<AccountTables> => kysely
