// Migrations for the tests of this folder.

import type { TestContext } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import type { Database } from '../database.ts'
import { openDatabase } from '../open.ts'
import type { StepFunction } from './declared-step.ts'
import type { LoadedMigrations, MigrationStep } from './migrations.ts'

export const createTable =
  (table: string): StepFunction =>
  async (kysely, { key }) =>
    kysely.schema.createTable(table).addColumn('id', key).execute()

/** Runs a statement that changes nothing. */
export const selectOne: StepFunction = async kysely => void (await sql`select 1`.execute(kysely))

export const things: LoadedMigrations = { owner: 'things', steps: { '0001_first': createTable('things') } }
export const applied = [{ owner: 'things', steps: ['0001_first'] }]

export async function readNames({ kysely }: Database, table = 'resource_api_migrations'): Promise<readonly unknown[]> {
  const rows = await kysely.selectFrom(table).select('name').orderBy('name').execute()
  return rows.map(({ name }) => name)
}

/** Runs steps as earlier versions did, and as applications can do: with Kysely's Migrator and its default table. */
export async function migrateWithKysely(
  database: Database,
  steps: Readonly<Record<string, MigrationStep>>,
): Promise<void> {
  const { dialect } = database
  const migrations = Object.entries(steps).map(
    ([name, step]) =>
      [name, { up: (kysely: Kysely<unknown>) => (step as StepFunction)(kysely, dialect.columns, dialect) }] as const,
  )
  await database.transaction(async ({ kysely }) => {
    const provider = { getMigrations: async () => Object.fromEntries(migrations) }
    const { error } = await new Migrator({ db: kysely, disableTransactions: true, provider }).migrateToLatest()
    if (error !== undefined) throw error
  })
}

/** Opens a new database, and removes it at the end of the test. */
export async function openNew(
  context: TestContext,
  createStorage: () => Promise<{ readonly url: string; remove(): Promise<void> }>,
): Promise<Database> {
  const storage = await createStorage()
  const database = openDatabase(storage.url)
  context.after(async () => {
    await database.close()
    await storage.remove()
  })
  return database
}
