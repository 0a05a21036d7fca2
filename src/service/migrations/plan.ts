// The command `migrations plan`: what `migrate` would do, in words.

import { type Database, describeChanges, inspectMigrations, listBreaks, listStatements, replayUntil } from '#core'
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
      paragraphs.push(
        [`${owner}/${step}`, ...describeStep(declared, step), ...describeBreaks(declared, step), ...statements].join(
          '\n  ',
        ),
      )
    }
  return paragraphs
}

async function listStepStatements({ steps }: DeclaredOwner, name: string, url: string): Promise<readonly string[]> {
  const step = steps[name]!
  if (typeof step === 'function' || step.change === undefined) return []
  const statements = await listStatements(url, replayUntil(steps, name), step.change)
  return statements.map(statement => `  ${statement};`)
}

// Programs run beside each other while a new version is deployed.
function describeBreaks({ steps }: DeclaredOwner, name: string): readonly string[] {
  const step = steps[name]!
  const breaks = typeof step === 'function' ? [] : listBreaks(replayUntil(steps, name), step.change ?? [])
  return breaks.length === 0 ? [] : [`A program from before this step fails beside it: it ${breaks.join(', and ')}.`]
}

/** What a step does. */
export function describeStep({ steps }: Pick<DeclaredOwner, 'steps'>, name: string): readonly string[] {
  const step = steps[name]!
  if (typeof step === 'function') return ['runs its code']
  const lines = describeChanges(replayUntil(steps, name), step.change ?? [])
  return step.run === undefined ? lines : [...lines, lines.length === 0 ? 'runs its code' : 'then runs its code']
}
