// The access log: one line per response. The query string is left out, because it may contain cursors and tokens.

import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { observeApis } from '#core'
import { definePlugin } from '../plugin.ts'

/** The fields of one line, in addition to the time and the message `request`. */
export interface AccessLine {
  /** The value of the response header `X-Request-Id`. */
  readonly reqId: string
  readonly method: string
  /** Without the query string. */
  readonly path: string
  readonly status: number
  /** From the request headers to the last byte of the response, or until the connection was closed. */
  readonly milliseconds: number
  /** The primary key of the caller; null if the caller is anonymous. */
  readonly user: unknown
  readonly address: string
}

/**
 * Writes a line per response, at every log level except silent.
 *
 * @example
 * app.register(accessLog)
 */
export const accessLog = definePlugin('accessLog', z.strictObject({}), app => {
  if (app.log.level === 'silent') return
  const lines = app.log.child({}, { level: 'info' })
  const callers = new WeakMap<FastifyRequest, unknown>()
  observeApis(app, ({ request, user }) => void (user?.isAuthenticated && callers.set(request, user.id)))
  app.addHook('onResponse', (request, reply, done) => {
    lines.info(formatLine(request, reply, callers.get(request) ?? null), 'request')
    done()
  })
})

const formatLine = (request: FastifyRequest, reply: FastifyReply, user: unknown): AccessLine => ({
  reqId: request.id,
  method: request.method,
  path: readPath(request),
  status: reply.statusCode,
  milliseconds: Math.round(100 * reply.elapsedTime) / 100,
  user,
  address: request.ip,
})

/** Returns the path of the request URL, without the query string. */
export const readPath = ({ url }: Pick<FastifyRequest, 'url'>): string => url.split('?', 1)[0]!
