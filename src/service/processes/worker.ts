// A worker process, which serves requests until the first process tells it to stop.

import type { Services } from '../services.ts'
import { startService } from './running-service.ts'
import { ignoreStopSignals } from './stop-signal.ts'
import { isPoolMessage, stopMessage, type WorkerPool } from './worker-messages.ts'

/**
 * Serves requests until the first process sends the stop message. If the first process dies, node:cluster ends this
 * process.
 */
export async function runWorker(services: Services): Promise<void> {
  ignoreStopSignals()
  const { promise: stopped, resolve } = Promise.withResolvers<void>()
  let pool: WorkerPool | undefined
  process.on('message', message => {
    if (message === stopMessage) resolve()
    if (isPoolMessage(message)) pool = message.workerPool
  })
  // The first process has checked its secret, but this process has read the settings again, and a config file may have
  // changed since.
  await services.accounts.secretRecord.claim()
  const running = await startService(services, { workerPool: () => pool })
  await stopped
  // The first process owns the accept queue, and emptied it before it sent the stop message.
  await running.stop({ waitForQueue: async () => undefined })
  // Only the IPC channel still keeps this process alive.
  process.channel?.unref()
}
