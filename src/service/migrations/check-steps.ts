// The command `migrations check`: whether the steps make the declared tables, and have one end. It needs no database.

import { describeChanges, findChanges, findEnds, formatQuestion, replaySteps } from '#core'
import { type DeclaredOwner, formatEnds } from './owners.ts'

/** Why the steps of an owner do not make the tables that it declares. */
export function listProblems({ owner, steps, state }: DeclaredOwner): readonly string[] {
  const ends = findEnds(steps)
  const from = replaySteps(steps)
  if (ends.length > 1) return [formatEnds(owner, ends)]
  if (state === undefined) return []
  const { changes, questions } = findChanges(from, state)
  const lines = [...questions.map(formatQuestion), ...describeChanges(from, changes)]
  if (lines.length === 0) return []
  const title = `${owner}: the declared tables are not those of the steps: run "resource-api migrations make"`
  return [[title, ...lines].join('\n  ')]
}
