// The messages from the first process to its workers.

/** Tells a worker to respond to the requests that have been sent, and to exit. */
export const stopMessage = 'stop'

/** The number of wanted workers, and of workers that have failed and are not replaced. */
export interface WorkerPool {
  readonly wanted: number
  readonly failed: number
}

/** Tells a worker the state of the pool. */
export interface PoolMessage {
  readonly workerPool: WorkerPool
}

export const isPoolMessage = (message: unknown): message is PoolMessage =>
  typeof message === 'object' && message !== null && 'workerPool' in message
