// Answers requests until a signal asks the process to stop; then it answers the requests that clients have sent. Each of
// several workers is a process that runs this command again; this process starts and replaces them.

import cluster from 'node:cluster'
import { prepareDemo } from '../demo/demo.ts'
import { type Address, urlOf } from '../http/listen.ts'
import { print, warn } from '../logging/standard-streams.ts'
import { serveMetrics } from '../metrics/serve-metrics.ts'
import type { WorkerMetrics } from '../metrics/worker-metrics.ts'
import { passAcceptQueue } from '../processes/drain.ts'
import { startService } from '../processes/running-service.ts'
import { stopSignal } from '../processes/stop-signal.ts'
import { work } from '../processes/worker.ts'
import type { WorkerPool } from '../processes/worker-messages.ts'
import { runWorkers } from '../processes/workers.ts'
import type { Services } from '../services.ts'
import { unsafeSettings } from '../settings/deployment-checks.ts'

export interface ServeOptions {
  readonly demo?: boolean
}

export async function serve(services: Services, { demo = false }: ServeOptions): Promise<void> {
  if (cluster.isWorker) return work(services)
  const { settings } = services
  if (settings.production) for (const warning of unsafeSettings(settings)) warn(`warning: ${warning}`)
  await services.prepare()
  const introduce = demo ? await prepareDemo(services) : undefined
  const announce = ({ port }: Address) => {
    const url = urlOf(settings.host, port)
    if (introduce === undefined) warn(`Listening on ${url}`)
    else print(introduce(url))
  }
  if (settings.workers === 1) await serveAlone(services, announce)
  else await serveTogether(services, announce)
}

type Announce = (address: Address) => void

async function serveAlone(services: Services, announce: Announce): Promise<void> {
  const serving = await startService(services)
  const metrics = await serveMetrics(services.settings, serving.metrics)
  const asked = stopSignal()
  announce(serving.address)
  await asked
  await serving.stop(() => passAcceptQueue(serving.address))
  await metrics.close()
}

async function serveTogether({ settings }: Services, onListening: Announce): Promise<void> {
  const { workers: count, metricsPort, limits } = settings
  const metrics = metricsPort === null ? undefined : await makeWorkerMetrics(count)
  const server = await serveMetrics(settings, metrics)
  const onFailure = (pool: WorkerPool) => metrics?.setPool(pool)
  try {
    await runWorkers({ count, stopTime: limits.stopTime, onListening, onFailure })
  } finally {
    await server.close()
  }
}

// The library is loaded only if something is counted.
async function makeWorkerMetrics(count: number): Promise<WorkerMetrics> {
  const { createWorkerMetrics } = await import('../metrics/worker-metrics.ts')
  return createWorkerMetrics(count)
}
