// Serves requests until SIGTERM or SIGINT, then responds to the requests that clients have already sent, and exits.
// With several workers, this process starts and replaces them; each worker is a process that runs this command again.
// The command `dev` runs it in a process that it watches.

import cluster from 'node:cluster'
import { type Address, createReadiness, type ProbeChecks, type Unreadiness } from '#server'
import { prepareDemo } from '../demo/demo.ts'
import { developmentStopTime } from '../development/stop-time.ts'
import type { WatchedProcess } from '../development/watched-process.ts'
import { print, warn } from '../logging/standard-streams.ts'
import { serveMetrics } from '../metrics/serve-metrics.ts'
import { createWorkerMetrics } from '../metrics/worker-metrics.ts'
import { formatUrl } from '../processes/listen.ts'
import { startService } from '../processes/running-service.ts'
import { waitForStopSignal } from '../processes/stop-signal.ts'
import { runWorker } from '../processes/worker.ts'
import { formatFailures, type WorkerPool } from '../processes/worker-messages.ts'
import { runWorkers } from '../processes/workers.ts'
import type { PrepareOptions, Services } from '../services.ts'
import { checkPublicUrl, type ReadySettings } from '../settings/settings.ts'

export interface ServeOptions {
  readonly demo?: boolean
  /** Set if `dev` runs this process. */
  readonly watched?: WatchedProcess
  readonly confirm?: PrepareOptions['confirm']
}

export async function serve(services: Services, { demo = false, watched, confirm }: ServeOptions): Promise<void> {
  if (cluster.isWorker) return runWorker(services)
  const { settings } = services
  checkPublicUrl(settings)
  if (settings.production) await warnOfUnsafeSettings(settings)
  await services.prepare(watched && { mode: 'development', report: warn, confirm })
  const formatIntroduction = demo ? await prepareDemo(services) : undefined
  const announce = ({ port }: Address) => {
    const url = formatUrl(settings.host, port)
    if (formatIntroduction === undefined) warn(`Listening on ${url}`)
    else print(formatIntroduction(url))
  }
  if (watched !== undefined) await serveInOneProcess(limitStopTime(services), announce, watched)
  else if (settings.workers === 1) await serveInOneProcess(services, announce)
  else await serveInWorkers(services, announce)
}

async function warnOfUnsafeSettings(settings: ReadySettings): Promise<void> {
  const { listUnsafeSettings } = await import('../settings/deployment-checks.ts')
  for (const warning of listUnsafeSettings(settings)) warn(`warning: ${warning}`)
}

type Announce = (address: Address) => void

async function serveInOneProcess(services: Services, announce: Announce, watched?: WatchedProcess): Promise<void> {
  const running = await startService(services, { showCauses: watched !== undefined })
  const metrics = await serveMetrics(services.settings, running.observed)
  const stopped = watched?.stopped ?? waitForStopSignal()
  watched?.reportListening()
  announce(running.address)
  await stopped
  await running.stop()
  await metrics.close()
}

const limitStopTime = (services: Services): Services => ({
  ...services,
  settings: { ...services.settings, limits: { ...services.settings.limits, stopTime: developmentStopTime } },
})

async function serveInWorkers({ settings, compareMigrations }: Services, onListening: Announce): Promise<void> {
  const { workers: count, metricsPort, limits } = settings
  let [pool, listening]: [WorkerPool, number] = [{ wanted: count, failed: 0 }, 0]
  const checkDatabase = createReadiness(compareMigrations)
  const health: ProbeChecks = {
    ready: () => (listening === 0 ? noWorker : checkDatabase()),
    degraded: () => formatFailures(pool),
  }
  const metrics = metricsPort === null ? undefined : await createWorkerMetrics(() => pool)
  const server = await serveMetrics(settings, metrics && { read: metrics.read, health })
  const onFailure = (newPool: WorkerPool) => {
    pool = newPool
  }
  const onCount = (newCount: number) => {
    listening = newCount
  }
  try {
    await runWorkers({ count, stopTime: limits.stopTime, onListening, onFailure, onCount })
  } finally {
    await server.close()
  }
}

const noWorker: Unreadiness = { failed: 'workers', detail: 'No worker takes requests.' }
