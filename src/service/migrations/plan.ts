// The command `migrations plan`: what `migrate` would do, in words.

import { type Database, describeChanges, inspectMigrations, listStatements, replayUntil } from '#core'
import type { DeclaredOwner } from './owners.ts'

/** A paragraph for each step that the database lacks; with `url`, also its SQL. Rejects with the database's error. */
export async function describePlan(
  database: Database,
  owners: readonly DeclaredOwner[],
  url?: string,
): Promise<readonly string[]> {
  const { missing } = await inspectMigrations(database, owners)
  const paragraphs: string[] = []
  for (const { owner, steps } of missing)
    for (const step of steps) {
      const declared = owners.find(other => other.owner === owner)!
      const statements = url === undefined ? [] : await listStepStatements(declared, step, url)
      paragraphs.push([`${owner}/${step}`, ...describeStep(declared, step), ...statements].join('\n  '))
    }
  return paragraphs
}

async function listStepStatements({ steps }: DeclaredOwner, name: string, url: string): Promise<readonly string[]> {
  const step = steps[name]!
  if (typeof step === 'function' || step.change === undefined) return []
  const statements = await listStatements(url, replayUntil(steps, name), step.change)
  return statements.map(statement => `  ${statement};`)
}

/** What a step does. */
export function describeStep({ steps }: Pick<DeclaredOwner, 'steps'>, name: string): readonly string[] {
  const step = steps[name]!
  if (typeof step === 'function') return ['runs its code']
  const lines = describeChanges(replayUntil(steps, name), step.change ?? [])
  return step.run === undefined ? lines : [...lines, lines.length === 0 ? 'runs its code' : 'then runs its code']
}
