// The metrics of a service with several workers: the sums over all workers, and the number of workers by state.

import cluster from 'node:cluster'
import { checkMetricsClient } from '#server'
import type { WorkerPool } from '../processes/worker-messages.ts'

export interface WorkerMetrics {
  /** Returns the metrics in the Prometheus text format; rejects if a worker does not send its metrics. */
  read(): Promise<string>
}

/** Creates the metrics of the first process. */
export async function createWorkerMetrics(getPool: () => WorkerPool): Promise<WorkerMetrics> {
  await checkMetricsClient()
  const { ClusterRegistry, Gauge, Registry } = await import('@prometheus-io/client')
  const [workerRegistry, registry] = [new ClusterRegistry(), new Registry()]
  new Gauge({
    name: 'service_workers',
    help: 'Workers by state: wanted, connected to the first process, or failed and not replaced',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const connected = Object.values(cluster.workers ?? {}).filter(worker => worker?.isConnected()).length
      for (const [state, value] of Object.entries({ ...getPool(), connected })) this.set({ state }, value)
    },
  })
  return {
    read: async () => `${(await workerRegistry.clusterMetrics()).trimEnd()}\n${await registry.metrics()}`,
  }
}
