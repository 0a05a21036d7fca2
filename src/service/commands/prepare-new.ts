// Commands about rows make the tables of a new database, and change no tables of another one.

import type { OwnedStepNames } from '#core'
import { formatSteps } from '../migrations/format-steps.ts'
import { CommandError } from '../processes/error-messages.ts'
import type { Services } from '../services.ts'

/**
 * Makes the tables if the database has none; `prepare` also checks the secret. Rejects with CommandError if the database lacks later steps:
 * only `migrate`, `serve` and `dev` apply those.
 */
export async function prepareNew(services: Services, method: 'prepare' | 'migrate' = 'prepare'): Promise<void> {
  const { missing } = await services.compareMigrations()
  if (missing.length > 0 && !missing.some(isFirstOfAccounts))
    throw new CommandError(`DATABASE_URL: the database lacks ${formatSteps(missing)}: run "resource-api migrate"`)
  await services[method]()
}

/** Every service has accounts, so a database without their first step is new. */
const isFirstOfAccounts = ({ owner, steps }: OwnedStepNames): boolean =>
  owner === 'accounts' && steps.some(step => step.startsWith('0001'))
