// Compares the steps of a migration with a database, and refuses to go on if they do not fit.

import type { Database } from '../database.ts'
import { UnusableDatabase } from '../unusable-database.ts'
import { type Comparison, compareSteps, type Mismatch } from './compare.ts'
import { explainMismatch } from './explain-mismatch.ts'
import { type History, readHistory } from './history.ts'
import type { LoadedMigrations } from './migrations.ts'
import { planMigration } from './plan.ts'

export interface MigrateOptions {
  /**
   * `development`: a step that was renamed keeps its record. The newest step is taken back if it has changed or is gone, and then
   * runs again, unless data would be lost. `production`: if no step is missing, applied steps are compared by name only, and
   * none of their code runs. Default: an applied step that has changed, or is gone, is an error.
   */
  readonly mode?: 'development' | 'production' | undefined
  /** Applied steps, as `owner/step`, that have changed and still do the same: what they are now is recorded. */
  readonly accept?: readonly string[]
  /**
   * On PostgreSQL, how long a statement of a step waits for a lock, in milliseconds; default 2000. The step is tried ten times, with
   * pauses that grow: while it waits, others wait behind it.
   */
  readonly lockTimeout?: number
  /** Called with a sentence for each owner whose steps were applied, and for other events. */
  readonly report?: (sentence: string) => void
  /**
   * Called with a sentence at once, when another process or session has to be waited for, and before a step changes a table with so many
   * rows that it takes long. Default: `report` gets the sentences about waiting.
   */
  readonly progress?: (sentence: string) => void
}

export interface Migration {
  readonly database: Database
  readonly owners: readonly LoadedMigrations[]
  readonly options: MigrateOptions
}

export async function compareWith(
  database: Pick<Database, 'kysely' | 'dialect'>,
  { owners, options: { mode, accept = [] } }: Pick<Migration, 'owners' | 'options'>,
): Promise<{ readonly history: History; readonly comparison: Comparison }> {
  const history = await readHistory(database, owners)
  const comparesContents = mode !== 'production' || accept.length > 0
  const { dialect } = database
  return {
    history,
    comparison: await compareSteps(planMigration(history, owners), { owners, dialect, comparesContents }),
  }
}

export const isAccepted = ({ owner, step, kind }: Mismatch, { accept = [] }: MigrateOptions): boolean =>
  kind === 'changed' && accept.includes(`${owner}/${step}`)

/** Throws UnusableDatabase if an applied step has changed or is gone, and is not accepted. */
export function checkMismatches({ mismatches }: Comparison, options: MigrateOptions): void {
  const accepted = mismatches.filter(mismatch => isAccepted(mismatch, options))
  const names = accepted.map(({ owner, step }) => `${owner}/${step}`)
  const unfounded = (options.accept ?? []).find(name => !names.includes(name))
  if (unfounded !== undefined)
    throw new Error(`accept: "${unfounded}" is not a step that has changed since the database applied it`)
  const problem = mismatches.find(mismatch => !accepted.includes(mismatch))
  if (problem !== undefined) throw new UnusableDatabase(explainMismatch(problem))
}

/** The present digests of accepted steps. After `checkMismatches`, all remaining mismatches are accepted. */
export const listAccepted = ({ mismatches }: Comparison): readonly (readonly [name: string, digest: string])[] =>
  mismatches.map(({ owner, step, digest }) => [`${owner}/${step}`, digest!] as const)
