// One process that answers requests: from listening to the last answer.

import { createService, type ProcessOptions } from '../create-service.ts'
import { type Address, listen } from '../http/listen.ts'
import { createLogOutput } from '../logging/log-output.ts'
import type { Metrics, MetricsSources } from '../metrics/metrics.ts'
import type { Services } from '../services.ts'
import { createDrain, type DrainOptions } from './drain.ts'
import { endWithin } from './stop-signal.ts'

export interface RunningService {
  readonly address: Address
  /** Undefined unless metrics are served. */
  readonly metrics: Metrics | undefined
  /** Answers what clients have sent, and closes the server. From now on the process has a bound on its life. */
  stop(passQueue: DrainOptions['passQueue']): Promise<void>
}

/** Seconds between the last response and the end: events are stored, and database connections are closed. */
export const closingTime = 5

/** Makes the service and listens. Throws CommandError where the port is taken. */
export async function startService(
  services: Services,
  workers?: Pick<ProcessOptions, 'workerPool'>,
): Promise<RunningService> {
  const { settings } = services
  let isStopping = false
  const log = createLogOutput()
  const metrics = settings.metricsPort === null ? undefined : await makeMetrics({ ...services, log })
  const app = await createService(services, undefined, { ...workers, isStopping: () => isStopping, metrics, log })
  const drain = createDrain(app.server)
  return {
    address: await listen(
      app,
      settings,
      port => `PORT: ${port} is taken by another program; choose another with --port`,
    ),
    metrics,
    async stop(passQueue) {
      isStopping = true
      const { stopTime: seconds } = settings.limits
      endWithin(seconds + closingTime)
      await drain({ seconds, passQueue })
      await app.close()
    },
  }
}

// The library is loaded only if metrics are served.
async function makeMetrics(sources: MetricsSources): Promise<Metrics> {
  const { createMetrics } = await import('../metrics/metrics.ts')
  return createMetrics(sources)
}
