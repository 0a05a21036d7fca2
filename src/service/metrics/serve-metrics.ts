// The numbers over HTTP, on a port of their own that is not for clients: who reaches it is let in.

import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer } from '../../framework/http.ts'
import { CommandError } from '../commands/error-messages.ts'
import { warn } from '../logging/standard-streams.ts'
import { portTaken, urlOf } from '../processes/running-service.ts'
import type { Settings } from '../settings/settings.ts'
import type { Metrics } from './metrics.ts'

const path = '/metrics'
const contentType = 'text/plain; version=0.0.4; charset=utf-8'

export interface MetricsServer {
  close(): Promise<void>
}

/** Serves the numbers of this process or, where none are given, the sum of its workers' ones; nothing where no port is set. */
export async function serveMetrics(
  { metricsHost: host, metricsPort: port }: Pick<Settings, 'metricsHost' | 'metricsPort'>,
  metrics?: Pick<Metrics, 'read'>,
): Promise<MetricsServer> {
  if (port === null) return { close: async () => undefined }
  const server = createServer(answerWith(metrics?.read ?? (await readerOfWorkers())))
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    throw portTaken(error)
      ? new CommandError(`METRICS_PORT: ${port} is taken by another program; choose another`)
      : error
  }
  warn(`Metrics on ${urlOf(host, (server.address() as AddressInfo).port)}${path}`)
  return {
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function readerOfWorkers(): Promise<Metrics['read']> {
  const { ClusterRegistry } = await import('@prometheus-io/client')
  const registry = new ClusterRegistry()
  return () => registry.clusterMetrics()
}

const answerWith =
  (read: Metrics['read']): RequestListener =>
  async ({ method, url }, response) => {
    if (url?.split('?', 1)[0] !== path) return void response.writeHead(404).end()
    if (method !== 'GET' && method !== 'HEAD') return void response.writeHead(405, { allow: 'GET, HEAD' }).end()
    try {
      const text = await read()
      response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store' }).end(text)
    } catch {
      // A worker has died meanwhile, or is too busy to say.
      response.writeHead(503).end()
    }
  }
