// An error as a log may have it. Whoever throws writes what they like into it: the body, the credentials; and databases
// quote values in theirs. What the client sent is taken out, and of an error's own properties only those stay that name
// things and hold no values.

import type { FastifyRequest } from 'fastify'
import type { RequestBody } from '../parsers/request-body.ts'
import type { View } from '../view.ts'

/** For a logger's `err`, in the form that pino's own serializer leaves as it is. */
export interface LoggableError {
  readonly type: string
  readonly message: string
  readonly stack: string
  readonly code?: string | number
  readonly cause?: LoggableError
  readonly [property: string]: unknown
}

/** The request during which it was thrown, and what is known of it. */
export interface ErrorContext {
  readonly request: FastifyRequest
  readonly view: Pick<View, 'authentication'>
  readonly requestBody: RequestBody | undefined
}

const namingProperties = ['code', 'errno', 'syscall', 'severity', 'schema', 'table', 'column', 'constraint', 'routine']
const credentials = ['authorization', 'proxy-authorization', 'cookie', 'x-csrftoken']
/** A shorter value would take letters out of every word, and is no secret. */
const shortestValue = 4
const [longestText, mostValues, deepestCause] = [8000, 500, 5]

/** The error without what the request brought, in whatever way it was quoted. Never throws. */
export function loggableError(error: unknown, context?: ErrorContext): LoggableError {
  try {
    const values = context === undefined ? new Set<string>() : sentValues(context)
    return describe(error, values && redactor(values), deepestCause)
  } catch {
    return { type: 'Error', message: '(an error that cannot be shown)', stack: '' }
  }
}

type Redact = (text: string) => string

function describe(error: unknown, redact: Redact | undefined, depth: number): LoggableError {
  if (!(error instanceof Error)) {
    return { type: typeof error, message: '(what was thrown is no error, and is not shown)', stack: '' }
  }
  const message = show(error.message, redact)
  const { cause } = error
  return Object.assign(Object.create(null), {
    type: error.name,
    message,
    stack: `${error.name}: ${message}\n${show(framesOf(error), redact)}`,
    ...namesOf(error, redact),
    ...(cause instanceof Error && depth > 0 && { cause: describe(cause, redact, depth - 1) }),
  })
}

function namesOf(error: Error, redact: Redact | undefined): Readonly<Record<string, unknown>> {
  const properties = error as unknown as Readonly<Record<string, unknown>>
  const entries = namingProperties.flatMap(name => {
    const value = properties[name]
    if (typeof value === 'number') return [[name, value]]
    return typeof value === 'string' ? [[name, show(value, redact)]] : []
  })
  return Object.fromEntries(entries)
}

// More than can be looked through is not shown: a part of it may be what must not be.
function show(text: string, redact: Redact | undefined): string {
  if (redact === undefined || text.length > longestText) return `(${text.length} characters, which are not shown)`
  return redact(text)
}

// What stands above the first frame is the message once more, or what it was.
function framesOf({ stack = '', message }: Error): string {
  const start = stack.indexOf(message)
  const rest = start < 0 ? stack : stack.slice(start + message.length)
  return rest
    .split('\n')
    .filter(line => /^ {4}at /.test(line))
    .join('\n')
}

// No value is as short as what stands for it, so nothing is replaced twice.
function redactor(values: ReadonlySet<string>): Redact {
  const longestFirst = [...values].sort((one, other) => other.length - one.length)
  return text => longestFirst.reduce((rest, value) => rest.replaceAll(value, '[…]'), text)
}

/** Each value that came with the request, as it was and as it may be quoted; undefined where they are too many. */
function sentValues({ request, view, requestBody: body }: ErrorContext): ReadonlySet<string> | undefined {
  const found = new Set<string>()
  const names = [...credentials, ...view.authentication.flatMap(scheme => scheme.varyOn)]
  for (const name of names) for (const value of [request.headers[name] ?? []].flat()) addCredential(found, value)
  for (const [, value] of new URLSearchParams(request.url.split('?')[1] ?? '')) add(found, value)
  if (body?.kind === 'form') for (const [, value] of body.form) add(found, value)
  if (body?.kind === 'data') addLeaves(found, body.data)
  return found.size > 4 * mostValues ? undefined : found
}

// `Basic` and what it encodes, the parts of `Token abc`, the values of cookies.
function addCredential(found: Set<string>, value: string): void {
  add(found, value)
  for (const word of value.split(/[\s;,=:]+/)) add(found, word)
  const encoded = /^basic +([\w+/=-]+)$/i.exec(value)?.[1]
  if (encoded === undefined) return
  const decoded = Buffer.from(encoded, 'base64').toString('utf8')
  add(found, decoded)
  add(found, decoded.slice(decoded.indexOf(':') + 1))
}

function addLeaves(found: Set<string>, data: unknown): void {
  if (found.size > 4 * mostValues) return
  if (typeof data === 'string' || typeof data === 'number' || typeof data === 'bigint') add(found, String(data))
  else if (typeof data === 'object' && data !== null) for (const part of Object.values(data)) addLeaves(found, part)
}

function add(found: Set<string>, value: string): void {
  if (value.length < shortestValue || value.length > longestText) return
  found.add(value)
  found.add(JSON.stringify(value).slice(1, -1))
  found.add(value.replaceAll("'", "''"))
  found.add(encodeURIComponent(value.toWellFormed()))
}
