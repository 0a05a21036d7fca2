// The HTTP server of the service: the plugins of resource-api/server, with the settings as their options.

import Fastify, { type FastifyInstance } from 'fastify'
import {
  cors,
  headerFields,
  type LogStream,
  overloadGuard,
  requestIds,
  serverOptions,
  stalledConnections,
} from '#server'
import { headerSettings } from './settings/header-settings.ts'
import type { Settings } from './settings/settings.ts'

/** The settings that the server needs. */
export type ServerSettings = Pick<Settings, 'trustedProxies' | 'logLevel' | 'limits' | 'headers' | 'publicUrl' | 'cors'>

/**
 * Creates a Fastify server with the trusted proxies, timeouts and limits of the settings. Every response has the fixed
 * headers and the request id. `log` is the destination of the log; default: standard output.
 */
export function createServer(settings: ServerSettings, log?: LogStream): FastifyInstance {
  const { trustedProxies, logLevel } = settings
  const { headerSize, requestTime, idleTime, connections, stallTime, overloadDelay } = settings.limits
  const limits = { headerSize, requestTime, idleTime, connections }
  const app = Fastify(serverOptions({ limits, trustedProxies, logLevel, ...(log && { log }) }))
  app.register(headerFields, { headers: headerSettings(settings) })
  app.register(requestIds, { trustedProxies })
  app.register(cors, settings.cors)
  app.register(overloadGuard, { delay: overloadDelay })
  app.register(stalledConnections, { seconds: stallTime })
  return app
}
