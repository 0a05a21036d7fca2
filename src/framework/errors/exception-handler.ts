// Turns an exception into an answer (ERR-BODY). Runs for whatever is thrown between the arrival of a request and its
// answer, never for an answer that a view returns (ERR-BODY-4).
// A handler that answers nothing has the exception re-raised, and the caller gets the generic 500 (ERR-BODY-3).

import type { FastifyRequest } from 'fastify'
import type { Refusal } from '../context.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import { remember } from '../remember.ts'
import { type ApiResponse, writtenOnce } from '../response.ts'
import { APIException } from './exceptions.ts'
import { problemBody, problemHeaders } from './problem.ts'

/** What a handler may want to know beside the exception. */
export interface ExceptionContext {
  readonly request: FastifyRequest
  /** The view's name; undefined where no view was found. */
  readonly viewName: string | undefined
  /** How this view refuses a caller it does not know (AUTH-GEN-5). */
  readonly refusal: Refusal
  /** The key of validation errors that belong to no field (ERR-BODY-2). */
  readonly nonFieldErrorsKey: string
  /** Does the client want problem details (RFC 9457)? */
  readonly problem: boolean
}

/** Answers an exception, or nothing to have it re-raised (ERR-BODY-3). */
export type ExceptionHandler = (error: unknown, context: ExceptionContext) => MaybePromise<ApiResponse | undefined>

/** The handler of an API that names no other: the body is `detail`, or the errors by field. */
export function exceptionHandler(error: unknown, context: ExceptionContext): ApiResponse | undefined {
  return error instanceof APIException ? answerTo(error, context, errorBody) : undefined
}

/** The same where nobody looks into the body before it goes out: the few texts that strangers get are written once. */
export function finalExceptionHandler(error: unknown, context: ExceptionContext): ApiResponse | undefined {
  return error instanceof APIException ? answerTo(error, context, writtenBody) : undefined
}

type BodyOf = (error: APIException, nonFieldErrorsKey: string) => object

function answerTo(error: APIException, context: ExceptionContext, bodyOf: BodyOf): ApiResponse {
  const { nonFieldErrorsKey, refusal, problem } = context
  const content = bodyOf(error, nonFieldErrorsKey)
  const response = obeyScheme({ status: error.status, headers: error.headers, body: content }, refusal)
  if (!problem) return response
  const { status, headers } = response
  return { status, headers: { ...headers, ...problemHeaders }, body: problemBody(error, status, content) }
}

/**
 * The answer as the first scheme wants it (AUTH-GEN-5): 401 with its challenge, 403 where it has none. A 403 never
 * carries one (AUTH-GEN-6). The lifecycle asks this of every handler's answer.
 */
export function obeyScheme(response: ApiResponse, { challenge }: Refusal): ApiResponse {
  const { body } = response
  if (response.status !== 401 && response.status !== 403) return response
  const wanted = response.status === 401 ? challenge : undefined
  const status = wanted === undefined ? 403 : 401
  if (response.status === status && response.headers?.['www-authenticate'] === wanted) return response
  if (wanted !== undefined) return { status, headers: { ...response.headers, 'www-authenticate': wanted }, body }
  const { 'www-authenticate': _, ...headers } = response.headers ?? {}
  return { status, headers, body }
}

/** The body of an exception: `{"detail": text}` and its members, or lists of texts by field name (ERR-BODY-1, ERR-BODY-2). */
export function errorBody(error: APIException, nonFieldErrorsKey: string): object {
  const { detail, members } = error
  if (typeof detail === 'string') return { detail, ...members }
  return Array.isArray(detail) ? { [nonFieldErrorsKey]: detail } : detail
}

const detailBody = remember(detail => writtenOnce({ detail }), { entries: 1000, longest: 200 })

function writtenBody(error: APIException, nonFieldErrorsKey: string): object {
  const { detail, members } = error
  const isText = typeof detail === 'string' && Object.keys(members).length === 0
  return isText ? detailBody(detail) : errorBody(error, nonFieldErrorsKey)
}

/** The generic answer to an unhandled exception (ERR-EXC-r11). */
export const serverError = (context: ExceptionContext): ApiResponse => answerTo(new APIException(), context, errorBody)

/** Opt-in generic answers in the host framework's manner (ERR-BODY-5). */
export const genericServerError = (): ApiResponse => generic(500, 'Server Error (500)')
export const genericBadRequest = (): ApiResponse => generic(400, 'Bad Request (400)')

function generic(status: number, error: string): ApiResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: { error } }
}
