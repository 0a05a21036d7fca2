import { followResources } from '#core'
import { warn } from '../logging/standard-streams.ts'
import { readOwners } from '../migrations/owners.ts'
import { findRollingProblems } from '../migrations/plan.ts'
import { CommandError } from '../processes/error-messages.ts'
import type { Services } from '../services.ts'

export interface MigrateCommandOptions {
  /** Applied steps, as `owner/step`, that have changed and still do the same. */
  readonly accept?: readonly string[]
  /** The last step to apply, as `owner/step`. */
  readonly to?: string
  /** True: refuses steps with which programs from before and after them cannot run beside each other. */
  readonly rolling?: boolean
}

/** Applies missing migrations, and prints their names: one line per owner. */
export async function migrateDatabase(services: Services, options: MigrateCommandOptions): Promise<void> {
  const { accept = [], to, rolling = false } = options
  if (rolling) await refuseBreaks(services)
  const sentences = accept.map(step => `Accepted ${step}.`)
  await services.migrate({ accept, to, report: sentence => void sentences.push(sentence), progress: warn })
  // An earlier step may come before the tables of feeds.
  if (to === undefined)
    await followResources(
      services.database,
      services.profiles.flatMap(({ resources }) => resources),
    )
  warn(sentences.length === 0 ? 'The database is up to date.' : sentences.join('\n'))
}

async function refuseBreaks({ owners, inspectMigrations }: Services): Promise<void> {
  const { missing } = await inspectMigrations()
  const declared = await readOwners(owners)
  const own = missing.filter(({ owner }) => declared.some(other => other.owner === owner))
  const problems = findRollingProblems(declared, own)
  if (problems.length > 0) throw new CommandError(`nothing was applied:\n${problems.join('\n')}`)
}
