// Answers requests until the process is told to stop; then what clients have sent is answered. With several workers each
// is a process that runs this command again, and this one looks after them.

import cluster from 'node:cluster'
import { prepareDemo } from '../demo/demo.ts'
import { print, warn } from '../logging/standard-streams.ts'
import { serveMetrics } from '../metrics/serve-metrics.ts'
import { passAcceptQueue } from '../processes/drain.ts'
import { type Address, startService, urlOf } from '../processes/running-service.ts'
import { stopSignal } from '../processes/stop-signal.ts'
import { work } from '../processes/worker.ts'
import { runWorkers } from '../processes/workers.ts'
import type { Parts } from '../services.ts'
import { unsafeSettings } from '../settings/deployment-checks.ts'

export interface ServeOptions {
  readonly demo?: boolean
}

export async function serve(parts: Parts, { demo = false }: ServeOptions): Promise<void> {
  if (cluster.isWorker) return work(parts)
  const { settings } = parts
  if (settings.production) for (const warning of unsafeSettings(settings)) warn(`warning: ${warning}`)
  await parts.prepare()
  const introduce = demo ? await prepareDemo(parts) : undefined
  const announce = ({ port }: Address) => {
    const url = urlOf(settings.host, port)
    if (introduce === undefined) warn(`Listening on ${url}`)
    else print(introduce(url))
  }
  if (settings.workers === 1) await serveAlone(parts, announce)
  else await serveTogether(parts, announce)
}

type Announce = (address: Address) => void

async function serveAlone(parts: Parts, announce: Announce): Promise<void> {
  const serving = await startService(parts)
  const metrics = await serveMetrics(parts.settings, serving.metrics)
  const asked = stopSignal()
  announce(serving.address)
  await asked
  await serving.stop(() => passAcceptQueue(serving.address))
  await metrics.close()
}

async function serveTogether({ settings }: Parts, onListening: Announce): Promise<void> {
  const metrics = await serveMetrics(settings)
  try {
    await runWorkers({ count: settings.workers, stopTime: settings.limits.stopTime, onListening })
  } finally {
    await metrics.close()
  }
}
