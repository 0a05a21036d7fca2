// An error that is safe to log. Error messages may quote anything, such as the body, credentials, or values of a
// statement. Values that the client sent are removed, and of the error's properties only those that hold names are kept.

import type { FastifyRequest } from 'fastify'
import type { RequestBody } from '../../http/parsers/request-body.ts'
import type { View } from '../view.ts'

/** The error for a logger's `err`, in a form that pino's own serializer leaves unchanged. */
export interface LoggableError {
  readonly type: string
  readonly message: string
  readonly stack: string
  readonly code?: string | number
  readonly cause?: LoggableError
  readonly [property: string]: unknown
}

/** The request during which the error was thrown, and the results of its phases. */
export interface ErrorContext {
  readonly request: FastifyRequest
  readonly view: Pick<View, 'authentication'>
  readonly requestBody: RequestBody | undefined
}

const namingProperties = ['code', 'errno', 'syscall', 'severity', 'schema', 'table', 'column', 'constraint', 'routine']
const credentials = ['authorization', 'proxy-authorization', 'cookie', 'x-csrftoken']
/** Removing a shorter value would garble other words, and a value this short is not a secret. */
const minValueLength = 4
const [maxTextLength, maxValues, maxCauseDepth] = [8000, 500, 5]

/** Creates a copy of an error without the values that the client sent, however they are quoted. Never throws. */
export function loggableError(error: unknown, context?: ErrorContext): LoggableError {
  try {
    const values = context === undefined ? new Set<string>() : listSentValues(context)
    return describe(error, values && createRedact(values), maxCauseDepth)
  } catch {
    return { type: 'Error', message: '(an error that cannot be shown)', stack: '' }
  }
}

type Redact = (text: string) => string

function describe(error: unknown, redact: Redact | undefined, depth: number): LoggableError {
  if (!(error instanceof Error)) {
    return { type: typeof error, message: '(the thrown value is not an Error, and is not shown)', stack: '' }
  }
  const message = show(error.message, redact)
  const { cause } = error
  return Object.assign(Object.create(null), {
    type: error.name,
    message,
    stack: `${error.name}: ${message}\n${show(listFrames(error), redact)}`,
    ...pickNamingProperties(error, redact),
    ...(cause instanceof Error && depth > 0 && { cause: describe(cause, redact, depth - 1) }),
  })
}

function pickNamingProperties(error: Error, redact: Redact | undefined): Readonly<Record<string, unknown>> {
  const properties = error as unknown as Readonly<Record<string, unknown>>
  const entries = namingProperties.flatMap(name => {
    const value = properties[name]
    if (typeof value === 'number') return [[name, value]]
    return typeof value === 'string' ? [[name, show(value, redact)]] : []
  })
  return Object.fromEntries(entries)
}

// A text that is too long to search is not logged at all, since any part of it may be secret.
function show(text: string, redact: Redact | undefined): string {
  if (redact === undefined || text.length > maxTextLength) return `(${text.length} characters, which are not shown)`
  return redact(text)
}

// Above the first frame, the stack repeats the message, possibly as it was before it was changed.
function listFrames({ stack = '', message }: Error): string {
  const start = stack.indexOf(message)
  const frames = start < 0 ? stack : stack.slice(start + message.length)
  return frames
    .split('\n')
    .filter(line => /^ {4}at /.test(line))
    .join('\n')
}

// Every value is longer than the placeholder, so no value matches in a placeholder.
function createRedact(values: ReadonlySet<string>): Redact {
  const longestFirst = [...values].sort((left, right) => right.length - left.length)
  return text => longestFirst.reduce((redacted, value) => redacted.replaceAll(value, '[…]'), text)
}

/** Lists the values of the request, plain and as an error may quote them; undefined if there are too many. */
function listSentValues({ request, view, requestBody: body }: ErrorContext): ReadonlySet<string> | undefined {
  const values = new Set<string>()
  const names = [...credentials, ...view.authentication.flatMap(scheme => scheme.varyOn)]
  for (const name of names) for (const value of [request.headers[name] ?? []].flat()) addCredential(values, value)
  for (const [, value] of new URLSearchParams(request.url.split('?')[1] ?? '')) add(values, value)
  if (body?.kind === 'form') for (const [, value] of body.form) add(values, value)
  if (body?.kind === 'data') addLeaves(values, body.data)
  return values.size > 4 * maxValues ? undefined : values
}

// Adds the value, the decoded `Basic` pair, the parts of `Token abc`, and the values of cookies.
function addCredential(values: Set<string>, value: string): void {
  add(values, value)
  for (const word of value.split(/[\s;,=:]+/)) add(values, word)
  const encoded = /^basic +([\w+/=-]+)$/i.exec(value)?.[1]
  if (encoded === undefined) return
  const decoded = Buffer.from(encoded, 'base64').toString('utf8')
  add(values, decoded)
  add(values, decoded.slice(decoded.indexOf(':') + 1))
}

function addLeaves(values: Set<string>, data: unknown): void {
  if (values.size > 4 * maxValues) return
  if (typeof data === 'string' || typeof data === 'number' || typeof data === 'bigint') add(values, String(data))
  else if (typeof data === 'object' && data !== null) for (const part of Object.values(data)) addLeaves(values, part)
}

// Adds up to four forms of the value: plain, and quoted as in JSON, SQL and URLs.
function add(values: Set<string>, value: string): void {
  if (value.length < minValueLength || value.length > maxTextLength) return
  values.add(value)
  values.add(JSON.stringify(value).slice(1, -1))
  values.add(value.replaceAll("'", "''"))
  values.add(encodeURIComponent(value.toWellFormed()))
}
