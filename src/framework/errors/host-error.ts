// Errors with a `statusCode`, as Fastify, its plugins and libraries such as http-errors throw them. They become
// catalogued exceptions, wherever they are thrown (ERR-EXC-r6).

import type { FastifyRequest } from 'fastify'
import { STATUS_CODES } from '../http.ts'
import type { ErrorDetail } from '../messages/catalogue.ts'
import {
  APIException,
  BadRequest,
  HostError,
  MethodNotAllowed,
  NotAcceptable,
  NotAuthenticated,
  NotFound,
  PayloadTooLarge,
  PermissionDenied,
  Throttled,
  UnsupportedMediaType,
} from './exceptions.ts'

/** Properties that an error with a `statusCode` may have. */
type ErrorProperties = Readonly<Partial<Record<'statusCode' | 'message' | 'code' | 'expose' | 'headers', unknown>>>

/** Converts an error whose `statusCode` is 4xx into a catalogued exception; returns any other error unchanged. */
export function toCatalogued(error: unknown, request: FastifyRequest): unknown {
  const status = readStatus(error)
  return status !== undefined && status < 500 ? toException(status, error as ErrorProperties, request) : error
}

/**
 * Like `toCatalogued`, for errors of hooks and plugins. They also use 5xx on purpose, such as the 503 of an overload
 * guard.
 */
export function toCataloguedFromHook(error: unknown, request: FastifyRequest): unknown {
  const status = readStatus(error)
  return status !== undefined && status !== 500 ? toException(status, error as ErrorProperties, request) : error
}

function readStatus(error: unknown): number | undefined {
  if (error instanceof APIException || typeof error !== 'object' || error === null) return undefined
  const { statusCode } = error as ErrorProperties
  const isError = typeof statusCode === 'number' && Number.isInteger(statusCode) && statusCode >= 400
  return isError && statusCode < 600 ? statusCode : undefined
}

function toException(status: number, error: ErrorProperties, request: FastifyRequest): HostError {
  const catalogued = catalogue[status]?.(request)
  const text = `${STATUS_CODES[status] ?? 'Request refused'}.`
  const keepsMessage = isMessageShown(status, error)
  const code = keepsMessage && typeof error.code === 'string' ? error.code : (catalogued?.codes as string | undefined)
  const message = keepsMessage ? String(error.message) : ((catalogued?.errors as ErrorDetail | undefined) ?? text)
  const headers = { ...catalogued?.headers, ...pickTextHeaders(error.headers) }
  return Object.assign(new HostError(status, message, code, headers), {
    cause: error,
  })
}

/** The exception of each status, from which an error takes its default message, code and headers. */
const catalogue: Readonly<Record<number, (request: FastifyRequest) => APIException>> = {
  400: () => new BadRequest(),
  401: () => new NotAuthenticated(),
  403: () => new PermissionDenied(),
  404: () => new NotFound(),
  405: ({ method }) => new MethodNotAllowed(method),
  406: () => new NotAcceptable(),
  413: () => new PayloadTooLarge(),
  415: ({ headers }) => new UnsupportedMediaType(headers['content-type'] ?? ''),
  429: () => new Throttled(),
}

// Fastify's messages quote the request, and the default message of http-errors is the status text: both are replaced.
function isMessageShown(status: number, { message, code, expose }: ErrorProperties): boolean {
  const isFromFastify = typeof code === 'string' && code.startsWith('FST_')
  const isText = typeof message === 'string' && message !== '' && message !== STATUS_CODES[status]
  return isText && !isFromFastify && expose !== false
}

function pickTextHeaders(headers: unknown): Record<string, string> {
  const fields = Object.entries(Object(headers) as Record<string, unknown>)
  return Object.fromEntries(
    fields.flatMap(([name, value]) => (typeof value === 'string' ? [[name.toLowerCase(), value]] : [])),
  )
}
