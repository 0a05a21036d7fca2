// The shapes of migrations: steps, and the owner to whom a set of steps belongs.

import type { Kysely } from 'kysely'
import type { ColumnTypes, Dialect } from '../dialect.ts'

/**
 * A step that runs on every database: `columns` has the column types, `dialect` the other differences between
 * databases.
 */
export interface StepFunction {
  (kysely: Kysely<unknown>, columns: ColumnTypes, dialect: Dialect): Promise<void>
  /** Previous names of a renamed step. A database that applied the step under one of them does not apply it again. */
  readonly formerNames?: readonly string[]
}

export type MigrationStep = StepFunction

/** Steps by name. Missing steps run in the order of their names, even if later steps have already been applied. */
export type Migrations = Readonly<Record<string, MigrationStep>>

/**
 * The steps of one owner: an application, or a library that has tables in the database of the application. Each owner
 * has its own history, so names of steps need to be unique only within their owner.
 */
export interface OwnedMigrations {
  /** Lower-case letters, digits and hyphens, beginning with a letter. Never change it: the database records it. */
  readonly owner: string
  readonly steps: Migrations
}

/** Names of steps of one owner, in order. */
export interface OwnedStepNames {
  readonly owner: string
  readonly steps: readonly string[]
}
