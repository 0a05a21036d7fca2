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
import { type Accounts, deriveSecret } from 'resource-api/accounts'
import { findSqliteFile, type RateStore } from 'resource-api/extend'
import { createHighlighter, type Highlighter, type HighlighterOptions, snippetMigrations } from 'resource-api/snippets'
import { openAccounts } from './accounts.ts'
import { openRateDatabase } from './apis/throttles.ts'
import { databaseOptions } from './settings/database-settings.ts'
import { dataFolder } from './settings/secret-key.ts'
import type { ReadySettings, Settings } from './settings/settings.ts'

/** The objects that commands and APIs share: the accounts, the throttle counters and their database. */
export interface Services {
  readonly settings: ReadySettings
  readonly database: Database
  readonly accounts: Accounts
  readonly highlighter: Highlighter
  /** Counts requests for throttles, and failed logins. */
  readonly rateStore: RateStore
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
  const accounts = openAccounts(settings, { database, rateStore, clock })
  const highlighter = createHighlighter(highlighterOptions(settings))
  const schemas = listSchemas(accounts, rateDatabase)
  const migrateAll = async () => {
    let applied: readonly string[] = []
    for (const [target, migrations] of schemas) applied = await migrate(target, migrations)
    return applied
  }
  return {
    settings,
    database,
    accounts,
    highlighter,
    rateStore,
    migrate: migrateAll,
    async prepare() {
      await migrateAll()
      await accounts.secretRecord.claim()
    },
    async compareMigrations() {
      const all = await Promise.all(schemas.map(([target, migrations]) => compareMigrations(target, migrations)))
      return { missing: all.flatMap(({ missing }) => missing), unknown: all.flatMap(({ unknown }) => unknown) }
    },
    async close() {
      await highlighter.close()
      await accounts.close()
      if (rateDatabase !== database) await rateDatabase.close()
      await database.close()
    },
  }
}

// The main database comes last, because `migrate` returns the names of the migrations that the last one lacked.
function listSchemas(accounts: Accounts, rateDatabase: Database): readonly (readonly [Database, Migrations])[] {
  const { database } = accounts
  const migrations = Object.assign({}, snippetMigrations, ...accounts.migrations.map(({ steps }) => steps))
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
