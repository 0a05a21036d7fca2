// Runs jobs until a stop signal, without serving requests.

import { integer } from '#core'
import { createLogOutput } from '#server'
import { createService } from '../create-service.ts'
import { warn } from '../logging/standard-streams.ts'
import { CommandError } from '../processes/error-messages.ts'
import { createServiceJobs } from '../processes/job-runner.ts'
import { closingTime } from '../processes/running-service.ts'
import { exitAfter, waitForStopSignal } from '../processes/stop-signal.ts'
import type { Services } from '../services.ts'
import { checkPublicUrl } from '../settings/settings.ts'
import { readArgument } from './read-argument.ts'

export async function runJobs(services: Services, { concurrency }: { readonly concurrency?: string }): Promise<void> {
  checkPublicUrl(services.settings)
  await services.prepare()
  const app = await createService(services, undefined, { log: createLogOutput() })
  await app.ready()
  const { jobs, stopTime } = services.settings.limits
  const count =
    concurrency === undefined
      ? Math.max(jobs, 1)
      : await readArgument(integer({ min: 1 }), concurrency, '--concurrency')
  const runner = createServiceJobs(services, app, { concurrency: count })
  if (runner === undefined) throw new CommandError('no profile has jobs: name them in "jobs" of a profile')
  runner.start()
  warn(`Running jobs, ${count} at a time`)
  await waitForStopSignal()
  exitAfter(stopTime + closingTime)
  await runner.stop(stopTime)
  await app.close()
}
