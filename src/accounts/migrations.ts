// The steps of the tables of accounts. Databases have recorded the former digests: these steps were functions.

import { type Kysely, sql } from 'kysely'
import { type Migrations, step, tables } from '#core'
import { ownTables } from './tables.ts'
import { toUsernameKey } from './username-key.ts'

const referTo = (table: string) => ({ type: 'integer', references: { table, onDelete: 'cascade' } }) as const
const unique = (column: string) => ({ columns: [column], unique: true }) as const
const [user_id, group_id] = [referTo('users'), referTo('groups')]
const nullableText = { type: 'text', nullable: true } as const
const nullableTime = { type: 'dateTime', nullable: true } as const
const sessionColumns = { digest: 'text', user_id, created: 'dateTime', last_used: 'dateTime' } as const
const sessions_by_user = { columns: ['user_id'] }

const steps: Migrations = {
  '0001_accounts': step({
    change: [
      {
        createTable: 'users',
        columns: {
          id: 'key',
          username: 'text',
          email: { type: 'text', default: '' },
          password: nullableText,
          is_active: { type: 'boolean', default: true },
          is_staff: { type: 'boolean', default: false },
          is_superuser: { type: 'boolean', default: false },
          date_joined: 'dateTime',
        },
        indexes: { users_username_unique: unique('username'), users_by_join: { columns: ['date_joined', 'id'] } },
      },
      { createTable: 'groups', columns: { id: 'key', name: 'text' }, indexes: { groups_name_unique: unique('name') } },
      {
        createTable: 'user_groups',
        columns: { user_id, group_id },
        key: ['user_id', 'group_id'],
        indexes: { user_groups_by_group: { columns: ['group_id'] } },
      },
      {
        createTable: 'tokens',
        columns: { user_id, digest: 'text', sealed: 'text', created: 'dateTime' },
        key: ['user_id'],
        indexes: { tokens_digest_unique: unique('digest') },
      },
    ],
    formerDigests: ['1-pX70JG-e_uh2m2rNCMPbphNb_iD01MzOmu_CBRz2PoU'],
  }),

  '0003_sessions': step({
    change: [{ createTable: 'sessions', columns: sessionColumns, key: ['digest'], indexes: { sessions_by_user } }],
    formerDigests: ['1-hjy5lh6xu5cn2UCJ148Etzijhnrhj8dgVfLmq4rtfo4'],
  }),

  // If existing usernames have the same key, such as `Ann` and `ann`, only the oldest account gets the key, and the
  // others keep null. No new username with that key is accepted.
  '0003_username_keys': step({
    change: [
      { table: 'users', addColumn: 'username_key', ...nullableText },
      { table: 'users', addIndex: 'users_by_key', ...unique('username_key') },
    ],
    async run(kysely) {
      const tables = kysely as Kysely<{ users: { id: number; username: string; username_key: string | null } }>
      const keys = new Set<string>()
      for (const { id, username } of await tables
        .selectFrom('users')
        .select(['id', 'username'])
        .orderBy('id')
        .execute()) {
        const username_key = toUsernameKey(username)
        if (keys.has(username_key)) continue
        keys.add(username_key)
        await tables.updateTable('users').set({ username_key }).where('id', '=', id).execute()
      }
    },
    formerDigests: ['1-p_mjkFtqqdP9EBx5iOdU-5ksnuU2G10FABzwePhUPuE'],
  }),

  '0005_named_tokens': step({
    change: [
      {
        createTable: 'named_tokens',
        columns: {
          id: 'key',
          user_id,
          name: 'text',
          digest: 'text',
          created: 'dateTime',
          expires: nullableTime,
          last_used: nullableTime,
        },
        indexes: {
          named_tokens_digest_unique: unique('digest'),
          named_tokens_by_user: { columns: ['user_id', 'id'] },
        },
      },
    ],
    formerDigests: ['1--lofHSuZsO3GE6VZfQRvp5X3t47PLTaEnO9nsVBLVPE'],
  }),

  '0006_permissions': step({
    change: [
      { createTable: 'user_permissions', columns: { user_id, permission: 'text' }, key: ['user_id', 'permission'] },
      { createTable: 'group_permissions', columns: { group_id, permission: 'text' }, key: ['group_id', 'permission'] },
    ],
    formerDigests: ['1-LpyqduQUyYpOtUg1DHLcIMrghVN4ANUPu_kMtCJO7ck'],
  }),

  // Gives sessions a primary key, so that URLs of the administration do not contain the digest.
  '0007_session_keys': step({
    change: [
      { table: 'sessions', dropIndex: 'sessions_by_user' },
      { renameTable: 'sessions', to: 'sessions_before' },
      {
        createTable: 'sessions',
        columns: { id: 'key', ...sessionColumns },
        indexes: { sessions_digest_unique: unique('digest'), sessions_by_user },
      },
    ],
    async run(kysely) {
      await sql`insert into sessions (digest, user_id, created, last_used) select digest, user_id, created, last_used from sessions_before order by created`.execute(
        kysely,
      )
      await kysely.schema.dropTable('sessions_before').execute()
    },
    state: [{ dropTable: 'sessions_before' }],
    formerDigests: ['1-rp5GFjssW06OtgQkGLtYMjNAb7gk__bPV7lW11Ef7p0'],
  }),

  // Links existing accounts to their remote identities. An account that was created for a remote identity can be
  // recognised only by its missing password. Before this version, users could take over each other's usernames, so an
  // account that is staff or has permissions is not linked here: an administrator must link it (decision 037).
  '0008_remote_identities': step({
    change: [
      { table: 'users', addColumn: 'remote_identity', ...nullableText },
      { table: 'users', addIndex: 'users_by_remote_identity', ...unique('remote_identity') },
    ],
    async run(kysely) {
      const hasNoPermissions = sql`not is_staff and not is_superuser and not exists (select 1 from user_permissions where user_id = users.id) and not exists (select 1 from user_groups join group_permissions on group_permissions.group_id = user_groups.group_id where user_groups.user_id = users.id)`
      await sql`update users set remote_identity = username where password is null and ${hasNoPermissions}`.execute(
        kysely,
      )
    },
    formerDigests: ['1-7oSP2tlyBCfwzDb4Be6PYI6k8-wVC8zJ9kyZDM2MWYI'],
  }),

  // One row: the fingerprints of the secrets that encrypted the stored tokens, as a JSON list.
  '0009_secret_fingerprints': step({
    change: [
      {
        createTable: 'secret_fingerprints',
        columns: { id: { sqlite: 'integer', postgres: 'integer' }, fingerprints: 'text' },
      },
    ],
    formerDigests: ['1-otxxMh3aW09B19uu8Xf6sevqankIpY5X0U30SLt4OYA'],
  }),

  '0010_last_login': step({ change: [{ table: 'users', addColumn: 'last_login', ...nullableTime }] }),

  '0011_provider_accounts': step({
    change: [
      {
        createTable: 'provider_accounts',
        columns: { id: 'key', user_id, issuer: 'text', subject: 'text', created: 'dateTime' },
        indexes: {
          provider_accounts_issuer_subject_unique: { columns: ['issuer', 'subject'], unique: true },
          provider_accounts_by_user: { columns: ['user_id'] },
        },
      },
    ],
  }),

  '0012_second_factors': step({
    change: [
      {
        createTable: 'second_factors',
        columns: { user_id, sealed: 'text', last_step: 'integer', created: 'dateTime' },
        key: ['user_id'],
      },
      { createTable: 'recovery_codes', columns: { user_id, digest: 'text' }, key: ['user_id', 'digest'] },
    ],
  }),

  '0013_passkeys': step({
    change: [
      {
        createTable: 'passkeys',
        columns: {
          id: 'key',
          user_id,
          credential: 'text',
          public_key: 'text',
          transports: 'text',
          counter: 'integer',
          name: 'text',
          created: 'dateTime',
          last_used: nullableTime,
        },
        indexes: {
          passkeys_credential_unique: unique('credential'),
          passkeys_by_user: { columns: ['user_id'] },
        },
      },
      {
        createTable: 'used_once',
        columns: { key: 'text', expires: 'dateTime' },
        key: ['key'],
        indexes: { used_once_by_expiry: { columns: ['expires'] } },
      },
    ],
  }),

  '0014_provider_sessions': step({
    change: [
      {
        createTable: 'provider_sessions',
        columns: { session_id: referTo('sessions'), issuer: 'text', subject: 'text', sid: nullableText },
        key: ['session_id'],
        indexes: {
          provider_sessions_by_subject: { columns: ['issuer', 'subject'] },
          provider_sessions_by_sid: { columns: ['issuer', 'sid'] },
        },
      },
    ],
  }),

  // An index of an expression is no part of a declared table. Its words are those of the conditions that look for an address.
  '0015_email_index': step({
    async run(kysely, _columns, { lowerText }) {
      const index = kysely.schema.createIndex('users_by_email').on('users')
      await index.expression(lowerText(sql.ref('email'))).execute()
    },
    async back(kysely) {
      await kysely.schema.dropIndex('users_by_email').execute()
    },
  }),

  '0016_saved_views': step({
    change: [
      {
        createTable: 'saved_views',
        columns: {
          id: 'key',
          user_id,
          name: 'text',
          list: 'text',
          query: 'text',
          is_shared: 'boolean',
        },
        indexes: {
          saved_views_user_id_list_name_unique: { columns: ['user_id', 'list', 'name'], unique: true },
          saved_views_by_name: { columns: ['name', 'id'] },
        },
      },
    ],
  }),
}

/**
 * The tables of users, groups, permissions, tokens and sessions.
 *
 * @example
 * const schema = tables({ owner: 'blog', uses: [accountTables], tables: [table('notes', { columns: { id: key(), author: owner('users') } })] })
 */
export const accountTables = tables({ owner: 'accounts', tables: ownTables, migrations: steps })
