// Records steps without running them, for a database whose tables exist already: if they are those that the steps make.

import type { Database } from '../database.ts'
import { describeDifferences } from '../schema/describe-differences.ts'
import { compareWith } from './compare-with.ts'
import { createHistory, recordStep } from './history.ts'
import type { OwnedMigrations } from './migrations.ts'
import { loadOwner } from './read-steps.ts'
import { replayUntil } from './replay-steps.ts'
import { outlineStep } from './step-outline.ts'

export interface Baseline {
  /** How the tables differ from those of the steps, as sentences; then nothing was recorded. */
  readonly differences: readonly string[]
  readonly recorded: readonly string[]
}

/** Records the steps of an owner up to `target` that the database has not applied. Throws an Error if there is no such step. */
export async function recordBaseline(database: Database, owner: OwnedMigrations, target: string): Promise<Baseline> {
  const loaded = await loadOwner(owner)
  const { owner: name, steps } = loaded
  if (!Object.hasOwn(steps, target)) throw new Error(`"${name}" has no step "${target}"`)
  const { dialect } = database
  const names = Object.keys(steps).toSorted()
  const covered = names.filter(each => each <= target)
  const { tables } = replayUntil(steps, names[covered.length])
  return database.changeSchema(session =>
    session.transaction(async ({ kysely }) => {
      const existing = await dialect.schema.readState(kysely, Object.keys(tables))
      const differences = describeDifferences(tables, existing.tables, dialect.schema.normalize)
      if (differences.length > 0) return { differences, recorded: [] }
      await createHistory({ kysely, dialect })
      const { comparison } = await compareWith({ kysely, dialect }, { owners: [loaded], options: {} })
      const recorded = covered.filter(each => !comparison.applied.has(`${name}/${each}`))
      for (const each of recorded) {
        const { digest, isEmpty } = await outlineStep(steps[each]!, dialect)
        if (!isEmpty) await recordStep(kysely, { name: `${name}/${each}`, digest, creations: null, unfinished: [] })
      }
      return { differences, recorded }
    }),
  )
}
