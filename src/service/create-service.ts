// Assembles the HTTP service: the server, health checks and the APIs.

import type { FastifyInstance } from 'fastify'
import { createApi } from '#api'
import { accessLog, createReadiness, createTextLog, drain, health, type LogOutput, metrics } from '#server'
import { createApis, createSharedOptions } from './apis/apis.ts'
import { configureProfiles } from './apis/configure-profiles.ts'
import { addProfileMetrics, countAuditEvents } from './metrics/service-metrics.ts'
import { formatFailures, type WorkerPool } from './processes/worker-messages.ts'
import { createServer } from './server.ts'
import type { Services } from './services.ts'
import { checkPublicUrl } from './settings/settings.ts'

/** Hooks and values that depend on the process in which the service runs. */
export interface ProcessOptions {
  /** Returns the state of all workers; left out or undefined if this is the only process. */
  readonly workerPool?: (() => WorkerPool | undefined) | undefined
  /** The destination of the log, which is written in the format of the settings; default: standard output. */
  readonly log?: LogOutput
  /** Whether the response to an unhandled exception contains its cause; ignored in production. Default false. */
  readonly showCauses?: boolean
}

/**
 * Creates the HTTP service. `close` of the Fastify instance leaves `services` open. Rejects with SettingsError if a setting for links is
 * missing.
 */
export async function createService(
  services: Services,
  clock?: () => Date,
  options?: ProcessOptions,
): Promise<FastifyInstance> {
  checkPublicUrl(services.settings)
  return assembleService(services, clock, options)
}

/** The same for commands that only read what is declared. */
export async function assembleService(
  services: Services,
  clock?: () => Date,
  { log: output, workerPool, showCauses = false }: ProcessOptions = {},
): Promise<FastifyInstance> {
  const { settings } = services
  const log = settings.logFormat === 'text' ? createTextLog(output) : output
  const app = createServer(settings, log)
  app.register(drain, { seconds: settings.limits.stopTime })
  app.register(health, {
    ready: createReadiness(services.compareMigrations),
    degraded: () => formatFailures(workerPool?.()),
  })
  if (settings.accessLog) app.register(accessLog)
  if (settings.metricsPort !== null) await addMetrics(app, services, log)
  const { audit, auditLog } = services.accounts
  const shared = { ...createSharedOptions(services), ...(clock && { clock }) }
  const common = {
    ...shared,
    showCauses: showCauses && !settings.production,
    observe: audit.observe,
    ...(auditLog && { recordChanges: auditLog.recordChanges }),
  }
  const errorHandlers = new Map<string, FastifyInstance['errorHandler']>()
  for (const { prefix, options } of createApis(services)) {
    const api = createApi({ ...common, ...options })
    await app.register(
      async scope => {
        await api(scope, {})
        errorHandlers.set(prefix, scope.errorHandler)
      },
      { prefix },
    )
  }
  await configureProfiles(app, services, { shared, errorHandlers })
  return app
}

async function addMetrics(app: FastifyInstance, services: Services, log: LogOutput | undefined): Promise<void> {
  const { database, profiles, accounts } = services
  await app.register(metrics, { database, ...(log && { log }) })
  addProfileMetrics(app.metrics, profiles)
  const unsubscribe = accounts.audit.subscribe(countAuditEvents(app.metrics))
  app.addHook('onClose', async () => unsubscribe())
}
