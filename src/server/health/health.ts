// Two health probes: `/healthz` responds while the process is alive, `/readyz` while it can serve requests. Probes send
// IP addresses as Host and no credentials, so host checks, authentication and throttles do not apply.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { allMethods, declareMethods, type JsonSchema, loggableError, type MaybePromise, type PathItem } from '#core'
import { describeRoute } from '#openapi'
import { anyFunction, urlPath } from '../options.ts'
import { definePlugin } from '../plugin.ts'
import { serverState } from '../server-state.ts'
import type { Unreadiness } from './readiness.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** What the probes of the plugin `health` check, for probes on another port: `internal.register(health, app.health)`. */
    readonly health: ProbeChecks
  }
}

/** The checks of the two probes. */
export interface ProbeChecks {
  /** Returns undefined if requests can be served, else what is wrong. */
  readonly ready: () => MaybePromise<Unreadiness | undefined>
  /** Returns what is wrong if requests are served, but with less capacity, else undefined. */
  readonly degraded: () => string | undefined
}

const allow = 'GET, HEAD'

const schema = z.strictObject({
  /** The paths of the two probes. */
  paths: z.strictObject({ alive: urlPath.default('/healthz'), ready: urlPath.default('/readyz') }).prefault({}),
  ready: anyFunction<ProbeChecks['ready']>().default(() => () => undefined),
  degraded: anyFunction<ProbeChecks['degraded']>().default(() => () => undefined),
})

export type HealthOptions = z.input<typeof schema>

/**
 * Adds the two routes. They return 200 `{"status":"ok"}`, or 503 with the failed check. While the plugin `drain` stops
 * the server, `/readyz` returns 503. It returns 200 with the status `degraded` if `degraded` returns a text.
 *
 * @example
 * app.register(health, { ready: createReadiness(() => compareMigrations(database, migrations)) })
 */
export const health = definePlugin('health', schema, (app, { paths, ready, degraded }) => {
  const state = serverState(app.server)
  const checkReadiness = async () => (state.isStopping ? stopping : ready())
  app.decorate('health', { ready: checkReadiness, degraded })
  declareMethods(app)
  addProbe(
    app,
    paths.alive,
    async () => undefined,
    () => healthy,
  )
  addProbe(app, paths.ready, checkReadiness, () => formatHealth(degraded()))
  for (const path of Object.values(paths)) state.exemptPaths.add(path)
  describeRoute(app, paths.alive, describeProbe('checkAlive', 'Whether the process is alive.'))
  describeRoute(app, paths.ready, describeProbe('checkReady', 'Whether the process can serve requests.'))
})

const stopping: Unreadiness = { failed: 'stopping', detail: 'The service is stopping.' }
const failed: Unreadiness = { failed: 'check', detail: 'The readiness check failed.' }

type Check = () => Promise<Unreadiness | undefined>

interface Health {
  readonly status: 'ok' | 'degraded'
  readonly detail?: string
}

const healthy: Health = { status: 'ok' }

const formatHealth = (detail: string | undefined): Health =>
  detail === undefined ? healthy : { status: 'degraded', detail }

function addProbe(app: FastifyInstance, url: string, check: Check, health: () => Health): void {
  app.route({
    method: allMethods,
    url,
    exposeHeadRoute: false,
    config: { allow: () => allow },
    // This hook responds before Fastify reads a body.
    onRequest: (request, reply) => void respond(request, reply, check, health),
    handler: () => undefined,
  })
}

async function respond(
  request: FastifyRequest,
  reply: FastifyReply,
  check: Check,
  health: () => Health,
): Promise<void> {
  reply.headers({ 'cache-control': 'no-store', 'content-type': 'application/json' })
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    const detail = `Method "${request.method}" not allowed.`
    return void reply.code(405).header('allow', allow).send(toJsonBytes({ detail }))
  }
  const failure = await check().catch(error => logFailure(request, error))
  if (failure === undefined) return void reply.send(toJsonBytes(health()))
  void reply.code(503).send(toJsonBytes({ status: 'unavailable', ...failure }))
}

function logFailure(request: FastifyRequest, error: unknown): Unreadiness {
  request.log.error({ err: loggableError(error) }, 'the readiness check failed')
  return failed
}

// Returns a Buffer, because for a string Fastify adds a charset to the content type; JSON defines none (RFC 8259 §11).
const toJsonBytes = (content: object): Buffer => Buffer.from(JSON.stringify(content))

const describeProbe = (operationId: string, description: string): PathItem => ({
  get: {
    operationId,
    summary: description.replace('.', ''),
    description,
    tags: ['health'],
    responses: {
      200: { description: 'It is.', content: { 'application/json': { schema: describeStatus('ok', 'degraded') } } },
      '4XX': {
        description: 'The head of the request is malformed, too large, or expects what the server does not do.',
      },
      503: { description: 'It is not.', content: { 'application/json': { schema: describeStatus('unavailable') } } },
    },
    security: [{}],
  },
})

const describeStatus = (...values: readonly string[]): JsonSchema => ({
  type: 'object',
  properties: { status: { type: 'string', enum: values }, failed: { type: 'string' }, detail: { type: 'string' } },
  required: ['status'],
})
