// A request on its way through a view, as policies, hooks and handlers see it.

import type { FastifyRequest } from 'fastify'
import type { Caller } from './authentication/identity.ts'
import type { RequestBody } from './parsers/request-body.ts'

/** A request whose caller is known. */
export interface RequestContext extends Caller {
  readonly request: FastifyRequest
  readonly view: ViewInfo
  /** Upper case. Usually the request's own method; another one while a page or `OPTIONS` asks what is allowed. */
  readonly method: string
  /** Where the API is mounted, as the client sees it: origin and prefix, without a trailing slash. */
  readonly baseUrl: string
}

/** What a handler gets: a request that passed all checks, and the body that a parser read. */
export interface HandlerContext extends RequestContext {
  readonly body: RequestBody
}

/** The view of a request, as far as its policies and handlers know it. */
export interface ViewInfo {
  /** For programs: metrics and the deployer's own pages know the view by it. */
  readonly id: string
  /** For people. */
  readonly name: string
  /** The pattern of its path, below the API's. */
  readonly path: string
  readonly description: string
  /** The path of the API as clients see it, without a trailing slash. */
  readonly root: string
  /** The path that the API is mounted at here, without a trailing slash: a proxy may have taken off the rest. */
  readonly prefix: string
  /** Does the view have an authentication scheme? Without one, every refusal is 403 (AUTH-GEN-5). */
  readonly hasSchemes: boolean
  readonly refusal: Refusal
}

/** How callers without an identity are refused: 401 with the challenge, 403 where there is none (AUTH-GEN-5). */
export interface Refusal {
  readonly challenge: string | undefined
}
