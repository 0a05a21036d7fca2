// One line for each request that was answered, where the setting `accessLog` asks for it: what was asked for, with what
// outcome, in what time, by whom and from where. The query is left out as a whole: cursors and tokens stand in queries.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Observation } from '../../framework/view.ts'

/** One line, beside the time and the message `request`. */
export interface AccessLine {
  /** The id that the answer has as `X-Request-Id`. */
  readonly reqId: string
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly status: number
  /** From the request's head to the answer's last byte; an answer that was broken off has the time until then. */
  readonly milliseconds: number
  /** The key of the caller; null if the caller is anonymous. */
  readonly user: unknown
  readonly address: string
}

/** Writes the lines at every log level except silent. Returns an observer that learns who the caller is. */
export function addAccessLog(app: FastifyInstance): (observation: Observation) => void {
  if (app.log.level === 'silent') return () => undefined
  const lines = app.log.child({}, { level: 'info' })
  const callers = new WeakMap<FastifyRequest, unknown>()
  app.addHook('onResponse', (request, reply, done) => {
    lines.info(lineOf(request, reply, callers.get(request) ?? null), 'request')
    done()
  })
  return ({ request, user }) => void (user?.isAuthenticated && callers.set(request, user.id))
}

const lineOf = (request: FastifyRequest, reply: FastifyReply, user: unknown): AccessLine => ({
  reqId: request.id,
  method: request.method,
  path: pathOf(request),
  status: reply.statusCode,
  milliseconds: Math.round(100 * reply.elapsedTime) / 100,
  user,
  address: request.ip,
})

/** The path of the request without its query. */
export const pathOf = ({ url }: Pick<FastifyRequest, 'url'>): string => url.split('?', 1)[0]!
