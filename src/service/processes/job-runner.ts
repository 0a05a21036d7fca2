// Runs the jobs of the profiles and of the accounts in this process.

import type { FastifyInstance } from 'fastify'
import { anonymous, createContext, ignorePermissions } from '#core'
import { createJobRunner, type JobRunner, type JobRunnerOptions } from '#jobs'
import type { Services } from '../services.ts'

/** Creates the runner; undefined if there are no jobs. The server must be ready. A job acts as the system: permissions and row filters do not apply. */
export function createServiceJobs(
  { database, profiles, clock, accounts }: Pick<Services, 'database' | 'profiles' | 'clock' | 'accounts'>,
  app: FastifyInstance,
  options: Pick<JobRunnerOptions, 'concurrency' | 'onError'> = {},
): JobRunner | undefined {
  // The accounts have no API of their own.
  const ofAccounts = { name: profiles[0]?.name ?? '/', jobs: accounts.jobs }
  const profileOf = new Map(
    [...profiles, ofAccounts].flatMap(({ name, jobs }) => jobs.map(job => [job, name] as const)),
  )
  if (profileOf.size === 0) return undefined
  return createJobRunner({
    onError: error => app.log.error(error),
    ...options,
    database,
    clock,
    jobs: [...profileOf.keys()],
    createContext: job => ({
      ...ignorePermissions(createContext(app, { user: anonymous, api: profileOf.get(job)! })),
      findUser: accounts.users.findById,
    }),
  })
}
