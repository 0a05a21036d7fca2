// The service: HTTP over its services.

import type { FastifyInstance } from 'fastify'
import { type ApiOptions, createApi } from '../framework/api.ts'
import { jsonRenderer } from '../framework/renderers/json.ts'
import { apisOf, sharedOptions } from './apis/apis.ts'
import { authenticationOf } from './apis/authentication.ts'
import { auditAnswers, createAudit } from './audit/audit.ts'
import { addHealth } from './health/health.ts'
import { createReadiness } from './health/readiness.ts'
import { createServer } from './http/server.ts'
import { addAccessLog } from './logging/access-log.ts'
import type { LogStream } from './logging/log-output.ts'
import type { Metrics } from './metrics/metrics.ts'
import { pagesOf } from './pages/pages.ts'
import type { WorkerPool } from './processes/worker-messages.ts'
import type { Services } from './services.ts'

/** State of the process that the service runs in. */
export interface ProcessOptions {
  /** Has a signal asked the process to stop? */
  readonly isStopping?: () => boolean
  /** Counts what the service does. */
  readonly metrics?: Metrics | undefined
  /** The state of all workers, if this process is one of several. */
  readonly workerPool?: (() => WorkerPool | undefined) | undefined
  /** Where the log goes; default standard output. */
  readonly log?: LogStream
}

/** The HTTP service over the services; `close` of the application leaves the services open. */
export async function createService(
  services: Services,
  clock?: () => Date,
  { isStopping = () => false, metrics, log, workerPool }: ProcessOptions = {},
): Promise<FastifyInstance> {
  const app = createServer(services.settings, log)
  metrics?.follow(app)
  addHealth(app, createReadiness({ compareMigrations: services.compareMigrations, isStopping }), workerPool)
  const audit = createAudit(app.log, services.settings.onAudit, services.auditLog?.note, metrics?.audit)
  const authentication = authenticationOf(services, audit)
  const renderers = [jsonRenderer, pagesOf(services.settings, authentication)]
  const common = { ...sharedOptions(services), ...authentication.options, renderers, ...(clock && { clock }) }
  const noteCaller = services.settings.accessLog ? addAccessLog(app) : undefined
  for (const { prefix, options } of apisOf(services, authentication.views, audit)) {
    const observe = tellAll(auditAnswers(audit), noteCaller, metrics?.observe)
    await app.register(createApi({ ...common, observe, ...options }), { prefix })
  }
  return app
}

type Observer = NonNullable<ApiOptions['observe']>

function tellAll(...observers: readonly (Observer | undefined)[]): Observer {
  const told = observers.filter(observer => observer !== undefined)
  if (told.length === 1) return told[0]!
  return observation => {
    for (const tell of told) tell(observation)
  }
}
