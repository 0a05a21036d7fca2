// One process that answers requests: from listening to the last answer.

import { lookup } from 'node:dns/promises'
import type { FastifyInstance } from 'fastify'
import { CommandError } from '../commands/error-messages.ts'
import { createService } from '../create-service.ts'
import { createLogOutput } from '../logging/log-output.ts'
import type { Metrics, MetricsSources } from '../metrics/metrics.ts'
import type { Parts } from '../services.ts'
import { createDrain, type DrainOptions } from './drain.ts'
import { endWithin } from './stop-signal.ts'

/** Where a process listens. */
export interface Address {
  readonly host: string
  readonly port: number
}

export interface RunningService {
  readonly address: Address
  /** Where something is counted. */
  readonly metrics: Metrics | undefined
  /** Answers what clients have sent, and closes the server. From now on the process has a bound on its life. */
  stop(passQueue: DrainOptions['passQueue']): Promise<void>
}

/** What may come after the last answer, in seconds: events are written, connections to the database closed. */
export const closingTime = 5

/** Makes the service and listens. Throws CommandError where the port is taken. */
export async function startService(parts: Parts): Promise<RunningService> {
  const { settings } = parts
  let isStopping = false
  const log = createLogOutput()
  const metrics = settings.metricsPort === null ? undefined : await makeMetrics({ ...parts, log })
  const app = await createService(parts, undefined, { isStopping: () => isStopping, metrics, log })
  const drain = createDrain(app.server)
  return {
    address: await listen(app, settings),
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

/** As a URL, with the name that was asked for. */
export const urlOf = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`

// Not counted, nothing of it is loaded.
async function makeMetrics(sources: MetricsSources): Promise<Metrics> {
  const { createMetrics } = await import('../metrics/metrics.ts')
  return createMetrics(sources)
}

// One address, also of a name that has several: for the others Fastify would open servers without the limits of this one.
async function listen(app: FastifyInstance, { host: name, port }: Address): Promise<Address> {
  const { address: host } = await lookup(name, { order: 'ipv4first' })
  try {
    await app.listen({ host, port })
  } catch (error) {
    throw portTaken(error)
      ? new CommandError(`PORT: ${port} is taken by another program; choose another with --port`)
      : error
  }
  return { host, port: (app.server.address() as { port: number }).port }
}

/** Is this why a server does not listen? */
export const portTaken = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
