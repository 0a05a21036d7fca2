// Opens the database and creates, from the settings, the objects that commands and APIs share.

import { mkdirSync } from 'node:fs'
import { deriveSecret } from '../accounts/encryption.ts'
import { createGrantedPermissions, type GrantedPermissions } from '../accounts/granted-permissions.ts'
import { createLoginThrottle, type LoginThrottle } from '../accounts/login-throttle.ts'
import { accountMigrations } from '../accounts/migrations.ts'
import { createSecretRecord, type SecretRecord } from '../accounts/secret-record.ts'
import { createSessions, type Sessions } from '../accounts/sessions.ts'
import type { TokenStore } from '../accounts/tokens/single-tokens.ts'
import { createUsers, type Users } from '../accounts/users.ts'
import type { Database, StatementObserver } from '../framework/database/database.ts'
import { compareMigrations, type MigrationDifference, type Migrations, migrate } from '../framework/database/migrate.ts'
import { findSqliteFile, openDatabase } from '../framework/database/open.ts'
import { databaseStore, throttleMigrations } from '../framework/throttling/database-store.ts'
import { fallbackStore } from '../framework/throttling/fallback-store.ts'
import type { RateStore } from '../framework/throttling/rate-store.ts'
import {
  createHighlighter,
  type Highlighter,
  type HighlighterOptions,
} from '../profiles/snippets/highlighting/highlighter.ts'
import { snippetMigrations } from '../profiles/snippets/migrations.ts'
import { openRateDatabase } from './apis/throttles.ts'
import { createTokens } from './apis/tokens.ts'
import { type AuditLog, auditMigrations, createAuditLog } from './audit/audit-log.ts'
import { databaseOptions } from './settings/database-settings.ts'
import { dataFolder, listServiceSecrets, withExplainedErrors } from './settings/secret-key.ts'
import type { ReadySettings, Settings } from './settings/settings.ts'

/** The objects that do not depend on HTTP: accounts, tokens, sessions, throttle counters and their database. */
export interface Services {
  readonly settings: ReadySettings
  readonly database: Database
  readonly users: Users
  readonly tokens: TokenStore
  readonly sessions: Sessions
  /** The permissions that users have been granted. */
  readonly grantedPermissions: GrantedPermissions
  readonly highlighter: Highlighter
  /** Counts requests for throttles, and failed logins. */
  readonly rateStore: RateStore
  readonly loginThrottle: LoginThrottle
  /** Stores audit events in the database; undefined if `auditRetention` is null. */
  readonly auditLog: AuditLog | undefined
  /** Records which secrets encrypted the stored tokens. */
  readonly secretRecord: SecretRecord
  /** Applies missing migrations, and returns their names. */
  migrate(): Promise<readonly string[]>
  /** Migrates, then checks and records the secret. Throws SettingsError if an unknown secret encrypted tokens. */
  prepare(): Promise<void>
  /** Compares the migrations in the database with those of this version. */
  compareMigrations(): Promise<MigrationDifference>
  close(): Promise<void>
}

export interface ServicesOptions {
  readonly clock?: () => Date
  /** Called with each SQL statement. */
  readonly observe?: StatementObserver
  readonly onError?: (error: Error) => void
}

/** Opens the database. The caller has to call `close`. */
export function openServices(settings: ReadySettings, options: ServicesOptions = {}): Services {
  const { clock = () => new Date() } = options
  if (findSqliteFile(settings.databaseUrl) !== undefined) mkdirSync(dataFolder(settings), { recursive: true })
  const database = openDatabase(settings.databaseUrl, { ...options, ...databaseOptions(settings) })
  const rateDatabase = openRateDatabase(settings.databaseUrl, database, options)
  const databaseRateStore = databaseStore(rateDatabase, { clock, secret: deriveSecret(settings.secretKey, 'rates') })
  const rateStore = fallbackStore(databaseRateStore, { clock })
  const tokens = createTokens(settings, database, clock)
  const users = createUsers({ database, clock, afterUserCreated: afterUserCreated(settings, tokens) })
  const highlighter = createHighlighter(highlighterOptions(settings))
  const { auditRetention: retention } = settings
  const auditLog = retention === null ? undefined : createAuditLog({ database, retention, clock })
  const schemas = listSchemas(database, rateDatabase)
  const secretRecord = withExplainedErrors(createSecretRecord({ database, secrets: listServiceSecrets(settings) }))
  const migrateAll = async () => {
    let applied: readonly string[] = []
    for (const [target, migrations] of schemas) applied = await migrate(target, migrations)
    return applied
  }
  return {
    settings,
    database,
    users,
    tokens,
    sessions: createSessions({ database, clock, lifetime: settings.sessionLifetime, idle: settings.sessionIdleTime }),
    grantedPermissions: createGrantedPermissions(database),
    highlighter,
    rateStore,
    loginThrottle: createLoginThrottle({ ...settings.loginThrottle, store: rateStore }),
    auditLog,
    secretRecord,
    migrate: migrateAll,
    async prepare() {
      await migrateAll()
      await secretRecord.claim()
    },
    async compareMigrations() {
      const all = await Promise.all(schemas.map(([target, migrations]) => compareMigrations(target, migrations)))
      return { missing: all.flatMap(({ missing }) => missing), unknown: all.flatMap(({ unknown }) => unknown) }
    },
    async close() {
      await highlighter.close()
      await tokens.settle()
      await auditLog?.flush()
      if (rateDatabase !== database) await rateDatabase.close()
      await database.close()
    },
  }
}

// The main database comes last, because `migrate` returns the names of the migrations that the last one lacked.
function listSchemas(database: Database, rateDatabase: Database): readonly (readonly [Database, Migrations])[] {
  const migrations = { ...accountMigrations, ...snippetMigrations, ...auditMigrations }
  if (rateDatabase === database) return [[database, { ...migrations, ...throttleMigrations }]]
  return [
    [rateDatabase, throttleMigrations],
    [database, migrations],
  ]
}

const highlighterOptions = ({ limits }: Settings): HighlighterOptions => ({
  maxCode: limits.highlightedCode,
  maxLineLength: limits.highlightedLine,
  deadline: limits.highlightingTime,
  maxWait: limits.highlightingWait,
})

/** Returns the hook that runs in the transaction that creates a user; undefined if the settings need none. */
export function afterUserCreated({ afterUserCreated: hook, tokenForNewUsers }: Settings, tokens: TokenStore) {
  if (hook === undefined && !tokenForNewUsers) return undefined
  return async (...[userId, connection]: Parameters<NonNullable<Settings['afterUserCreated']>>) => {
    if (tokenForNewUsers) await tokens.getOrCreate(userId, connection)
    await hook?.(userId, connection)
  }
}
