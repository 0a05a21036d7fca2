// One process that serves requests, from the start of the server until the last response.

import { type Address, createLogOutput, type DrainOptions, type MetricsRegistry, type ProbeChecks } from '#server'
import { createService, type ProcessOptions } from '../create-service.ts'
import type { Services } from '../services.ts'
import { createServiceJobs } from './job-runner.ts'
import { listenOrExplain } from './listen.ts'
import { exitAfter } from './stop-signal.ts'

/** What the port of the metrics shows. */
export interface Observed {
  readonly read: MetricsRegistry['read']
  readonly health: ProbeChecks
}

export interface RunningService {
  readonly address: Address
  /** Undefined unless metrics are served. */
  readonly observed: Observed | undefined
  /**
   * Responds to the requests that clients have sent, and closes the server. The process exits within a bounded time.
   */
  stop(options?: DrainOptions): Promise<void>
}

/** Seconds for storing events and closing database connections after the last response; then the process exits. */
export const closingTime = 5

/** Creates the service and listens. Throws CommandError if the port is in use. */
export async function startService(
  services: Services,
  options?: Pick<ProcessOptions, 'workerPool' | 'showCauses'>,
): Promise<RunningService> {
  const { settings } = services
  const app = await createService(services, undefined, { ...options, log: createLogOutput() })
  const address = await listenOrExplain(
    app,
    settings,
    port => `PORT: ${port} is in use by another program; choose another with --port`,
  )
  const { jobs: concurrency, stopTime } = settings.limits
  const jobs = concurrency === 0 ? undefined : createServiceJobs(services, app, { concurrency })
  jobs?.start()
  return {
    address,
    observed: settings.metricsPort === null ? undefined : { read: app.metrics.read, health: app.health },
    async stop(options) {
      exitAfter(stopTime + closingTime)
      await Promise.all([jobs?.stop(stopTime), app.drain(options)])
    },
  }
}
