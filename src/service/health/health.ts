// What whoever runs the service asks it: is the process alive (`/healthz`), and may it be sent requests (`/readyz`)? They
// come from probes that name hosts by address and log in nowhere, so no host, caller or rate is asked for.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allMethods, declareMethods } from '../../framework/urls/routing.ts'
import type { Readiness } from './readiness.ts'

/** The paths, outside all profiles. */
export const healthPaths = { alive: '/healthz', ready: '/readyz' } as const

const allow = 'GET, HEAD'

/** Adds the two routes: 200 `{"status":"ok"}`, or 503 with what failed. */
export function addHealth(app: FastifyInstance, readiness: Readiness): void {
  declareMethods(app)
  addProbe(app, healthPaths.alive, async () => undefined)
  addProbe(app, healthPaths.ready, readiness)
}

function addProbe(app: FastifyInstance, url: string, check: Readiness): void {
  app.route({
    method: allMethods,
    url,
    exposeHeadRoute: false,
    config: { allow: () => allow },
    // Before Fastify would read a body.
    onRequest: (request, reply) => void answer(request, reply, check),
    handler: () => undefined,
  })
}

async function answer(request: FastifyRequest, reply: FastifyReply, check: Readiness): Promise<void> {
  reply.headers({ 'cache-control': 'no-store', 'content-type': 'application/json' })
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    const detail = `Method "${request.method}" not allowed.`
    return void reply.code(405).header('allow', allow).send(bytes({ detail }))
  }
  const failure = await check()
  if (failure === undefined) return void reply.send(bytes({ status: 'ok' }))
  void reply.code(503).send(bytes({ status: 'unavailable', ...failure }))
}

// To a text, Fastify would add a charset, which JSON does not have (RFC 8259 §11).
const bytes = (content: object): Buffer => Buffer.from(JSON.stringify(content))
