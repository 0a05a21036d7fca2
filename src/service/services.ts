// Opens the database and creates, from the settings, the objects that commands and APIs share.

import { mkdirSync } from 'node:fs'
import type { Accounts } from '#accounts'
import {
  compareMigrations,
  type Database,
  feedMigrations,
  findSqliteFile,
  idempotencyMigrations,
  inspectMigrations,
  type MigrateOptions,
  type MigrationDifference,
  type MigrationReport,
  migrate,
  type OwnedMigrations,
  type OwnedStepNames,
  openDatabase,
  type RateStore,
  type StatementObserver,
  throttleMigrations,
} from '#core'
import { jobTables } from '#jobs'
import { openAccounts } from './accounts.ts'
import { createAccountFixtures } from './data/account-fixtures.ts'
import type { Fixtures } from './data/load-data.ts'
import { type ConfirmStep, omitHalfWritten, stopAfter } from './migrations/choose-steps.ts'
import { checkWebhooks, closeProfiles, type OpenProfile, openProfiles } from './open-profiles.ts'
import { listTablesOfJobs } from './profile.ts'
import { createRateStorage } from './rate-storage.ts'
import { databaseOptions } from './settings/database-settings.ts'
import { listFixedPaths } from './settings/profiles.ts'
import { dataFolder } from './settings/secret-key.ts'
import type { ReadySettings, Settings } from './settings/settings.ts'

/** The objects that commands and APIs share: the accounts, the throttle counters and their database. */
export interface Services {
  readonly settings: ReadySettings
  readonly database: Database
  readonly clock: () => Date
  readonly accounts: Accounts
  /** The profiles that this process serves. */
  readonly profiles: readonly OpenProfile[]
  /** The lists of data files: those of the accounts, then those of the profiles. */
  readonly fixtures: Fixtures
  /** Counts requests for throttles, and failed logins. */
  readonly rateStore: RateStore
  /** The owners of the tables of the main database. */
  readonly owners: readonly OwnedMigrations[]
  /**
   * Applies missing migrations, and returns those of the main database by owner. Default of the options: `{ mode: 'production' }`
   * in production. `to`: only the steps up to this one, as `owner/step`.
   */
  migrate(options?: PrepareOptions & { readonly to?: string | undefined }): Promise<readonly OwnedStepNames[]>
  /**
   * Migrates, then checks and records the secret. `confirm`: whether, in development, a step is applied that does not yet make the
   * declared tables. Throws SettingsError if an unknown secret encrypted tokens.
   */
  prepare(options?: PrepareOptions): Promise<void>
  /** Compares the names of the migrations in the database with those of this version. */
  compareMigrations(): Promise<MigrationDifference>
  /** Compares the migrations in the database with those of this version, also by what they do. */
  inspectMigrations(): Promise<MigrationReport>
  close(): Promise<void>
}

export interface PrepareOptions extends MigrateOptions {
  readonly confirm?: ConfirmStep | undefined
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
  const profiles = openOrClose(
    () => openProfiles(settings.profiles, { database, accounts, clock }, listFixedPaths(settings)),
    () => database.close(),
  )
  const owners = listOwners(settings, accounts, profiles)
  openOrClose(
    () => checkWebhooks(profiles, owners),
    () => closeProfiles(profiles).finally(() => database.close()),
  )
  const usual: PrepareOptions = settings.production ? { mode: 'production' } : {}
  const migrateAll: Services['migrate'] = async ({ to, confirm, ...options } = usual) => {
    const applied = await migrate(database, await chooseSteps(database, owners, { to, confirm, ...options }), options)
    const rateDatabase = rateStorage.separateDatabase()
    if (rateDatabase !== undefined) await migrate(rateDatabase, [throttleMigrations], { mode: options.mode })
    return applied
  }
  return {
    ...{ settings, database, clock, accounts, profiles, owners },
    fixtures: Object.assign(createAccountFixtures(accounts), ...profiles.map(profile => profile.fixtures)),
    rateStore: rateStorage.store,
    migrate: migrateAll,
    async prepare(options) {
      await migrateAll(options)
      await accounts.secretRecord.claim()
    },
    async compareMigrations() {
      const difference = await compareMigrations(database, owners)
      if (difference.missing.length > 0 || difference.unknown.length > 0) return difference
      const rateDatabase = rateStorage.separateDatabase()
      return rateDatabase === undefined ? difference : compareMigrations(rateDatabase, [throttleMigrations])
    },
    async inspectMigrations() {
      const report = await inspectMigrations(database, owners)
      const rateDatabase = rateStorage.separateDatabase()
      if (rateDatabase === undefined) return report
      const ofRates = await inspectMigrations(rateDatabase, [throttleMigrations])
      return {
        missing: [...report.missing, ...ofRates.missing],
        empty: [...report.empty, ...ofRates.empty],
        problems: [...report.problems, ...ofRates.problems],
      }
    },
    async close() {
      try {
        await closeProfiles(profiles)
      } finally {
        await accounts.close()
        await rateStorage.close()
        await database.close()
      }
    },
  }
}

// The owners of tables in the main database; owners that refer to tables of others come after them.
const listOwners = (
  { databaseUrl, configuredProfiles }: Settings,
  accounts: Accounts,
  profiles: readonly OpenProfile[],
): readonly OwnedMigrations[] => [
  ...accounts.migrations,
  ...(databaseUrl.startsWith('sqlite:') ? [] : [throttleMigrations]),
  ...(configuredProfiles.some(({ idempotencyKeys }) => idempotencyKeys) ? [idempotencyMigrations] : []),
  ...(configuredProfiles.some(({ hasJobs }) => hasJobs) || [accounts, ...profiles].some(({ jobs }) => jobs.length > 0)
    ? [jobTables]
    : []),
  ...new Set([
    ...configuredProfiles.flatMap(({ tablesOfJobs }) => tablesOfJobs),
    ...profiles.flatMap(({ jobs }) => listTablesOfJobs(jobs)),
  ]),
  ...(configuredProfiles.some(({ hasFeeds }) => hasFeeds) ||
  profiles.some(({ resources }) => resources.some(({ feed }) => feed))
    ? [feedMigrations]
    : []),
  ...listProfileOwners({ configuredProfiles }),
]

/** The owners of the tables of the profiles, also of those that the process does not serve. */
export const listProfileOwners = ({ configuredProfiles }: Pick<Settings, 'configuredProfiles'>) =>
  configuredProfiles.map(
    ({ name, migrations, tables }): OwnedMigrations => tables ?? { owner: name, steps: migrations },
  )

async function chooseSteps(
  database: Database,
  owners: readonly OwnedMigrations[],
  { to, mode, report, confirm }: Parameters<Services['migrate']>[0] & {},
): Promise<readonly OwnedMigrations[]> {
  if (to !== undefined) return stopAfter(database, owners, to)
  if (mode !== 'development') return owners
  const { owners: ready, sentences } = await omitHalfWritten(database, owners, confirm)
  for (const sentence of sentences) report?.(sentence)
  return ready
}

function openOrClose<Opened>(open: () => Opened, close: () => Promise<void>): Opened {
  try {
    return open()
  } catch (error) {
    void close().catch(() => undefined)
    throw error
  }
}
