// One process that serves requests, from the start of the server until the last response.

import { createService, type ProcessOptions } from '../create-service.ts'
import { type Address, listen } from '../http/listen.ts'
import { createLogOutput } from '../logging/log-output.ts'
import type { Metrics, MetricsSources } from '../metrics/metrics.ts'
import type { Services } from '../services.ts'
import { createDrain, type DrainOptions } from './drain.ts'
import { exitAfter } from './stop-signal.ts'

export interface RunningService {
  readonly address: Address
  /** Undefined unless metrics are served. */
  readonly metrics: Metrics | undefined
  /**
   * Responds to the requests that clients have sent, and closes the server. The process exits within a bounded time.
   */
  stop(waitForQueue: DrainOptions['waitForQueue']): Promise<void>
}

/** Seconds for storing events and closing database connections after the last response; then the process exits. */
export const closingTime = 5

/** Creates the service and listens. Throws CommandError if the port is in use. */
export async function startService(
  services: Services,
  workers?: Pick<ProcessOptions, 'workerPool'>,
): Promise<RunningService> {
  const { settings } = services
  let isStopping = false
  const log = createLogOutput()
  const metrics = settings.metricsPort === null ? undefined : await loadMetrics({ ...services, log })
  const app = await createService(services, undefined, { ...workers, isStopping: () => isStopping, metrics, log })
  const drain = createDrain(app.server)
  return {
    address: await listen(
      app,
      settings,
      port => `PORT: ${port} is in use by another program; choose another with --port`,
    ),
    metrics,
    async stop(waitForQueue) {
      isStopping = true
      const { stopTime: seconds } = settings.limits
      exitAfter(seconds + closingTime)
      await drain({ seconds, waitForQueue })
      await app.close()
    },
  }
}

// The metrics library is loaded only if metrics are served.
async function loadMetrics(sources: MetricsSources): Promise<Metrics> {
  const { createMetrics } = await import('../metrics/metrics.ts')
  return createMetrics(sources)
}
