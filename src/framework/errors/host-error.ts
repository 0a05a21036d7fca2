// Errors of the host framework and of libraries that name a status of their own in `statusCode`, as those of Fastify, its
// plugins and http-errors do. They become exceptions of the catalogue, wherever they are thrown (ERR-EXC-r6).

import type { FastifyRequest } from 'fastify'
import { STATUS_CODES } from '../http.ts'
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

/** Properties that such an error may have. */
type HostLike = Readonly<Partial<Record<'statusCode' | 'message' | 'code' | 'expose' | 'headers', unknown>>>

/** An error whose `statusCode` is 4xx as an exception of the catalogue; every other error as it is. */
export function fromHost(error: unknown, request: FastifyRequest): unknown {
  const status = hostStatus(error)
  return status !== undefined && status < 500 ? toException(status, error as HostLike, request) : error
}

/** The same for what hooks and plugins throw: they choose 5xx on purpose too, such as the 503 of an overload guard. */
export function fromHook(error: unknown, request: FastifyRequest): unknown {
  const status = hostStatus(error)
  return status !== undefined && status !== 500 ? toException(status, error as HostLike, request) : error
}

function hostStatus(error: unknown): number | undefined {
  if (error instanceof APIException || typeof error !== 'object' || error === null) return undefined
  const { statusCode } = error as HostLike
  const isError = typeof statusCode === 'number' && Number.isInteger(statusCode) && statusCode >= 400
  return isError && statusCode < 600 ? statusCode : undefined
}

function toException(status: number, error: HostLike, request: FastifyRequest): HostError {
  const catalogued = catalogue[status]?.(request)
  const text = catalogued?.message ?? `${STATUS_CODES[status] ?? 'Request refused'}.`
  const isOwn = isOwnText(status, error)
  const code = isOwn && typeof error.code === 'string' ? error.code : (catalogued?.codes as string | undefined)
  const headers = { ...catalogued?.headers, ...textFields(error.headers) }
  return Object.assign(new HostError(status, isOwn ? String(error.message) : text, code, headers), { cause: error })
}

/** The exceptions that say no more than their status. */
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

// Fastify's own texts quote the request, and http-errors takes the name of the status where no text is given.
function isOwnText(status: number, { message, code, expose }: HostLike): boolean {
  const isOfFastify = typeof code === 'string' && code.startsWith('FST_')
  const isText = typeof message === 'string' && message !== '' && message !== STATUS_CODES[status]
  return isText && !isOfFastify && expose !== false
}

function textFields(headers: unknown): Record<string, string> {
  const fields = Object.entries(Object(headers) as Record<string, unknown>)
  return Object.fromEntries(
    fields.flatMap(([name, value]) => (typeof value === 'string' ? [[name.toLowerCase(), value]] : [])),
  )
}
