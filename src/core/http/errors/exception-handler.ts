// Turns an exception into a response (ERR-BODY). Runs for everything thrown between the arrival of a request and its
// response, never for a response that a view returns (ERR-BODY-4). If the handler returns undefined, the exception is
// re-raised, and the caller gets the generic 500 (ERR-BODY-3).

import type { FastifyRequest } from 'fastify'
import { memoize } from '../../base/bounded-map.ts'
import type { MaybePromise } from '../../base/maybe-promise.ts'
import { type ErrorTree, mapEntries } from '../../errors/error-tree.ts'
import { APIException, ItemErrors, type ResourceNames } from '../../errors/exceptions.ts'
import type { ErrorDetail } from '../../messages/catalogue.ts'
import type { Refusal } from '../context.ts'
import { localizeError } from '../languages/localize.ts'
import { type ApiResponse, cacheJson } from '../response.ts'
import { problemBody, problemHeaders } from './problem.ts'

/** The context of an exception. */
export interface ExceptionContext {
  readonly request: FastifyRequest
  /** The view's name; undefined if no view was found. */
  readonly viewName: string | undefined
  /**
   * The resource to which the URL belongs, or for NotFound the resource of the missing object, which may be a parent in the
   * URL; undefined if the view belongs to no resource.
   */
  readonly resource: ResourceNames | undefined
  /** How this view refuses callers without an identity (AUTH-GEN-5). */
  readonly refusal: Refusal
  /** The key of validation errors that belong to no field (ERR-BODY-2). */
  readonly nonFieldErrorsKey: string
  /** Whether the client accepts problem details (RFC 9457). */
  readonly problem: boolean
  /** The text of an error in the caller's language. The texts of the thrown exception are already in this language. */
  readonly translate: (detail: ErrorDetail) => string
}

/**
 * Returns the response to an exception, or undefined to re-raise it (ERR-BODY-3). `error` is an exception of the catalogue, also
 * for an error of Fastify or a library whose `statusCode` is 4xx, which is its `cause`; anything else is what was thrown.
 */
export type ExceptionHandler = (error: unknown, context: ExceptionContext) => MaybePromise<ApiResponse | undefined>

/** The default exception handler: the body is `detail`, or the errors by field. */
export function exceptionHandler(error: unknown, context: ExceptionContext): ApiResponse | undefined {
  return error instanceof APIException ? createResponse(error, context, errorBody) : undefined
}

/** The default handler when no application code reads the body: the JSON of frequent bodies is cached. */
export function cachingExceptionHandler(error: unknown, context: ExceptionContext): ApiResponse | undefined {
  return error instanceof APIException ? createResponse(error, context, cachedBody) : undefined
}

type CreateBody = (error: APIException, nonFieldErrorsKey: string) => object

function createResponse(error: APIException, context: ExceptionContext, createBody: CreateBody): ApiResponse {
  const { nonFieldErrorsKey, refusal, problem, translate } = context
  const content = createBody(error, nonFieldErrorsKey)
  const response = applyChallenge({ status: error.status, headers: error.headers, body: content }, refusal)
  if (!problem) return response
  const { status, headers } = response
  return { status, headers: { ...headers, ...problemHeaders }, body: problemBody(error, status, content, translate) }
}

/**
 * Returns the refusal with the challenge of the error, if the error has one. The first scheme still decides whether a
 * 401 becomes 403 (AUTH-GEN-5).
 */
export function refineRefusal(refusal: Refusal, error: unknown): Refusal {
  if (!(error instanceof APIException) || error.challenge === undefined) return refusal
  if (error.status === 403) return { ...refusal, forbiddenChallenge: error.challenge }
  return refusal.challenge === undefined ? refusal : { ...refusal, challenge: error.challenge }
}

/**
 * Makes a 401 or 403 agree with the view's first scheme (AUTH-GEN-5): a 401 gets the scheme's challenge, or becomes 403
 * if the scheme has none. A 403 has a challenge only if its exception has one (AUTH-GEN-6). The lifecycle applies this
 * to the response of every handler.
 */
export function applyChallenge(response: ApiResponse, { challenge, forbiddenChallenge }: Refusal): ApiResponse {
  const { body } = response
  if (response.status !== 401 && response.status !== 403) return response
  const status = response.status === 401 && challenge !== undefined ? 401 : 403
  const challengeHeader = status === 401 ? challenge : forbiddenChallenge
  if (response.status === status && response.headers?.['www-authenticate'] === challengeHeader) return response
  if (challengeHeader !== undefined)
    return { status, headers: { ...response.headers, 'www-authenticate': challengeHeader }, body }
  const { 'www-authenticate': _, ...headers } = response.headers ?? {}
  return { status, headers, body }
}

/**
 * Creates the body of an exception: `{"detail": text}` and the exception's members, or lists of texts by field name
 * (ERR-BODY-1, ERR-BODY-2). The errors of nested objects are a list of such objects.
 */
export function errorBody(error: APIException, nonFieldErrorsKey: string): object {
  const { detail, members } = error
  if (typeof detail === 'string') return { detail, ...members }
  const named = nameNonFieldErrors(detail, nonFieldErrorsKey)
  return Array.isArray(named) && !(error instanceof ItemErrors) ? { [nonFieldErrorsKey]: named } : (named as object)
}

// The errors of an object in a list that belong to none of its fields get the same name as those of the whole body.
function nameNonFieldErrors(tree: ErrorTree<string>, nonFieldErrorsKey: string): ErrorTree<string> {
  if (typeof tree === 'string') return tree
  const name = (item: ErrorTree<string>) => nameNonFieldErrors(item, nonFieldErrorsKey)
  return Array.isArray(tree)
    ? tree.map(item => (Array.isArray(item) ? { [nonFieldErrorsKey]: item } : name(item)))
    : mapEntries(tree as Record<string, ErrorTree<string>>, name)
}

const detailBody = memoize(detail => cacheJson({ detail }), { maxEntries: 1000, maxLength: 200 })

function cachedBody(error: APIException, nonFieldErrorsKey: string): object {
  const { detail, members } = error
  const isText = typeof detail === 'string' && Object.keys(members).length === 0
  return isText ? detailBody(detail) : errorBody(error, nonFieldErrorsKey)
}

/** The generic response to an unhandled exception (ERR-EXC-r11). */
export const serverError = (context: ExceptionContext): ApiResponse =>
  createResponse(localizeError(new APIException(), context), context, errorBody)

/** Optional generic responses in the style of the host framework (ERR-BODY-5). */
export const genericServerError = (): ApiResponse => generic(500, 'Server Error (500)')
export const genericBadRequest = (): ApiResponse => generic(400, 'Bad Request (400)')

function generic(status: number, error: string): ApiResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: { error } }
}
