// The messages from the first process to its workers.

/** Tells a worker to answer what has been sent, and to end. */
export const stopMessage = 'stop'

/** The number of workers that there should be, and of those that are not replaced any more. */
export interface WorkerPool {
  readonly wanted: number
  readonly failed: number
}

/** Tells a worker how the pool stands. */
export interface PoolMessage {
  readonly workerPool: WorkerPool
}

export const isPoolMessage = (message: unknown): message is PoolMessage =>
  typeof message === 'object' && message !== null && 'workerPool' in message
