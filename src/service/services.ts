// Opens the database and creates, from the settings, the objects that commands and APIs share.

import { mkdirSync } from 'node:fs'
import {
  compareMigrations,
  type Database,
  databaseStore,
  fallbackStore,
  type MigrationDifference,
  type Migrations,
  migrate,
  openDatabase,
  type StatementObserver,
  throttleMigrations,
} from 'resource-api'
import {
  accountMigrations,
  createGrantedPermissions,
  createLoginThrottle,
  createSecretRecord,
  createSessions,
  createUsers,
  deriveSecret,
  type GrantedPermissions,
  type LoginThrottle,
  type SecretRecord,
  type Sessions,
  type TokenStore,
  type Users,
} from 'resource-api/accounts'
import { findSqliteFile, type RateStore } from 'resource-api/extend'
import { createHighlighter, type Highlighter, type HighlighterOptions, snippetMigrations } from 'resource-api/snippets'
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
