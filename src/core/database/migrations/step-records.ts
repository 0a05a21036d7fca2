// What a database has recorded about the steps of each owner.

import type { Database } from '../database.ts'
import type { Dialect } from '../dialect.ts'
import { compareWith } from './compare-with.ts'
import type { LoadedMigrations, MigrationStep, OwnedMigrations } from './migrations.ts'
import { loadOwners } from './read-steps.ts'
import { outlineStep } from './step-outline.ts'

export interface StepRecord {
  readonly owner: string
  readonly step: string
  /**
   * `missing`: not applied. `empty`: runs no statement, such as a step that joins branches, so nothing is recorded. `half done`:
   * `migrate` goes on with it. The others differ from the program.
   */
  readonly state: 'applied' | 'missing' | 'empty' | 'half done' | 'changed' | 'renamed' | 'removed'
  /** The time, in ISO format. */
  readonly applied?: string
}

/** The steps of the owners, in their order, and the applied steps that an owner does not have. Changes nothing. */
export async function listStepRecords(
  database: Database,
  owners: readonly OwnedMigrations[],
): Promise<readonly StepRecord[]> {
  const loaded = await loadOwners(owners)
  const { comparison } = await compareWith(database, { owners: loaded, options: {} })
  const { applied, mismatches } = comparison
  const empty = await listEmptySteps(loaded, database.dialect)
  return loaded.flatMap(({ owner, steps }) => {
    const gone = mismatches.filter(mismatch => mismatch.owner === owner && !Object.hasOwn(steps, mismatch.step))
    const names = [...Object.keys(steps), ...gone.map(({ step }) => step)].toSorted()
    const isMissing = (step: string) =>
      comparison.missing.some(each => each.owner === owner && each.steps.includes(step))
    return names.flatMap((step): StepRecord[] => {
      const record = applied.get(`${owner}/${step}`)
      if (record === undefined && empty.has(steps[step])) return [{ owner, step, state: 'empty' }]
      if (record === undefined) return isMissing(step) ? [{ owner, step, state: 'missing' }] : []
      const mismatch = mismatches.find(each => each.owner === owner && each.step === step)
      const state = mismatch?.kind ?? (record.unfinished.length > 0 ? 'half done' : 'applied')
      return [{ owner, step, state, applied: record.applied }]
    })
  })
}

async function listEmptySteps(
  owners: readonly LoadedMigrations[],
  dialect: Dialect,
): Promise<ReadonlySet<MigrationStep | undefined>> {
  const empty = new Set<MigrationStep>()
  for (const step of owners.flatMap(({ steps }) => Object.values(steps)))
    if ((await outlineStep(step, dialect)).isEmpty) empty.add(step)
  return empty
}
