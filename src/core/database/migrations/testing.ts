// Migrations for the tests of this folder.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import type { Database } from '../database.ts'
import { openDatabase } from '../open.ts'
import type { StepFunction } from './declared-step.ts'
import { type MigrateOptions, migrate } from './migrate.ts'
import type { LoadedMigrations, MigrationStep, Migrations, OwnedMigrations } from './migrations.ts'

export const createTable =
  (table: string): StepFunction =>
  async (kysely, { key }) =>
    kysely.schema.createTable(table).addColumn('id', key).execute()

/** Runs a statement that changes nothing. */
export const selectOne: StepFunction = async kysely => void (await sql`select 1`.execute(kysely))

export const things: LoadedMigrations = { owner: 'things', steps: { '0001_first': createTable('things') } }
export const applied = [{ owner: 'things', steps: ['0001_first'] }]

export const toOwners = (steps: Migrations): readonly OwnedMigrations[] => [{ owner: 'books', steps }]

export const apply = (database: Database, steps: Migrations, options?: MigrateOptions) =>
  migrate(database, toOwners(steps), options)

/** Applies the steps as `dev` does, and returns what it reports. */
export async function develop(database: Database, steps: Migrations): Promise<readonly string[]> {
  const sentences: string[] = []
  await apply(database, steps, { mode: 'development', report: sentence => void sentences.push(sentence) })
  return sentences
}

export const createBooks = createTable('books')

export const addColumn =
  (column: string): StepFunction =>
  ({ schema }, { text }) =>
    schema.alterTable('books').addColumn(column, text).execute()

export async function readColumns({ catalogue }: Database, table = 'books'): Promise<readonly string[] | undefined> {
  return (await catalogue.tables([table])).get(table)?.columns.map(({ name }) => name)
}

export const write = (database: Database, text: string) =>
  database.transaction(async ({ kysely }) => void (await sql.raw(text).execute(kysely)))

export const readHistory = async ({ kysely }: Database) =>
  (await sql<Record<string, string | null>>`select * from resource_api_migrations order by name`.execute(kysely)).rows

/** Asserts that nothing can be applied, for this reason, and that nothing changes. */
export async function assertRefused(
  database: Database,
  steps: Migrations,
  reason: RegExp | string,
  options?: MigrateOptions,
) {
  const before = [await readHistory(database), (await database.catalogue.names()).toSorted()]
  await assert.rejects(apply(database, steps, options), ({ name, message }: Error) => {
    assert.equal(name, 'UnusableDatabase', message)
    const found = message.replace(/ on \d{4}-\d\d-\d\d at \d\d:\d\d UTC/, ' ON A DAY')
    if (typeof reason === 'string') assert.equal(found, reason)
    else assert.match(found, reason)
    return true
  })
  assert.deepEqual([await readHistory(database), (await database.catalogue.names()).toSorted()], before)
}

export const describeApplied = (step: string) =>
  `the database has applied the step "${step}" of "books" ON A DAY, which `

export const changedAdvice = (step: string) =>
  `undo the change and write a new step; or, if the step still does the same, accept it with migrate --accept books/${step}`

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
