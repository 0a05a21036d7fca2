// The shapes of migrations: steps, and the owner to whom a set of steps belongs.

import type { DefaultValue, SchemaState } from '../schema/schema-state.ts'
import type { DeclaredStep, StepFunction } from './declared-step.ts'

/** A function that runs statements, or changes as data, as `step` declares them. */
export type MigrationStep = StepFunction | DeclaredStep

/** Steps by name. Missing steps run in the order of their names, even if later steps have already been applied. */
export type Migrations = Readonly<Record<string, MigrationStep>>

/**
 * The steps of one owner: an application, or a library that has tables in the database of the application. Each owner
 * has its own history, so names of steps need to be unique only within their owner.
 */
export interface OwnedMigrations {
  /** Lower-case letters, digits and hyphens, beginning with a letter. Never change it: the database records it. */
  readonly owner: string
  /** The steps, or the folder of their files: `0001_first.ts` exports the step `0001_first` as `default`. */
  readonly steps: Migrations | string | URL
  /** The tables that the steps should result in; absent if they are not declared. */
  readonly state?: SchemaState
  /** The defaults that the program has, but not the database, by `table.column`: `make` gives them to the rows that exist. */
  readonly defaults?: Readonly<Record<string, DefaultValue>>
}

/** An owner whose steps have been read. */
export interface LoadedMigrations extends OwnedMigrations {
  readonly steps: Migrations
}

/** Names of steps of one owner, in order. */
export interface OwnedStepNames {
  readonly owner: string
  readonly steps: readonly string[]
}
