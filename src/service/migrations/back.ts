// The command `migrations back`: takes back the steps after another one.

import { type BackOptions, type Database, goBack, type OwnedMigrations } from '#core'
import { readAnswers } from './answer-flags.ts'
import { findOwner, readOwners } from './owners.ts'

export interface BackCommandOptions extends Pick<BackOptions, 'report'> {
  readonly loseData?: boolean
  readonly fill?: readonly string[]
}

/** `target`: the step after which the others are taken back, as `owner/step`; or an owner, whose steps are all taken back. */
export async function takeBack(
  database: Database,
  owners: readonly OwnedMigrations[],
  target: string,
  { loseData, fill, report }: BackCommandOptions,
): Promise<void> {
  const [name = '', step] = target.split('/')
  const owner = findOwner(await readOwners(owners), name)
  const { fills } = readAnswers([owner], { ...(fill && { fill }) }).get(owner)!
  const names = await goBack(database, owner, step, { losesData: loseData ?? false, fills, ...(report && { report }) })
  if (names.length === 0) report?.(`Nothing to take back: no step of ${name} was applied after ${step}.`)
}
