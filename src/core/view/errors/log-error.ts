// Logs the errors that the framework handles. An application without a logger would lose them, so they are then written
// to standard error.

import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { escapeControls, formatErrorLines, indent } from './format-error.ts'
import type { LoggableError } from './loggable-error.ts'

/** Further errors of the same second are only counted, because writing to a terminal or file blocks the process. */
const maxErrorsPerSecond = 5

/**
 * Logs an error with the logger of the request. If the logger of Fastify is disabled (`Fastify()` or
 * `Fastify({ logger: false })`), writes it to standard error. To have neither, set `logger: { level: 'silent' }`.
 */
export function logError(
  level: 'warn' | 'error' | 'fatal',
  { log, method, url }: FastifyRequest,
  err: LoggableError,
  message: string,
): void {
  if (!isDisabled(log)) log[level]({ err }, message)
  else printError(`${method} ${escapeControls(url.split('?', 1)[0]!)}: ${message}`, err)
}

// All methods of Fastify's disabled logger are the same function, as are those of a silent pino, which has a level.
const isDisabled = ({ level, error, info }: FastifyBaseLogger): boolean => level === undefined && error === info

export interface ErrorPrinterOptions {
  readonly write: (text: string) => void
  /** Milliseconds since an arbitrary origin. */
  readonly now: () => number
}

/** Creates a function that writes errors, at most five per second. The next error reports how many were left out. */
export function createErrorPrinter({ write, now }: ErrorPrinterOptions): (title: string, error: LoggableError) => void {
  let [start, printed, omitted] = [Number.NEGATIVE_INFINITY, 0, 0]
  return (title, error) => {
    if (now() - start >= 1000) [start, printed] = [now(), 0]
    if (printed === maxErrorsPerSecond) {
      omitted += 1
      return
    }
    printed += 1
    const lines = [...(omitted > 0 ? [`(${omitted} more errors were not printed)`] : []), title]
    omitted = 0
    write([...lines, ...indent(formatErrorLines(error))].join('\n'))
  }
}

/** Writes an error of code without a request to standard error. */
// `console` ignores errors of standard error, such as a pipe that its reader has closed.
export const printError = createErrorPrinter({ write: text => console.error(text), now: () => performance.now() })
