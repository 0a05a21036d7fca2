// The catalogue of exceptions (ERR-EXC). Each has a status, a message and a code; a subclass that sets these three
// static properties is a new exception. The exception handler turns it into a response. Exceptions are thrown while a
// request is handled; an invalid declaration throws a plain Error at start instead.
// biome-ignore-all lint/style/noExcessiveLinesPerFile: this catalogue is read as one list.

import type { ErrorDetail } from '../messages/catalogue.ts'
import { frameworkMessages, type MessageText } from '../messages/english.ts'
import type { NamedResource } from '../messages/title.ts'
import { type ErrorTree, isDetail, mapEntries, mapErrors } from './error-tree.ts'

export type { ErrorDetail, ErrorTree }

/**
 * The base class of every exception with its own response (ERR-EXC-p1).
 *
 * @example
 * class PaymentRequired extends APIException {
 *   static override status = 402
 *   static override message = 'Your plan does not include this.'
 *   static override code = 'payment_required'
 * }
 */
export class APIException extends Error {
  static status = 500
  static message = 'A server error occurred.'
  static code = 'error'

  readonly status: number
  readonly errors: ErrorTree<ErrorDetail>
  /** Header fields of the response, such as `Retry-After`. */
  readonly headers: Readonly<Record<string, string>> = {}
  /** The value of `WWW-Authenticate` if the status is 401 or 403; default: the challenge of the view's first scheme. */
  readonly challenge: string | undefined
  /** Members of the body in addition to `detail`. */
  readonly members: Readonly<Record<string, unknown>> = {}

  constructor(message?: MessageText, code?: string) {
    const type = new.target
    const detail = createDetail(message, code, type)
    // Exceptions are ordinary responses, not faults. Recording the stack would be the most expensive part of a refusal.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(detail.message)
    Error.stackTraceLimit = stackTraceLimit
    this.name = type.name
    this.status = type.status
    this.errors = detail
  }

  /** The messages, in the shape of `errors` (ERR-MSG-p1). */
  get detail(): ErrorTree<string> {
    return mapErrors(this.errors, error => error.message)
  }

  /** The codes, in the shape of `detail`. */
  get codes(): ErrorTree<string> {
    return mapErrors(this.errors, error => error.code)
  }

  /** The messages with their codes, in the shape of `detail`. */
  get fullDetails(): ErrorTree<ErrorDetail> {
    return mapErrors(this.errors, ({ message, code }) => ({ message, code }))
  }
}

/** The body cannot be parsed (ERR-EXC-r1). */
export class ParseError extends APIException {
  static override status = 400
  static override message = 'Malformed request.'
  static override code = 'parse_error'
}

/** The body is larger than the parser allows (RFC 9110 §15.5.14). */
export class PayloadTooLarge extends APIException {
  static override status = 413
  static override message = 'Request body is too large.'
  static override code = 'payload_too_large'
}

/** The request line, the host or a header is invalid (RFC 9110 §15.5.1). */
export class BadRequest extends APIException {
  static override status = 400
  static override message = 'Bad request.'
  static override code = 'bad_request'
}

/** The request would write or delete more rows than `rowsPerRequest` allows. */
export class TooManyRows extends APIException {
  static override status = 400
  static override message = 'This request has too many rows.'
  static override code = 'too_many_rows'

  constructor(max: number, message: MessageText = frameworkMessages('too_many_rows', { max }), code?: string) {
    super(message, code)
  }
}

/** An error of Fastify, one of its plugins or a library, with a status that no other exception has. */
export class HostError extends APIException {
  override readonly status: number

  constructor(status: number, message: string, code?: string) {
    super(message, code)
    this.status = status
  }
}

/** The credentials are wrong (ERR-EXC-r3). */
export class AuthenticationFailed extends APIException {
  static override status = 401
  static override message = 'Incorrect authentication credentials.'
  static override code = 'authentication_failed'

  override readonly challenge: string | undefined

  constructor(message?: MessageText, code?: string, challenge?: string) {
    super(message, code)
    this.challenge = challenge
  }
}

/** The request needs an authenticated caller (ERR-EXC-r4). */
export class NotAuthenticated extends APIException {
  static override status = 401
  static override message = 'Authentication credentials were not provided.'
  static override code = 'not_authenticated'
}

/**
 * The authenticated caller lacks the permission (ERR-EXC-r5). With a `challenge`, the response tells the client how to
 * obtain it (RFC 6750 §3.1); by default, a 403 has none (AUTH-GEN-6).
 */
export class PermissionDenied extends APIException {
  static override status = 403
  static override message = 'You do not have permission to perform this action.'
  static override code = 'permission_denied'

