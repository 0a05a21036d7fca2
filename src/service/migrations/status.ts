// The command `migrations status`: which steps a database has applied.

import { type Database, listStepRecords, type OwnedMigrations, type StepRecord } from '#core'

/** A line for each owner, and one for each of its steps. Rejects with the database's error. */
export async function describeStatus(
  database: Database,
  owners: readonly OwnedMigrations[],
): Promise<readonly string[]> {
  const records = await listStepRecords(database, owners)
  return owners.flatMap(({ owner }) => {
    const own = records.filter(record => record.owner === owner)
    const width = Math.max(0, ...own.map(({ step }) => step.length))
    return [owner, ...own.map(record => `  ${record.step.padEnd(width)}  ${formatRecord(record)}`)]
  })
}

const notes: Readonly<Record<StepRecord['state'], string | undefined>> = {
  applied: undefined,
  missing: undefined,
  empty: undefined,
  'half done': 'half done: "resource-api migrate" goes on with it',
  changed: 'has changed since then: see "resource-api check"',
  renamed: 'has another name now: see "resource-api check"',
  removed: 'is not in this program: see "resource-api check"',
}

function formatRecord({ state, applied = '' }: StepRecord): string {
  if (state === 'missing') return 'not applied'
  if (state === 'empty') return 'runs no statement, so it is not recorded'
  const time = applied.slice(0, 16).replace('T', ' ')
  return [`applied ${time}`.trim(), notes[state]].filter(Boolean).join(', ')
}
