// The tables of accounts, as Kysely sees them. SQLite keeps booleans as 0 and 1.

import type { Generated, Kysely } from 'kysely'
import type { Connection } from '../framework/database/database.ts'

export interface AccountTables {
  users: {
    id: Generated<number>
    username: string
    /** What like names have in common; null where an older account has it. */
    username_key: string | null
    email: Generated<string>
    /** A hash; null for a user who cannot log in with a password. */
    password: string | null
    is_active: Generated<boolean | number>
    is_staff: Generated<boolean | number>
    is_superuser: Generated<boolean | number>
    date_joined: string
    /** The web server's name for the user, byte for byte; null for a user whom it never identifies. */
    remote_identity: string | null
  }
  sessions: { id: Generated<number>; digest: string; user_id: number; created: string; last_used: string }
  groups: { id: Generated<number>; name: string }
  user_groups: { user_id: number; group_id: number }
  tokens: { user_id: number; digest: string; sealed: string; created: string }
  named_tokens: {
    id: Generated<number>
    user_id: number
    name: string
    digest: string
    created: string
    expires: string | null
    last_used: string | null
  }
  /** One row, of id 1: a JSON list. */
  secret_fingerprints: { id: number; fingerprints: string }
  user_permissions: { user_id: number; permission: string }
  group_permissions: { group_id: number; permission: string }
}

/** The accounts' tables over this connection. */
export const accountTables = ({ kysely }: Connection): Kysely<AccountTables> => kysely
