// The public door 'resource-api/client': a typed client for browsers, Node, Deno, Bun and workers, without dependencies.

export type { Call, Result } from './client/call.ts'
export type { Client } from './client/client.ts'
export { createClient } from './client/create-client.ts'
export {
  ClientError,
  type FieldErrors,
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
} from './client/errors.ts'
export type { FeedChange } from './client/follow.ts'
export type { ClientOptions, RequestOptions } from './client/options.ts'
export type { CappedPage, Page, UncountedPage } from './client/pages.ts'
export type { EachOutcome, ListQuery } from './client/resource-client.ts'
