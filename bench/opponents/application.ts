// The Fastify application of hand-written handlers, with the limits of the service.

import Fastify, { type FastifyInstance, LogController } from 'fastify'
import { bodyLimit, createIds, serverOptions } from './responses.ts'

export function createApplication(): FastifyInstance {
  const { requestTimeout, keepAliveTimeout, ...http } = serverOptions
  return Fastify({
    logger: { level: 'silent' },
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: createIds(),
    requestTimeout,
    keepAliveTimeout,
    bodyLimit,
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    http,
  })
}
