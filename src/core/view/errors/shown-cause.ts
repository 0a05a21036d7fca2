// The cause of a 500 in the response, for development only (option `showCauses`).

import type { ApiResponse } from '../../http/response.ts'
import { frameStart } from './format-error.ts'
import type { LoggableError } from './loggable-error.ts'

/** The member `cause` of the response body. */
interface ShownCause {
  readonly type: string
  readonly message: string
  /** One line per frame. */
  readonly stack: readonly string[]
  readonly cause?: ShownCause
  readonly [property: string]: unknown
}

/** Adds the member `cause` to a response whose body is an object; returns any other response unchanged. */
export function addCause(response: ApiResponse, error: LoggableError): ApiResponse {
  const { body } = response
  const isPlain = typeof body === 'object' && body !== null && Object.getPrototypeOf(body) === Object.prototype
  return isPlain ? { ...response, body: { ...body, cause: formatCause(error) } } : response
}

function formatCause({ type, message, stack, cause, ...properties }: LoggableError): ShownCause {
  const frames = stack.split('\n').filter(line => line.startsWith(frameStart))
  return {
    type,
    message,
    ...properties,
    stack: frames.map(line => line.trim()),
    ...(cause && { cause: formatCause(cause) }),
  }
}
