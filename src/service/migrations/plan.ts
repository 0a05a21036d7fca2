// The command `migrations plan`: what `migrate` would do, in words.

import { type Database, describeChanges, inspectMigrations, replayUntil } from '#core'
import type { DeclaredOwner } from './owners.ts'

/** A paragraph for each step that the database lacks. Rejects with the database's error. */
export async function describePlan(database: Database, owners: readonly DeclaredOwner[]): Promise<readonly string[]> {
  const { missing } = await inspectMigrations(database, owners)
  return missing.flatMap(({ owner, steps }) => {
    const declared = owners.find(other => other.owner === owner)!
    return steps.map(step => [`${owner}/${step}`, ...describeStep(declared, step)].join('\n  '))
  })
}

/** What a step does. */
export function describeStep({ steps }: Pick<DeclaredOwner, 'steps'>, name: string): readonly string[] {
  const step = steps[name]!
  if (typeof step === 'function') return ['runs its code']
  const lines = describeChanges(replayUntil(steps, name), step.change ?? [])
  return step.run === undefined ? lines : [...lines, lines.length === 0 ? 'runs its code' : 'then runs its code']
}
