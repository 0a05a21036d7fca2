// The log of a server: JSON lines of pino, without secrets.

import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { pino } from 'pino'
import * as z from 'zod'
import { type LoggableError, loggableError } from '#core'
import { readPath } from './access-log.ts'
import { createLogOutput, type LogStream } from './log-output.ts'

/** The least severe level that is logged. */
export const logLevel = z.enum(
  ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
  'must be a pino log level',
)

/** Creates the logger of a Fastify server; default destination: standard output. */
export const createLogger = (level: z.output<typeof logLevel>, log: LogStream | undefined): FastifyBaseLogger =>
  pino({ level, serializers }, log ?? createLogOutput())

// Apply to all log lines, also to the lines that Fastify writes: an error is logged without its properties, and a
// request without its query string.
const serializers = {
  err: (error: unknown) => (error instanceof Error ? loggableError(error) : (error as LoggableError)),
  req: (request: FastifyRequest) => ({ method: request.method, path: readPath(request), address: request.ip }),
}
