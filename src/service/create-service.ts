// Assembles the HTTP service: the server, health checks and the APIs.

import type { FastifyInstance } from 'fastify'
import { type ApiOptions, createApi, jsonRenderer } from 'resource-api'
import type { Audit } from 'resource-api/accounts'
import { createApis, createSharedOptions } from './apis/apis.ts'
import { addHealth } from './health/health.ts'
import { createReadiness } from './health/readiness.ts'
import { createServer } from './http/server.ts'
import { addAccessLog } from './logging/access-log.ts'
import type { LogStream } from './logging/log-output.ts'
import type { Metrics } from './metrics/metrics.ts'
import { createPageRenderer } from './pages/pages.ts'
import type { WorkerPool } from './processes/worker-messages.ts'
import type { Services } from './services.ts'

/** Hooks and values that depend on the process in which the service runs. */
export interface ProcessOptions {
  /** Returns true once a signal has asked the process to stop. */
  readonly isStopping?: () => boolean
  /** Counts requests, refusals and audit events. */
  readonly metrics?: Metrics | undefined
  /** Returns the state of all workers; left out or undefined if this is the only process. */
  readonly workerPool?: (() => WorkerPool | undefined) | undefined
  /** The destination of the log; default: standard output. */
  readonly log?: LogStream
}

/** Creates the HTTP service. `close` of the Fastify instance leaves `services` open. */
export async function createService(
  services: Services,
  clock?: () => Date,
  { isStopping = () => false, metrics, log, workerPool }: ProcessOptions = {},
): Promise<FastifyInstance> {
  const app = createServer(services.settings, log)
  metrics?.countResponses(app)
  addHealth(app, createReadiness({ compareMigrations: services.compareMigrations, isStopping }), workerPool)
  const { audit, login } = services.accounts
  if (metrics) countAuditEvents(app, audit, metrics)
  const renderers = [jsonRenderer, createPageRenderer(services.settings, login)]
  const common = { ...createSharedOptions(services), renderers, ...(clock && { clock }) }
  const recordCaller = services.settings.accessLog ? addAccessLog(app) : undefined
  for (const { prefix, options } of createApis(services)) {
    const observe = callAll(audit.observe, recordCaller, metrics?.observe)
    await app.register(createApi({ ...common, observe, ...options }), { prefix })
  }
  return app
}

function countAuditEvents(app: FastifyInstance, audit: Audit, metrics: Metrics): void {
  const unsubscribe = audit.subscribe(metrics.audit)
  app.addHook('onClose', async () => unsubscribe())
}

type Observer = NonNullable<ApiOptions['observe']>

function callAll(...optionalObservers: readonly (Observer | undefined)[]): Observer {
  const observers = optionalObservers.filter(observer => observer !== undefined)
  if (observers.length === 1) return observers[0]!
  return observation => {
    for (const observe of observers) observe(observation)
  }
}
