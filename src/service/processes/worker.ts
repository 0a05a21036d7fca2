// A worker: the same service, which the first process tells when to stop.

import type { Services } from '../services.ts'
import { startService } from './running-service.ts'
import { leaveSignalsToParent } from './stop-signal.ts'
import { isPoolMessage, stopMessage, type WorkerPool } from './worker-messages.ts'

/** Answers requests until the first process says so, or is there no longer (node:cluster ends the process then). */
export async function work(services: Services): Promise<void> {
  leaveSignalsToParent()
  const { promise: told, resolve } = Promise.withResolvers<void>()
  let pool: WorkerPool | undefined
  process.on('message', message => {
    if (message === stopMessage) resolve()
    if (isPoolMessage(message)) pool = message.workerPool
  })
  // The first process has checked the secret, but a config file may have changed since.
  await services.secretRecord.claim()
  const serving = await startService(services, { workerPool: () => pool })
  await told
  // The queue of connections is the first process's; it has emptied it before it said so.
  await serving.stop(async () => undefined)
  // Nothing but the channel to the first process keeps this one alive.
  process.channel?.unref()
}
