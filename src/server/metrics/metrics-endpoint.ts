// Serves the metrics without authentication, so it belongs on a port of its own, or behind a host check.

import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { allMethods, createBaseUrl, declareMethods, type PathItem } from '#core'
import { describeRoute } from '#openapi'
import { anyFunction, list, urlPath } from '../options.ts'
import { definePlugin } from '../plugin.ts'

const contentType = 'text/plain; version=0.0.4; charset=utf-8'

const schema = z.strictObject({
  /** Returns the metrics; default: those of the plugin `metrics` in this application. */
  read: anyFunction<() => Promise<string>>().optional(),
  path: urlPath.default('/metrics'),
  /** The hosts that the `Host` header of a request may name; default: those of this machine. */
  allowedHosts: list(z.string()).optional(),
})

type Read = () => Promise<string>

/**
 * Adds a route that returns the metrics in the Prometheus text format.
 *
 * @example
 * const internal = Fastify(serverOptions())
 * internal.register(metricsEndpoint, { read: app.metrics.read })
 * await listen(internal, { host: '127.0.0.1', port: 9100 })
 */
export const metricsEndpoint = definePlugin('metricsEndpoint', schema, (app, { path, allowedHosts, ...options }) => {
  const read = options.read ?? (app.hasDecorator('metrics') ? app.metrics.read : undefined)
  if (read === undefined)
    throw new Error('metricsEndpoint: option "read" is missing: pass `app.metrics.read`, or register `metrics` first')
  const checkHost = createBaseUrl({ ...(allowedHosts && { allowedHosts }), prefix: '' })
  declareMethods(app)
  describeRoute(app, path, describedMetrics)
  app.route({
    method: allMethods,
    url: path,
    exposeHeadRoute: false,
    config: { allow: () => allow },
    // This hook responds before Fastify reads a body.
    onRequest: (request, reply) => void respond(request, reply, checkHost, read),
    handler: () => undefined,
  })
})

const allow = 'GET, HEAD'

const describedMetrics: PathItem = {
  get: {
    operationId: 'readMetrics',
    summary: 'Read the metrics',
    description: 'The metrics in the text format of Prometheus.',
    tags: ['metrics'],
    responses: {
      200: { description: 'The metrics.', content: { 'text/plain': { schema: { type: 'string' } } } },
      400: {
        description: 'The header `Host` names another host.',
        content: { 'application/json': { schema: { type: 'object', properties: { detail: { type: 'string' } } } } },
      },
      503: { description: 'The metrics cannot be read now.' },
    },
    security: [{}],
  },
}

async function respond(
  request: FastifyRequest,
  reply: FastifyReply,
  checkHost: (request: FastifyRequest) => unknown,
  read: Read,
): Promise<void> {
  reply.header('cache-control', 'no-store')
  try {
    checkHost(request)
  } catch {
    return void reply.code(400).send({ detail: 'Invalid host.' })
  }
  const { method } = request
  if (method !== 'GET' && method !== 'HEAD') return void reply.code(405).header('allow', allow).send()
  try {
    void reply.type(contentType).send(await read())
  } catch {
    // A worker has exited meanwhile, or is too busy to send its metrics.
    void reply.removeHeader('content-type').code(503).send()
  }
}
