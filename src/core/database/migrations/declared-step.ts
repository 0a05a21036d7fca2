// A step whose changes are data. Its state can be replayed without a database, and the framework runs each change in the way that
// is safe on the database.

import type { Kysely } from 'kysely'
import type { ColumnTypes, Dialect } from '../dialect.ts'
import type { Change } from '../schema/change.ts'

/**
 * A step, or the part of a step, that runs on every database: `columns` has the column types, `dialect` the other differences
 * between databases.
 */
export interface StepFunction {
  (kysely: Kysely<unknown>, columns: ColumnTypes, dialect: Dialect): Promise<void>
  /** Previous names of a renamed step. A database that applied the step under one of them does not apply it again. */
  readonly formerNames?: readonly string[]
}

/** A migration step, in a file of its own that exports it as `default`. */
export interface DeclaredStep {
  /** The names of the steps of the same owner on which this one builds; two in a step that joins two branches. */
  readonly after?: readonly string[]
  /** The steps of other owners that run before, as `owner/step`. */
  readonly uses?: readonly string[]
  /** The changes of the tables, in their order. */
  readonly change?: readonly Change[]
  /** Work that data cannot describe, such as SQL or new values of rows. It runs after `change`. */
  readonly run?: StepFunction
  /** The changes that `run`, or an earlier step without data, makes to the tables. They are not run. */
  readonly state?: readonly Change[]
  /** Takes `run` back. Without it, a step with `run` has no way back. */
  readonly back?: StepFunction
  /** True: `migrations squash` keeps the step. */
  readonly keep?: true
  /** The steps that this one replaces. A database that has applied all of them does not run it. */
  readonly replaces?: readonly string[]
  /** Previous names of a renamed step. A database that applied the step under one of them does not apply it again. */
  readonly formerNames?: readonly string[]
  /** The recorded digests of the step in other words: a database with one of them has not applied another step. */
  readonly formerDigests?: readonly string[]
}

/** Declares a migration step. */
export const step = (declared: DeclaredStep): DeclaredStep => Object.freeze(declared)
