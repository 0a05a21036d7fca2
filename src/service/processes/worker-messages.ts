// The messages from the first process to its workers.

/** Tells a worker to respond to the requests that have been sent, and to exit. */
export const stopMessage = 'stop'

/** The number of wanted workers, and of workers that have failed and are not replaced. */
export interface WorkerPool {
  readonly wanted: number
  readonly failed: number
}

/** Says how many workers have failed; undefined if none has. */
export const formatFailures = (pool: WorkerPool | undefined): string | undefined =>
  pool === undefined || pool.failed === 0
    ? undefined
    : `${pool.failed} of ${pool.wanted} workers failed and are not replaced.`

/** Tells a worker the state of the pool. */
export interface PoolMessage {
  readonly workerPool: WorkerPool
}

export const isPoolMessage = (message: unknown): message is PoolMessage =>
  typeof message === 'object' && message !== null && 'workerPool' in message
