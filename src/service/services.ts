// The services of the service below HTTP, made from the settings: what the command line works with, and what the APIs are
// made of.

import { mkdirSync } from 'node:fs'
import { deriveSecret } from '../accounts/encryption.ts'
import { createGrantedPermissions, type GrantedPermissions } from '../accounts/granted-permissions.ts'
import { createLoginThrottle, type LoginThrottle } from '../accounts/login-throttle.ts'
import { accountMigrations } from '../accounts/migrations.ts'
import { createSecretRecord, type SecretRecord } from '../accounts/secret-record.ts'
import { createSessions, type Sessions } from '../accounts/sessions.ts'
import type { Tokens } from '../accounts/tokens/single-tokens.ts'
import { createUsers, type Users } from '../accounts/users.ts'
import type { Database, StatementObserver } from '../framework/database/database.ts'
import { compareMigrations, type MigrationDifference, type Migrations, migrate } from '../framework/database/migrate.ts'
import { openDatabase, sqliteFile } from '../framework/database/open.ts'
import { databaseStore, throttleMigrations } from '../framework/throttling/database-store.ts'
import { enduringStore } from '../framework/throttling/enduring-store.ts'
import type { RateStore } from '../framework/throttling/rate-store.ts'
import {
  createHighlighter,
  type Highlighter,
  type HighlighterOptions,
} from '../profiles/snippets/highlighting/highlighter.ts'
import { snippetMigrations } from '../profiles/snippets/migrations.ts'
import { openRates } from './apis/throttles.ts'
import { openTokens } from './apis/tokens.ts'
import { type AuditLog, auditMigrations, createAuditLog } from './audit/audit-log.ts'
import { databaseOptions } from './settings/database-settings.ts'
import { dataFolder, explainingRecord, secretsOf } from './settings/secret-key.ts'
import type { ReadySettings, Settings } from './settings/settings.ts'

/** The services below HTTP. */
export interface Services {
  readonly settings: ReadySettings
  readonly database: Database
  readonly users: Users
  readonly tokens: Tokens
  readonly sessions: Sessions
  /** The permissions that users have been granted. */
  readonly granted: GrantedPermissions
  readonly highlighter: Highlighter
  /** The counts of throttles and of failed logins. */
  readonly rateStore: RateStore
  readonly loginThrottle: LoginThrottle
  /** The audit's events in the database; undefined where none are kept. */
  readonly auditLog: AuditLog | undefined
  /** Which secrets the database was written with. */
  readonly secretRecord: SecretRecord
  /** Brings the tables to the newest form; answers the steps that ran. */
  migrate(): Promise<readonly string[]>
  /** As `migrate`, for commands that write tokens: throws SettingsError if the database was written with an unknown secret. */
  prepare(): Promise<void>
  /** Compares the tables with the newest form. */
  compareMigrations(): Promise<MigrationDifference>
  close(): Promise<void>
}

export interface ServicesOptions {
  readonly clock?: () => Date
  /** Called with each SQL statement. */
  readonly observe?: StatementObserver
  readonly onError?: (error: Error) => void
}

/** Opens the database and makes what works on it. */
export function openServices(settings: ReadySettings, options: ServicesOptions = {}): Services {
  const { clock = () => new Date() } = options
  if (sqliteFile(settings.databaseUrl) !== undefined) mkdirSync(dataFolder(settings), { recursive: true })
  const database = openDatabase(settings.databaseUrl, { ...options, ...databaseOptions(settings) })
  const rates = openRates(settings.databaseUrl, database, options)
  const counts = databaseStore(rates, { clock, secret: deriveSecret(settings.secretKey, 'rates') })
  const rateStore = enduringStore(counts, { clock })
  const tokens = openTokens(settings, database, clock)
  const users = createUsers({ database, clock, afterUserCreated: afterUserCreated(settings, tokens) })
  const highlighter = createHighlighter(highlightingBounds(settings))
  const { auditRetention: retention } = settings
  const auditLog = retention === null ? undefined : createAuditLog({ database, retention, clock })
  const schemas = schemasOf(database, rates)
  const secretRecord = explainingRecord(createSecretRecord({ database, secrets: secretsOf(settings) }))
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
    granted: createGrantedPermissions(database),
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
      await auditLog?.settle()
      if (rates !== database) await rates.close()
      await database.close()
    },
  }
}

// The service's own tables come last: `migrate` returns their steps.
function schemasOf(database: Database, rates: Database): readonly (readonly [Database, Migrations])[] {
  const migrations = { ...accountMigrations, ...snippetMigrations, ...auditMigrations }
  if (rates === database) return [[database, { ...migrations, ...throttleMigrations }]]
  return [
    [rates, throttleMigrations],
    [database, migrations],
  ]
}

const highlightingBounds = ({ limits }: Settings): HighlighterOptions => ({
  maxCode: limits.highlightedCode,
  maxLineLength: limits.highlightedLine,
  deadline: limits.highlightingTime,
  maxWait: limits.highlightingWait,
})

/** Runs after the creation of a user, within the same transaction. */
export function afterUserCreated({ afterUserCreated: hook, tokenForNewUsers }: Settings, tokens: Tokens) {
  if (hook === undefined && !tokenForNewUsers) return undefined
  return async (...[userId, connection]: Parameters<NonNullable<Settings['afterUserCreated']>>) => {
    if (tokenForNewUsers) await tokens.getOrCreate(userId, connection)
    await hook?.(userId, connection)
  }
}
