// Errors with a `statusCode`, as Fastify, its plugins and libraries such as http-errors throw them. They become
// exceptions of the catalogue, wherever they are thrown (ERR-EXC-r6). Only an error that says `expose: true` passes on its
// text, code and header fields: those of an SDK may contain an internal URL or a part of a key (decision 039).

import type { FastifyRequest } from 'fastify'
import { STATUS_CODES } from '../../base/http.ts'
import {
  APIException,
  BadRequest,
  Conflict,
  HostError,
  InsufficientStorage,
  MethodNotAllowed,
  NotAcceptable,
  NotAuthenticated,
  NotFound,
  PayloadTooLarge,
  PermissionDenied,
  PreconditionFailed,
  ServiceUnavailable,
  Throttled,
  UnsupportedMediaType,
} from '../../errors/exceptions.ts'

/** Properties that an error with a `statusCode` may have. */
type ErrorProperties = Readonly<Partial<Record<'statusCode' | 'message' | 'code' | 'expose' | 'headers', unknown>>>

/** Converts an error whose `statusCode` is 4xx into an exception of the catalogue; returns any other error unchanged. */
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

/** Whether the response leaves out what the error says, so that only a log can tell. */
export function isConcealed(error: unknown): boolean {
  const status = readStatus(error)
  return status !== undefined && !isExposed(error as ErrorProperties) && hasOwnText(status, error as ErrorProperties)
}

function readStatus(error: unknown): number | undefined {
  if (error instanceof APIException || typeof error !== 'object' || error === null) return undefined
  const { statusCode } = error as ErrorProperties
  const isError = typeof statusCode === 'number' && Number.isInteger(statusCode) && statusCode >= 400
  return isError && statusCode < 600 ? statusCode : undefined
}

function toException(status: number, error: ErrorProperties, request: FastifyRequest): APIException {
  const shows = isExposed(error)
  const text = shows && hasOwnText(status, error) ? String(error.message) : undefined
  const code = text !== undefined && typeof error.code === 'string' ? error.code : undefined
  const exception =
    catalogue[status]?.(text, code, request) ??
    new HostError(status, text ?? `${STATUS_CODES[status] ?? 'Request refused'}.`, code)
  const headers = shows ? pickTextHeaders(error.headers) : {}
  return Object.assign(exception, { cause: error, headers })
}

type CreateException = (text: string | undefined, code: string | undefined, request: FastifyRequest) => APIException

/** The exception of each status. Without a text, it has its own one. */
const catalogue: Readonly<Record<number, CreateException>> = {
  400: (text, code) => new BadRequest(text, code),
  401: (text, code) => new NotAuthenticated(text, code),
  403: (text, code) => new PermissionDenied(text, code),
  404: (text, code) => new NotFound(text, code),
  405: (text, code, { method }) => new MethodNotAllowed(method, text, code),
  406: (text, code) => new NotAcceptable(text, code),
  // The text of the class says that another request was faster.
  409: (text, code) => new Conflict(text ?? 'Conflict.', code),
  412: (text, code) => new PreconditionFailed(text, code),
  413: (text, code) => new PayloadTooLarge(text, code),
  415: (text, code, { headers }) => new UnsupportedMediaType(headers['content-type'] ?? '', text, code),
  429: (text, code) => new Throttled(undefined, text, code),
  503: (text, code) => new ServiceUnavailable(undefined, text, code),
  507: (text, code) => new InsufficientStorage(text, code),
}

const isExposed = ({ expose }: ErrorProperties): boolean => expose === true

// Fastify's messages quote the request, and the default message of http-errors is the status text: the catalogue replaces both.
function hasOwnText(status: number, { message, code }: ErrorProperties): boolean {
  const isFromFastify = typeof code === 'string' && code.startsWith('FST_')
  return typeof message === 'string' && message !== '' && message !== STATUS_CODES[status] && !isFromFastify
}

function pickTextHeaders(headers: unknown): Record<string, string> {
  const fields = Object.entries(Object(headers) as Record<string, unknown>)
  return Object.fromEntries(
    fields.flatMap(([name, value]) => (typeof value === 'string' ? [[name.toLowerCase(), value]] : [])),
  )
}
