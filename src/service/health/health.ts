// Two health probes: `/healthz` responds while the process is alive, `/readyz` while it can serve requests. Probes send
// IP addresses as Host and no credentials, so host checks, authentication and throttles do not apply.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allMethods, declareMethods } from 'resource-api/extend'
import type { WorkerPool } from '../processes/worker-messages.ts'
import type { Readiness } from './readiness.ts'

/** The paths of the probes, outside all profiles. */
export const healthPaths = { alive: '/healthz', ready: '/readyz' } as const

const allow = 'GET, HEAD'

/**
 * Adds the two routes. They return 200 `{"status":"ok"}`, or 503 with the failed check. `/readyz` returns 200 with the
 * status `degraded` if some workers have failed for good, because the remaining workers serve requests.
 */
export function addHealth(
  app: FastifyInstance,
  readiness: Readiness,
  workerPool: () => WorkerPool | undefined = () => undefined,
): void {
  declareMethods(app)
  addProbe(
    app,
    healthPaths.alive,
    async () => undefined,
    () => healthy,
  )
  addProbe(app, healthPaths.ready, readiness, () => formatHealth(workerPool()))
}

interface Health {
  readonly status: 'ok' | 'degraded'
  readonly detail?: string
}

const healthy: Health = { status: 'ok' }

const formatHealth = (pool: WorkerPool | undefined): Health =>
  pool === undefined || pool.failed === 0
    ? healthy
    : { status: 'degraded', detail: `${pool.failed} of ${pool.wanted} workers failed and are not replaced.` }

function addProbe(app: FastifyInstance, url: string, check: Readiness, health: () => Health): void {
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
  check: Readiness,
  health: () => Health,
): Promise<void> {
  reply.headers({ 'cache-control': 'no-store', 'content-type': 'application/json' })
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    const detail = `Method "${request.method}" not allowed.`
    return void reply.code(405).header('allow', allow).send(toJsonBytes({ detail }))
  }
  const failure = await check()
  if (failure === undefined) return void reply.send(toJsonBytes(health()))
  void reply.code(503).send(toJsonBytes({ status: 'unavailable', ...failure }))
}

// Returns a Buffer, because for a string Fastify adds a charset to the content type; JSON defines none (RFC 8259 §11).
const toJsonBytes = (content: object): Buffer => Buffer.from(JSON.stringify(content))
