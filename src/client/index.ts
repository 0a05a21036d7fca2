// The entry point 'resource-api/client': a typed client for browsers, Node, Deno, Bun and workers, without dependencies.

export type { Call, Result } from './call.ts'
export type { Client, Source } from './client.ts'
export { createClient } from './create-client.ts'
export {
  ClientError,
  type ErrorKind,
  type FieldErrors,
  type InvalidError,
  isAborted,
  isConflict,
  isForbidden,
  isInvalid,
  isNetworkError,
  isNotFound,
  isPreconditionFailed,
  isThrottled,
  isTimeout,
  isUnauthenticated,
  isUnavailable,
  isUnreadable,
  type RequestError,
  type WholeErrors,
} from './errors.ts'
export type {
  ClientOptions,
  Fetch,
  Interceptors,
  OutgoingRequest,
  Progress,
  RequestOptions,
} from './options.ts'
export type { CappedPage, Page, UncountedPage } from './pages.ts'
export type { EachOutcome, ListQuery } from './resource-client.ts'
