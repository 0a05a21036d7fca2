// Serves the metrics on a separate port, without authentication. The limits and host checks of the service apply.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { allMethods, createBaseUrl, declareMethods } from 'resource-api/extend'
import { formatUrl, listen } from '../http/listen.ts'
import { createServer } from '../http/server.ts'
import { warn } from '../logging/standard-streams.ts'
import type { Settings } from '../settings/settings.ts'
import type { Metrics } from './metrics.ts'

const path = '/metrics'
const contentType = 'text/plain; version=0.0.4; charset=utf-8'

export interface MetricsServer {
  close(): Promise<void>
}

/** Serves the metrics if `metricsPort` is set. Throws CommandError if the port is in use. */
export async function serveMetrics(
  settings: Settings,
  metrics: Pick<Metrics, 'read'> | undefined,
): Promise<MetricsServer> {
  const { metricsHost: host, metricsPort: port } = settings
  if (port === null || metrics === undefined) return { close: async () => undefined }
  const app = createMetricsServer(settings, metrics.read)
  const address = await listen(
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

function createMetricsServer(settings: Settings, read: Metrics['read']) {
  const cors = { ...settings.cors, origins: [] }
  // Requests to this port are not logged.
  const app = createServer({ ...settings, cors, publicUrl: undefined, trustedProxies: [], logLevel: 'silent' })
  const checkHost = createBaseUrl({ allowedHosts: [...settings.allowedHosts, settings.metricsHost], prefix: '' })
  declareMethods(app)
  app.addHook('onRequest', (request, reply, done) => {
    try {
      checkHost(request)
    } catch {
      return void reply.code(400).send({ detail: 'Invalid host.' })
    }
    done()
  })
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ detail: 'Not found.' }))
  app.route({
    method: allMethods,
    url: path,
    exposeHeadRoute: false,
    // This hook responds before Fastify reads a body.
    onRequest: (request, reply) => void respond(request, reply, read),
    handler: () => undefined,
  })
  return app
}

async function respond({ method }: FastifyRequest, reply: FastifyReply, read: Metrics['read']): Promise<void> {
  reply.header('cache-control', 'no-store')
  if (method !== 'GET' && method !== 'HEAD') return void reply.code(405).header('allow', 'GET, HEAD').send()
  try {
    void reply.type(contentType).send(await read())
  } catch {
    // A worker has exited meanwhile, or is too busy to send its metrics.
    void reply.removeHeader('content-type').code(503).send()
  }
}
