// The numbers of a service with workers: the sum of the workers' numbers, and those of the workers themselves.

import cluster from 'node:cluster'
import { ClusterRegistry, Gauge, Registry } from '@prometheus-io/client'
import type { WorkerPool } from '../processes/worker-messages.ts'

export interface WorkerMetrics {
  /** In Prometheus' text format; rejects if a worker does not send its numbers. */
  read(): Promise<string>
  /** Call it whenever a worker will not be replaced any more. */
  setPool(pool: WorkerPool): void
}

/** For the first process; `wanted` is the number of workers. */
export function createWorkerMetrics(wanted: number): WorkerMetrics {
  const [workers, own] = [new ClusterRegistry(), new Registry()]
  let pool: WorkerPool = { wanted, failed: 0 }
  new Gauge({
    name: 'service_workers',
    help: 'Workers by state: wanted, connected to the first process, or failed and not replaced',
    labelNames: ['state'],
    registers: [own],
    collect() {
      const connected = Object.values(cluster.workers ?? {}).filter(worker => worker?.isConnected()).length
      for (const [state, value] of Object.entries({ ...pool, connected })) this.set({ state }, value)
    },
  })
  return {
    read: async () => `${(await workers.clusterMetrics()).trimEnd()}\n${await own.metrics()}`,
    setPool(changed) {
      pool = changed
    },
  }
}
