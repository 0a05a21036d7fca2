// The tables of accounts.

import type { Kysely } from 'kysely'
import {
  boolean,
  type Connection,
  created,
  dateTime,
  integer,
  key,
  owner,
  reference,
  type TablesOf,
  table,
  text,
} from '#core'
import { maxViewName } from '#pages'
import { emailField, groupNameField, remoteIdentityField, usernameField } from './fields.ts'
import { accountMessages } from './messages.ts'

const user = reference('users', { onDelete: 'cascade' })
const group = reference('groups', { onDelete: 'cascade' })

export const userTable = table('users', {
  columns: {
    id: key(),
    username: usernameField,
    /** Equal for equivalent usernames; null if the key already belongs to an older account. */
    username_key: text({ nullable: true }),
    email: emailField,
    /** The password hash; null for a user without a password. */
    password: text({ nullable: true }),
    is_active: boolean({ default: true, label: accountMessages('label.is_active') }),
    is_staff: boolean({ default: false, label: accountMessages('label.is_staff') }),
    is_superuser: boolean({ default: false, label: accountMessages('label.is_superuser') }),
    date_joined: created(),
    remote_identity: remoteIdentityField,
    /** When the newest session began; null before the first one. */
    last_login: dateTime({ nullable: true }),
  },
  indexes: [
    { name: 'users_by_join', columns: ['date_joined', 'id'] },
    { name: 'users_by_key', columns: ['username_key'], unique: true },
    { name: 'users_by_remote_identity', columns: ['remote_identity'], unique: true },
  ],
  defaults: { email: '', is_active: true, is_staff: false, is_superuser: false, date_joined: null },
})

export const groupTable = table('groups', { columns: { id: key(), name: groupNameField } })

const userGroups = table('user_groups', {
  key: ['user', 'group'],
  columns: { user, group },
  indexes: [{ name: 'user_groups_by_group', columns: ['group'] }],
})

const userPermissions = table('user_permissions', {
  key: ['user', 'permission'],
  columns: { user, permission: text() },
})
const groupPermissions = table('group_permissions', {
  key: ['group', 'permission'],
  columns: { group, permission: text() },
})

/** The single token of a user. `sealed` is the encrypted token. */
export const tokenTable = table('tokens', {
  key: ['user'],
  columns: {
    user,
    digest: text(),
    sealed: text(),
    created: dateTime({ label: accountMessages('label.created') }),
  },
  unique: [['digest']],
})

export const namedTokenTable = table('named_tokens', {
  columns: {
    id: key(),
    user,
    name: text({ label: accountMessages('label.name') }),
    digest: text(),
    created: dateTime({ label: accountMessages('label.created') }),
    expires: dateTime({ nullable: true, label: accountMessages('label.expires') }),
    last_used: dateTime({ nullable: true, label: accountMessages('label.last_used') }),
  },
  unique: [['digest']],
  indexes: [{ name: 'named_tokens_by_user', columns: ['user', 'id'] }],
})

export const sessionTable = table('sessions', {
  columns: {
    id: key(),
    digest: text(),
    user,
    created: dateTime({ label: accountMessages('label.created') }),
    last_used: dateTime({ label: accountMessages('label.last_used') }),
  },
  unique: [['digest']],
  indexes: [{ name: 'sessions_by_user', columns: ['user'] }],
})

/** The people of providers who log in to accounts. */
const providerAccounts = table('provider_accounts', {
  columns: { id: key(), user, issuer: text(), subject: text(), created: dateTime() },
  unique: [['issuer', 'subject']],
  indexes: [{ name: 'provider_accounts_by_user', columns: ['user'] }],
})

/** The sessions that began at a provider. `sid` is the session of the provider; null if it has none. */
const providerSessions = table('provider_sessions', {
  key: ['session'],
  columns: {
    session: reference('sessions', { onDelete: 'cascade' }),
    issuer: text(),
    subject: text(),
    sid: text({ nullable: true }),
  },
  indexes: [
    { name: 'provider_sessions_by_subject', columns: ['issuer', 'subject'] },
    { name: 'provider_sessions_by_sid', columns: ['issuer', 'sid'] },
  ],
})

/** The second factor of a user. `sealed` is the encrypted secret of the app, `last_step` that of the last code that was used. */
const secondFactors = table('second_factors', {
  key: ['user'],
  columns: { user, sealed: text(), last_step: integer(), created: dateTime() },
})

/** The passkeys of a user. `counter` is that of the last use; passkeys that several devices share have 0. */
const passkeys = table('passkeys', {
  columns: {
    id: key(),
    user,
    credential: text(),
    public_key: text(),
    transports: text(),
    counter: integer(),
    name: text(),
    created: dateTime(),
    last_used: dateTime({ nullable: true }),
  },
  unique: [['credential']],
  indexes: [{ name: 'passkeys_by_user', columns: ['user'] }],
})

/** Names for the query of a list. `list` is its path on the server, `query` is without `?`. */
export const savedViewTable = table('saved_views', {
  columns: {
    id: key(),
    owner: owner('users', { column: 'user_id', onDelete: 'cascade' }),
    name: text({ max: maxViewName, label: accountMessages('label.name') }),
    list: text({
      max: 200,
      pattern: { test: /^\/(?:[\w.~%@:-]+\/)+$/, message: accountMessages('saved_view.no_list') },
      label: accountMessages('label.list'),
    }),
    // One spelling, without line breaks.
    query: text({
      max: 2000,
      blank: true,
      default: '',
      normalize: value => String(new URLSearchParams(value)),
      label: accountMessages('label.query'),
    }),
    is_shared: boolean({ default: false, label: accountMessages('label.is_shared') }),
  },
  unique: [['owner', 'list', 'name']],
  indexes: [{ name: 'saved_views_by_name', columns: ['name', 'id'] }],
})

/** Digests of what must not be used again, such as the challenge of a login, until it has expired. */
const usedOnce = table('used_once', {
  key: ['key'],
  columns: { key: text(), expires: dateTime() },
  indexes: [{ name: 'used_once_by_expiry', columns: ['expires'] }],
})

const recoveryCodes = table('recovery_codes', { key: ['user', 'digest'], columns: { user, digest: text() } })

/** One row with id 1; `fingerprints` is a JSON list. */
const secretFingerprints = table('secret_fingerprints', {
  key: ['id'],
  columns: { id: integer(), fingerprints: text() },
  types: { id: { sqlite: 'integer', postgres: 'integer' } },
})

export const ownTables = [
  userTable,
  groupTable,
  userGroups,
  userPermissions,
  groupPermissions,
  tokenTable,
  namedTokenTable,
  sessionTable,
  providerAccounts,
  providerSessions,
  secondFactors,
  recoveryCodes,
  passkeys,
  savedViewTable,
  usedOnce,
  secretFingerprints,
] as const

/** Types a connection's Kysely instance with the account tables. */
export const accountsKysely = ({ kysely }: Connection): Kysely<TablesOf<{ readonly tables: typeof ownTables }>> =>
  kysely
