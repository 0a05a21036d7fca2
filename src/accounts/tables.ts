// Kysely types of the account tables. SQLite stores booleans as 0 and 1.

import type { Generated, Kysely } from 'kysely'
import type { Connection } from '#core'

export interface AccountTables {
  users: {
    id: Generated<number>
    username: string
    /** Equal for equivalent usernames; null if the key already belongs to an older account. */
    username_key: string | null
    email: Generated<string>
    /** The password hash; null for a user without a password. */
    password: string | null
    is_active: Generated<boolean | number>
    is_staff: Generated<boolean | number>
    is_superuser: Generated<boolean | number>
    date_joined: string
    /** The name that the web server sends for the user, compared byte for byte; null if the account is not linked. */
    remote_identity: string | null
  }
  sessions: { id: Generated<number>; digest: string; user_id: number; created: string; last_used: string }
  groups: { id: Generated<number>; name: string }
  user_groups: { user_id: number; group_id: number }
  /** `sealed` is the encrypted token. */
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
  /** One row with id 1; `fingerprints` is a JSON list. */
  secret_fingerprints: { id: number; fingerprints: string }
  user_permissions: { user_id: number; permission: string }
  group_permissions: { group_id: number; permission: string }
}

/** Types a connection's Kysely instance with the account tables. */
export const accountsKysely = ({ kysely }: Connection): Kysely<AccountTables> => kysely
