// The steps of the version before tables were declared, as they were then: functions, whose digests databases have recorded.

import { type Kysely, sql } from 'kysely'
import type { MigrationStep, Migrations, OwnedMigrations } from 'resource-api'
import { accountTables } from '../../src/accounts/migrations.ts'
import { toUsernameKey } from '../../src/accounts/username-key.ts'
import type { StepFunction } from '../../src/core/database/migrations/declared-step.ts'

const accounts: Migrations = {
  async '0001_accounts'(kysely, { key, reference, boolean, text, dateTime }) {
    await kysely.schema
      .createTable('users')
      .addColumn('id', key)
      .addColumn('username', text, column => column.notNull().unique())
      .addColumn('email', text, column => column.notNull().defaultTo(''))
      .addColumn('password', text)
      .addColumn('is_active', boolean, column => column.notNull().defaultTo(sql`true`))
      .addColumn('is_staff', boolean, column => column.notNull().defaultTo(sql`false`))
      .addColumn('is_superuser', boolean, column => column.notNull().defaultTo(sql`false`))
      .addColumn('date_joined', dateTime, column => column.notNull())
      .execute()
    await kysely.schema.createIndex('users_by_join').on('users').columns(['date_joined', 'id']).execute()

    await kysely.schema
      .createTable('groups')
      .addColumn('id', key)
      .addColumn('name', text, column => column.notNull().unique())
      .execute()

    await kysely.schema
      .createTable('user_groups')
      .addColumn('user_id', reference, column => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('group_id', reference, column => column.notNull().references('groups.id').onDelete('cascade'))
      .addPrimaryKeyConstraint('user_groups_key', ['user_id', 'group_id'])
      .execute()
    await kysely.schema.createIndex('user_groups_by_group').on('user_groups').column('group_id').execute()

    await kysely.schema
      .createTable('tokens')
      .addColumn('user_id', reference, column => column.primaryKey().references('users.id').onDelete('cascade'))
      .addColumn('digest', text, column => column.notNull().unique())
      .addColumn('sealed', text, column => column.notNull())
      .addColumn('created', dateTime, column => column.notNull())
      .execute()
  },

  async '0003_sessions'(kysely, { reference, text, dateTime }) {
    await kysely.schema
      .createTable('sessions')
      .addColumn('digest', text, column => column.primaryKey())
      .addColumn('user_id', reference, column => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('created', dateTime, column => column.notNull())
      .addColumn('last_used', dateTime, column => column.notNull())
      .execute()
    await kysely.schema.createIndex('sessions_by_user').on('sessions').column('user_id').execute()
  },

  // If existing usernames have the same key, such as `Ann` and `ann`, only the oldest account gets the key, and the
  // others keep null. No new username with that key is accepted.
  async '0003_username_keys'(kysely, { text }) {
    await kysely.schema.alterTable('users').addColumn('username_key', text).execute()
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
    await kysely.schema.createIndex('users_by_key').unique().on('users').column('username_key').execute()
  },

  async '0005_named_tokens'(kysely, { key, reference, text, dateTime }) {
    await kysely.schema
      .createTable('named_tokens')
      .addColumn('id', key)
      .addColumn('user_id', reference, column => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('name', text, column => column.notNull())
      .addColumn('digest', text, column => column.notNull().unique())
      .addColumn('created', dateTime, column => column.notNull())
      .addColumn('expires', dateTime)
      .addColumn('last_used', dateTime)
      .execute()
    await kysely.schema.createIndex('named_tokens_by_user').on('named_tokens').columns(['user_id', 'id']).execute()
  },

  async '0006_permissions'(kysely, { reference, text }) {
    for (const owner of ['user', 'group']) {
      const [table, column] = [`${owner}_permissions`, `${owner}_id`]
      await kysely.schema
        .createTable(table)
        .addColumn(column, reference, type => type.notNull().references(`${owner}s.id`).onDelete('cascade'))
        .addColumn('permission', text, type => type.notNull())
        .addPrimaryKeyConstraint(`${table}_key`, [column, 'permission'])
        .execute()
    }
  },

  // Gives sessions a primary key, so that URLs of the administration do not contain the digest.
  async '0007_session_keys'(kysely, { key, reference, text, dateTime }) {
    await kysely.schema.alterTable('sessions').renameTo('sessions_before').execute()
    await kysely.schema
      .createTable('sessions')
      .addColumn('id', key)
      .addColumn('digest', text, column => column.notNull().unique())
      .addColumn('user_id', reference, column => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('created', dateTime, column => column.notNull())
      .addColumn('last_used', dateTime, column => column.notNull())
      .execute()
    await sql`insert into sessions (digest, user_id, created, last_used) select digest, user_id, created, last_used from sessions_before order by created`.execute(
      kysely,
    )
    await kysely.schema.dropTable('sessions_before').execute()
    await kysely.schema.createIndex('sessions_by_user').on('sessions').column('user_id').execute()
  },

  // Links existing accounts to their remote identities. An account that was created for a remote identity can be
  // recognised only by its missing password. Before this version, users could take over each other's usernames, so an
  // account that is staff or has permissions is not linked here: an administrator must link it (decision 037).
  async '0008_remote_identities'(kysely, { text }) {
    await kysely.schema.alterTable('users').addColumn('remote_identity', text).execute()
    const hasNoPermissions = sql`not is_staff and not is_superuser and not exists (select 1 from user_permissions where user_id = users.id) and not exists (select 1 from user_groups join group_permissions on group_permissions.group_id = user_groups.group_id where user_groups.user_id = users.id)`
    await sql`update users set remote_identity = username where password is null and ${hasNoPermissions}`.execute(
      kysely,
    )
    await kysely.schema.createIndex('users_by_remote_identity').unique().on('users').column('remote_identity').execute()
  },

  // One row: the fingerprints of the secrets that encrypted the stored tokens, as a JSON list.
  async '0009_secret_fingerprints'(kysely, { text }) {
    await kysely.schema
      .createTable('secret_fingerprints')
      .addColumn('id', 'integer', column => column.primaryKey())
      .addColumn('fingerprints', text, column => column.notNull())
      .execute()
  },
}

async function createTable(...[kysely, { key, text, dateTime }]: Parameters<StepFunction>): Promise<void> {
  await kysely.schema
    .createTable('audit_log')
    .addColumn('id', key)
    .addColumn('created', dateTime, column => column.notNull())
    .addColumn('event', text, column => column.notNull())
    .addColumn('outcome', text, column => column.notNull())
    .addColumn('user', text)
    .addColumn('address', text)
    .addColumn('target', text, column => column.notNull())
    .addColumn('status', 'integer')
    .execute()
}

async function addChanges(...[kysely, { text, json }]: Parameters<StepFunction>): Promise<void> {
  for (const column of ['action', 'resource', 'object_table', 'object_key', 'object_name'])
    await kysely.schema.alterTable('audit_log').addColumn(column, text).execute()
  await kysely.schema.alterTable('audit_log').addColumn('changes', json).execute()
  await sql`create index audit_log_by_object on audit_log (object_table, object_key, id) where object_table is not null`.execute(
    kysely,
  )
  await sql`create index audit_log_by_event on audit_log (outcome, event, created)`.execute(kysely)
  await sql`create index audit_log_of_changes on audit_log (id) where object_table is not null`.execute(kysely)
}

const createSnippets: MigrationStep = async (kysely, { key, reference, boolean, text, dateTime }) => {
  await kysely.schema
    .createTable('snippets')
    .addColumn('id', key)
    .addColumn('owner_id', reference, column => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('created', dateTime, column => column.notNull())
    .addColumn('title', text, column => column.notNull())
    .addColumn('code', text, column => column.notNull())
    .addColumn('linenos', boolean, column => column.notNull().defaultTo(sql`false`))
    .addColumn('language', text, column => column.notNull())
    .addColumn('style', text, column => column.notNull())
    .addColumn('highlighted', text, column => column.notNull())
    .execute()
  await kysely.schema.createIndex('snippets_in_order').on('snippets').columns(['created', 'id']).execute()
  await kysely.schema.createIndex('snippets_by_owner').on('snippets').columns(['owner_id', 'id']).execute()
}

async function createResponses(...[kysely, { text }]: Parameters<StepFunction>): Promise<void> {
  await kysely.schema
    .createTable('idempotent_responses')
    .addColumn('key', text, column => column.primaryKey())
    .addColumn('body', text, column => column.notNull())
    .addColumn('response', text, column => column.notNull())
    .addColumn('expires', 'bigint', column => column.notNull())
    .execute()
  await kysely.schema.createIndex('idempotent_responses_by_end').on('idempotent_responses').column('expires').execute()
}

async function createRates(...[kysely, { text }, { unlogged }]: Parameters<StepFunction>): Promise<void> {
  await kysely.schema
    .createTable('rates')
    .modifyFront(unlogged)
    .addColumn('key', text, column => column.primaryKey())
    .addColumn('used', 'bigint', column => column.notNull())
    .addColumn('ends', 'bigint', column => column.notNull())
    .execute()
  await kysely.schema.createIndex('rates_by_end').on('rates').column('ends').execute()
}

// The steps that came afterwards.
const laterSteps = accountTables.steps as Migrations

/** All owners of the service; SQLite counts in a file of its own. */
export const previousOwners: readonly OwnedMigrations[] = [
  { owner: 'accounts', steps: { ...laterSteps, ...accounts } },
  {
    owner: 'audit',
    steps: {
      '0001_audit_log': Object.assign(createTable, { formerNames: ['0007_audit_log'] }),
      '0002_changes': addChanges,
    },
  },
  { owner: 'idempotency', steps: { '0001_responses': createResponses } },
  {
    owner: 'snippets',
    steps: { '0001_snippets': Object.assign(createSnippets, { formerNames: ['0002_snippets'] }) },
  },
]

export const previousThrottles: OwnedMigrations = { owner: 'throttles', steps: { '0001_rates': createRates } }
