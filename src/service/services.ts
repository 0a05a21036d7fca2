// Opens the database and creates, from the settings, the objects that commands and APIs share.

import { mkdirSync } from 'node:fs'
import {
  compareMigrations,
  type Database,
  type MigrationDifference,
  migrate,
  type OwnedMigrations,
  type OwnedStepNames,
  openDatabase,
  type StatementObserver,
  throttleMigrations,
} from 'resource-api'
import type { Accounts } from 'resource-api/accounts'
import { findSqliteFile, type RateStore } from 'resource-api/extend'
import { createHighlighter, type Highlighter, type HighlighterOptions, snippetMigrations } from 'resource-api/snippets'
import { openAccounts } from './accounts.ts'
import { createRateStorage } from './rate-storage.ts'
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
  /** Applies missing migrations, and returns those of the main database by owner. */
  migrate(): Promise<readonly OwnedStepNames[]>
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
  const rateStorage = createRateStorage(settings, database, { ...options, clock })
  const accounts = openAccounts(settings, { database, rateStore: rateStorage.store, clock })
  const highlighter = createHighlighter(highlighterOptions(settings))
  const owners = listOwners(settings, accounts)
  const migrateAll = async () => {
    const applied = await migrate(database, owners)
    const rateDatabase = rateStorage.separateDatabase()
    if (rateDatabase !== undefined) await migrate(rateDatabase, [throttleMigrations])
    return applied
  }
  return {
    settings,
    database,
    accounts,
    highlighter,
    rateStore: rateStorage.store,
    migrate: migrateAll,
    async prepare() {
      await migrateAll()
      await accounts.secretRecord.claim()
    },
    async compareMigrations() {
      const difference = await compareMigrations(database, owners)
      if (difference.missing.length > 0 || difference.unknown.length > 0) return difference
      const rateDatabase = rateStorage.separateDatabase()
      return rateDatabase === undefined ? difference : compareMigrations(rateDatabase, [throttleMigrations])
    },
    async close() {
      await highlighter.close()
      await accounts.close()
      await rateStorage.close()
      await database.close()
    },
  }
}

// The owners of tables in the main database; owners that refer to tables of others come after them.
const listOwners = ({ databaseUrl }: Settings, accounts: Accounts): readonly OwnedMigrations[] => [
  ...accounts.migrations,
  ...(databaseUrl.startsWith('sqlite:') ? [] : [throttleMigrations]),
  { owner: 'snippets', steps: snippetMigrations },
]

const highlighterOptions = ({ limits }: Settings): HighlighterOptions => ({
  maxCode: limits.highlightedCode,
  maxLineLength: limits.highlightedLine,
  deadline: limits.highlightingTime,
  maxWait: limits.highlightingWait,
})
