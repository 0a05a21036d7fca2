// The command `migrations repair`: goes on with half-done steps, and runs no other one.

import { type Database, listStepRecords, migrate, type OwnedMigrations } from '#core'
import { omitMissing } from './choose-steps.ts'

/** Returns a sentence for each step that was finished. Rejects with UnusableDatabase if an applied step has changed. */
export async function repairSteps(
  database: Database,
  owners: readonly OwnedMigrations[],
  accept: readonly string[] = [],
): Promise<readonly string[]> {
  const records = await listStepRecords(database, owners)
  await migrate(database, await omitMissing(database, owners), { accept })
  const finished = records.filter(({ state }) => state === 'half done')
  return [
    ...finished.map(({ owner, step }) => `Finished ${owner}: ${step}.`),
    ...accept.map(step => `Accepted ${step}.`),
  ]
}
