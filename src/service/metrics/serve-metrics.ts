// Serves the metrics and the health probes on a separate port, without authentication. The limits and host checks of the
// service apply. Connections to this port do not wait behind those of the service's clients.

import { health, metricsEndpoint } from '#server'
import { warn } from '../logging/standard-streams.ts'
import { formatUrl, listenOrExplain } from '../processes/listen.ts'
import type { Observed } from '../processes/running-service.ts'
import { createServer } from '../server.ts'
import type { Settings } from '../settings/settings.ts'

const path = '/metrics'

export interface MetricsServer {
  close(): Promise<void>
}

/** Serves the metrics and the probes if `metricsPort` is set. Throws CommandError if the port is in use. */
export async function serveMetrics(settings: Settings, observed: Observed | undefined): Promise<MetricsServer> {
  const { metricsHost: host, metricsPort: port } = settings
  if (port === null || observed === undefined) return { close: async () => undefined }
  const app = createMetricsServer(settings, observed)
  const address = await listenOrExplain(
    app,
    { host, port },
    () => `METRICS_PORT: ${port} is in use by another program; choose another`,
  )
  warn(`Metrics on ${formatUrl(host, address.port)}${path}`)
  return {
    async close() {
      app.server.closeAllConnections()
      await app.close()
    },
  }
}

function createMetricsServer(settings: Settings, { read, health: checks }: Observed) {
  const cors = { ...settings.cors, origins: [] }
  // Requests to this port are not logged.
  const app = createServer({ ...settings, cors, publicUrl: undefined, trustedProxies: [], logLevel: 'silent' })
  app.register(health, checks)
  app.register(metricsEndpoint, { path, read, allowedHosts: [...settings.allowedHosts, settings.metricsHost] })
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ detail: 'Not found.' }))
  return app
}