  override readonly challenge: string | undefined
  /** Who may do it, for the page of the refusal: `staff`. */
  readonly audience: MessageText | undefined

  constructor(message?: MessageText, code?: string, challenge?: string, audience?: MessageText) {
    super(message, code)
    this.challenge = challenge
    this.audience = audience
  }
}

/** The names of a resource, for people and programs. */
export interface ResourceNames {
  /** Its name in the API root, such as `articles`. */
  readonly name: string
  /** The path of its list, if it is not the name. */
  readonly path?: string
  /** The name of one object, such as `Article`. */
  readonly title: string
  /** The names on pages, if they differ. */
  readonly pages?: NamedResource['pages']
}

/** Nothing exists at the URL (ERR-EXC-r6). */
export class NotFound extends APIException {
  static override status = 404
  static override message = 'Not found.'
  static override code = 'not_found'

  /** The resource of the missing object, if the URL names a parent that does not exist; default: the URL's resource. */
  readonly resource: ResourceNames | undefined

  constructor(message?: MessageText, code?: string, resource?: ResourceNames) {
    super(message, code)
    this.resource = resource
  }
}

/** The URL has no handler for the method (ERR-EXC-r7). */
export class MethodNotAllowed extends APIException {
  static override status = 405
  static override message = 'Method not allowed.'
  static override code = 'method_not_allowed'

  constructor(
    method: string,
    message: MessageText = frameworkMessages('method_not_allowed', { method }),
    code?: string,
  ) {
    super(message, code)
  }
}

/** No renderer produces an accepted media type (ERR-EXC-r8). `available` lists the media types of the view. */
export class NotAcceptable extends APIException {
  static override status = 406
  static override message = 'Could not satisfy the request Accept header.'
  static override code = 'not_acceptable'

  override readonly members: Readonly<Record<string, unknown>>

  constructor(message?: MessageText, code?: string, available: readonly string[] = []) {
    super(message, code)
    this.members = available.length === 0 ? {} : { available }
  }
}

/**
 * The write conflicted with other writers on every retry (RFC 9110 §15.5.10). `wait` is the number of seconds after which the same
 * request may succeed.
 */
export class Conflict extends APIException {
  static override status = 409
  static override message = 'The resource was changed by another request. Try again.'
  static override code = 'conflict'

  override readonly headers: Readonly<Record<string, string>>

  constructor(message?: MessageText, code?: string, wait?: number) {
    super(message, code)
    this.headers = wait === undefined ? {} : { 'retry-after': String(Math.ceil(wait)) }
  }
}

/** The changes since a position are no longer kept (RFC 9110 §15.5.11). */
export class FeedPositionExpired extends APIException {
  static override status = 410
  static override message = 'The changes since this position are no longer kept. Read the list again.'
  static override code = 'feed_position_expired'
}

/** The object cannot be deleted while others refer to it (RFC 9110 §15.5.10). */
export class Protected extends APIException {
  static override status = 409
  static override message = 'Other objects refer to this one.'
  static override code = 'protected'
}

/** The object is not in the state that the request's preconditions demand; nothing was written (RFC 9110 §15.5.13). */
export class PreconditionFailed extends APIException {
  static override status = 412
  static override message = 'The resource is not in the state that the request expects.'
  static override code = 'precondition_failed'
}

/** The resource is changed only by requests with `If-Match` (RFC 6585 §3). */
export class PreconditionRequired extends APIException {
  static override status = 428
  static override message = 'Send the ETag of the resource in the header If-Match.'
  static override code = 'precondition_required'
}

/** No parser supports the body's media type (ERR-EXC-r9). */
export class UnsupportedMediaType extends APIException {
  static override status = 415
  static override message = 'Unsupported media type in request.'
  static override code = 'unsupported_media_type'

  constructor(mediaType: string, message?: MessageText, code?: string) {
    super(message ?? frameworkMessages('unsupported_media_type', { type: mediaType }), code)
  }
}

/** The `Idempotency-Key` belongs to an earlier request with another body (RFC 9110 §15.5.21). */
export class IdempotencyKeyReused extends APIException {
  static override status = 422
  static override message = 'This Idempotency-Key was used with another request body.'
  static override code = 'idempotency_key_reused'
}

/**
 * A rate limit is exceeded (ERR-EXC-r10). `wait` is the number of seconds until the next request is allowed; `headers` are further
 * header fields, such as those that describe the rates.
 */
export class Throttled extends APIException {
  static override status = 429
  static override message = 'Request was throttled.'
  static override code = 'throttled'

  override readonly headers: Readonly<Record<string, string>>

