// The service: HTTP over its parts.

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
import type { Parts } from './services.ts'

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

/** The HTTP service over the parts; `close` of the application leaves the parts open. */
export async function createService(
  parts: Parts,
  clock?: () => Date,
  { isStopping = () => false, metrics, log, workerPool }: ProcessOptions = {},
): Promise<FastifyInstance> {
  const app = createServer(parts.settings, log)
  metrics?.follow(app)
  addHealth(app, createReadiness({ compareMigrations: parts.compareMigrations, isStopping }), workerPool)
  const audit = createAudit(app.log, parts.settings.onAudit, parts.auditLog?.note, metrics?.audit)
  const authentication = authenticationOf(parts, audit)
  const renderers = [jsonRenderer, pagesOf(parts.settings, authentication)]
  const common = { ...sharedOptions(parts), ...authentication.options, renderers, ...(clock && { clock }) }
  const noteCaller = parts.settings.accessLog ? addAccessLog(app) : undefined
  for (const { prefix, options } of apisOf(parts, authentication.views, audit)) {
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
