// The command `migrations baseline`: records steps for a database whose tables exist already.

import { type Database, type OwnedMigrations, recordBaseline } from '#core'
import { CommandError } from '../processes/error-messages.ts'
import { findOwner, readOwners } from './owners.ts'

/** Returns what was recorded. Throws CommandError with the differences if the tables are not those of the steps. */
export async function recordSteps(
  database: Database,
  owners: readonly OwnedMigrations[],
  target: string,
): Promise<readonly string[]> {
  const [name = '', step = ''] = target.split('/')
  const owner = findOwner(await readOwners(owners), name)
  if (!Object.hasOwn(owner.steps, step)) throw new CommandError(`"${name}" has no step "${step}"`)
  const { differences, recorded } = await recordBaseline(database, owner, step)
  if (differences.length > 0)
    throw new CommandError(
      `the tables are not those that the steps make, so nothing was recorded:\n  ${differences.join('\n  ')}`,
    )
  return recorded.length === 0
    ? ['The database has applied these steps already.']
    : recorded.map(each => `Recorded ${name}: ${each}.`)
}