  constructor(
    wait?: number,
    message: MessageText | undefined = createThrottledMessage(wait),
    code?: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message, code)
    this.headers = wait === undefined ? headers : { ...headers, 'retry-after': String(Math.ceil(wait)) }
  }
}

/** The service is temporarily unavailable (RFC 9110 §15.6.4). `wait` is in seconds. */
export class ServiceUnavailable extends APIException {
  static override status = 503
  static override message = 'The service is temporarily unavailable. Try again later.'
  static override code = 'service_unavailable'

  override readonly headers: Readonly<Record<string, string>>

  constructor(wait = 1, message?: MessageText, code?: string) {
    super(message, code)
    this.headers = { 'retry-after': String(Math.ceil(wait)) }
  }
}

/** There is no space to store the data of the request (RFC 4918 §11.5). Requests that only read still succeed. */
export class InsufficientStorage extends APIException {
  static override status = 507
  static override message = 'There is no space left to store this.'
  static override code = 'insufficient_storage'
}

/** The detail of a validation error: a text, a list of texts, or these by field name. */
export type ValidationDetail = ErrorTree<string | ErrorDetail>

/**
 * The data fails a check (ERR-EXC-r2). Any detail is normalized to lists, by field name if it names fields; only the text of
 * `{ detail: 'Too late.' }` stays a text. `code`
 * applies to every text without its own code.
 *
 * @example
 * new ValidationError({ end: ['Must be after the start.'] }, 'order').codes // { end: ['order'] }
 */
export class ValidationError extends APIException {
  static override status = 400
  static override message = 'Invalid input.'
  static override code = 'invalid'

  override readonly errors: ErrorTree<ErrorDetail>

  constructor(detail?: ValidationDetail, code?: string) {
    super()
    const type = new.target
    this.errors = normalizeDetail(detail ?? createDetail(undefined, code, type), code ?? type.code)
    this.message = summarize(this.errors)
  }
}

/**
 * The errors of several objects in one request: a list in the order of the request, in which objects without errors are `{}`. The
 * status is that of the first error.
 */
export class ItemErrors extends APIException {
  static override status = 400
  static override message = 'Invalid input.'
  static override code = 'invalid'

  override readonly status: number
  override readonly errors: readonly ErrorTree<ErrorDetail>[]

  constructor(errors: readonly (APIException | undefined)[]) {
    super()
    this.status = errors.find(error => error !== undefined)?.status ?? ItemErrors.status
    this.errors = errors.map(error => {
      if (error === undefined) return {}
      return isDetail(error.errors) ? { detail: error.errors } : error.errors
    })
    this.message = summarize(this.errors)
  }
}

// The default text of an exception is translated by its code, unless a subclass has replaced the text of a known code.
function createDetail(
  message: MessageText | undefined,
  code: string | undefined,
  type: Pick<typeof APIException, 'message' | 'code'>,
): ErrorDetail {
  if (typeof message === 'object') return code === undefined ? message : { ...message, code }
  if (message !== undefined) return { message, code: code ?? type.code }
  const known = Object.hasOwn(frameworkMessages.texts, type.code) && frameworkMessages(type.code as 'invalid')
  if (known && known.message === type.message) return code === undefined ? known : { ...known, code }
  return { message: type.message, code: code ?? type.code, ...(!known && { key: type.code }) }
}

function createThrottledMessage(wait: number | undefined): ErrorDetail | undefined {
  if (wait === undefined) return undefined
  const seconds = Math.ceil(wait)
  return frameworkMessages(seconds === 1 ? 'throttled.second' : 'throttled.seconds', { seconds })
}

// `{ detail: 'Too late.' }` is the body of an error without fields, as in Django REST framework, and no list.
function normalizeDetail(detail: ValidationDetail, code: string): ErrorTree<ErrorDetail> {
  const errors = normalizeErrors(detail, code)
  const text = Object.keys(detail).join() === 'detail' ? (detail as { readonly detail: ValidationDetail }).detail : []
  return typeof text === 'string' || isDetail(text)
    ? { detail: (errors as { readonly detail: readonly ErrorDetail[] }).detail[0]! }
    : errors
}

function normalizeErrors(detail: ValidationDetail, code: string): ErrorTree<ErrorDetail> {
  if (typeof detail === 'string') return [{ message: detail, code }]
  if (isDetail(detail)) return [detail]
  if (!Array.isArray(detail))
    return mapEntries(detail as Record<string, ValidationDetail>, item => normalizeErrors(item, code))
  return detail.map(item => {
    if (typeof item === 'string') return { message: item, code }
    return isDetail(item) ? item : normalizeErrors(item, code)
  })
}

function summarize(tree: ErrorTree<ErrorDetail>): string {
  return JSON.stringify(mapErrors(tree, error => error.message))
}
