// The errors of requests. They have one class, and its `kind` says what happened, so that the compiler checks a `switch` over
// it (decision 079).

/** The reason for which a request failed. */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'notFound'
  | 'conflict'
  | 'preconditionFailed'
  | 'throttled'
  | 'unavailable'
  | 'refused'
  | 'failed'
  | 'network'
  | 'unreadable'
  | 'timeout'
  | 'aborted'

/** The details of an error. */
export type ErrorDetails = Partial<Pick<ClientError, 'status' | 'data' | 'seconds' | 'headers' | 'text' | 'cause'>>

/** A request that failed. */
export class ClientError extends Error {
  override readonly name: string
  readonly kind: ErrorKind
  /** The status of the response; undefined if there was none. */
  readonly status: number | undefined
  /** The body of the response, if it is JSON. */
  readonly data: unknown
  /** How long to wait, by the field `Retry-After` of the response. */
  readonly seconds: number | undefined
  /** The header fields of the response. */
  readonly headers: Headers | undefined
  /** The beginning of a body that is not JSON. */
  readonly text: string | undefined

  constructor(kind: ErrorKind, message: string, { status, data, seconds, headers, text, cause }: ErrorDetails = {}) {
    super(message, { cause })
    // The platform's name of this error, so that libraries recognize an aborted request.
    this.name = kind === 'aborted' ? 'AbortError' : 'ClientError'
    this.kind = kind
    this.status = status
    this.data = data
    this.seconds = seconds
    this.headers = headers
    this.text = text
  }
}

const kinds: Readonly<Record<number, ErrorKind>> = {
  400: 'invalid',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'notFound',
  409: 'conflict',
  412: 'preconditionFailed',
  429: 'throttled',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
}

/** Finds the kind of the error for the status of a response. */
export const findKind = (status: number): ErrorKind => kinds[status] ?? (status < 500 ? 'refused' : 'failed')

interface Failed<Kind extends ErrorKind> extends ClientError {
  readonly kind: Kind
}

interface Responded<Kind extends ErrorKind, Data = unknown> extends Failed<Kind> {
  readonly status: number
  readonly data: Data
  readonly headers: Headers
}

/** 400. `Refused`: the errors of the body or the query by field. */
export interface InvalidError<out Refused = unknown> extends Responded<'invalid', Refused> {}

/** The errors that a request may end with. `Refused`: the data of a 400. */
export type RequestError<Refused = unknown> =
  | InvalidError<Refused>
  | Responded<'unauthenticated' | 'forbidden' | 'notFound' | 'conflict' | 'preconditionFailed'>
  | Responded<'throttled' | 'unavailable' | 'refused' | 'failed'>
  | Failed<'network' | 'unreadable' | 'timeout' | 'aborted'>

const is =
  <Kind extends ErrorKind>(kind: Kind) =>
  (
    error: unknown,
  ): error is Kind extends 'network' | 'unreadable' | 'timeout' | 'aborted' ? Failed<Kind> : Responded<Kind> =>
    error instanceof ClientError && error.kind === kind

/**
 * True if the body or the query of a request is invalid (400). The errors of the fields are typed if the error is that of a
 * `result()`, or if the type of the body is named.
 *
 * @example
 * if (isInvalid<CreateBody<typeof orders>>(error)) show(error.data.number)
 */
export function isInvalid<Refused>(error: RequestError<Refused>): error is InvalidError<Refused>
export function isInvalid<Body = Readonly<Record<string, readonly string[]>>>(
  error: unknown,
): error is InvalidError<FieldErrors<Body>>
export function isInvalid(error: unknown): boolean {
  return is('invalid')(error)
}

/** 401. */
export const isUnauthenticated = is('unauthenticated')
/** 403; also for a caller who is not authenticated, if the first scheme of the API has no challenge. */
export const isForbidden = is('forbidden')
/** 404. */
export const isNotFound = is('notFound')
/** 409. */
export const isConflict = is('conflict')
/** 412: the object has changed since it was read. */
export const isPreconditionFailed = is('preconditionFailed')
/** 429. `seconds` says how long to wait. */
export const isThrottled = is('throttled')
/** 502, 503 and 504. */
export const isUnavailable = is('unavailable')
/** There was no response, or not all of it. */
export const isNetworkError = is('network')
/** The response is not JSON, such as the page of a proxy. `text` is its beginning. */
export const isUnreadable = is('unreadable')
/** The time limit passed. */
export const isTimeout = is('timeout')
/** The caller aborted the request. */
export const isAborted = is('aborted')

/** Errors that belong to no field. */
export interface WholeErrors {
  readonly non_field_errors?: readonly string[]
  /** The error of a request that could not be read at all. */
  readonly detail?: string
}

/** The data of a 400: the errors of a body or a query, by field. */
export type FieldErrors<Body> = WholeErrors & {
  readonly [Name in Body extends unknown ? keyof Body : never]?: FieldError<ValueAt<Body, Name>>
}

type ValueAt<Body, Name> = Body extends unknown ? (Name extends keyof Body ? Body[Name] : never) : never

/** The errors of a value: its own, or those of its items or members. */
type FieldError<Value> = unknown extends Value
  ? unknown
  : [NonNullable<Value>] extends [readonly (infer Item)[]]
    ?
        | readonly string[]
        | (Item extends object ? readonly FieldErrors<Item>[] : Readonly<Record<string, readonly string[]>>)
    : [NonNullable<Value>] extends [Blob]
      ? readonly string[]
      : [NonNullable<Value>] extends [object]
        ? readonly string[] | FieldErrors<NonNullable<Value>>
        : readonly string[]
