// Two probes for operators: is the process alive (`/healthz`), and is it ready for requests (`/readyz`)? Probes use
// addresses as hosts and do not log in, so hosts, callers and rates are not checked.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allMethods, declareMethods } from '../../framework/urls/routing.ts'
import type { WorkerPool } from '../processes/worker-messages.ts'
import type { Readiness } from './readiness.ts'

/** The paths, outside all profiles. */
export const healthPaths = { alive: '/healthz', ready: '/readyz' } as const

const allow = 'GET, HEAD'

/**
 * Adds the two routes. They answer 200 `{"status":"ok"}`, or 503 with what failed. `/readyz` answers 200 with the status
 * `degraded` if workers are missing that are not replaced any more: the others answer requests.
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
  addProbe(app, healthPaths.ready, readiness, () => healthOf(workerPool()))
}

interface Health {
  readonly status: 'ok' | 'degraded'
  readonly detail?: string
}

const healthy: Health = { status: 'ok' }

const healthOf = (pool: WorkerPool | undefined): Health =>
  pool === undefined || pool.failed === 0
    ? healthy
    : { status: 'degraded', detail: `${pool.failed} of ${pool.wanted} workers failed and are not replaced.` }

function addProbe(app: FastifyInstance, url: string, check: Readiness, health: () => Health): void {
  app.route({
    method: allMethods,
    url,
    exposeHeadRoute: false,
    config: { allow: () => allow },
    // Before Fastify would read a body.
    onRequest: (request, reply) => void answer(request, reply, check, health),
    handler: () => undefined,
  })
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  check: Readiness,
  health: () => Health,
): Promise<void> {
  reply.headers({ 'cache-control': 'no-store', 'content-type': 'application/json' })
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    const detail = `Method "${request.method}" not allowed.`
    return void reply.code(405).header('allow', allow).send(bytes({ detail }))
  }
  const failure = await check()
  if (failure === undefined) return void reply.send(bytes(health()))
  void reply.code(503).send(bytes({ status: 'unavailable', ...failure }))
}

// To a text, Fastify would add a charset, which JSON does not have (RFC 8259 §11).
const bytes = (content: object): Buffer => Buffer.from(JSON.stringify(content))
