// Turns an answer's content into the bytes of one media type. Runs last; rejects nothing.

import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { RequestContext, ViewInfo } from '../context.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { RequestBody } from '../parsers/request-body.ts'
import type { HeaderFields, HeaderLayers, ResponseBody } from '../response.ts'

/** The writer of one media type. `V` is what it knows of the view. */
export interface Renderer<V extends ViewInfo = ViewInfo> {
  /** What is negotiated, such as `application/json`. */
  readonly mediaType: string
  /** The value of `?format=` that asks for this renderer. */
  readonly format: string
  /** The `Content-Type` of what it writes. */
  readonly contentType: string
  /** Header fields of what it writes, beside the type. */
  readonly headers?: HeaderFields
  /** Files that its pages need: an API serves them below `/-/`. */
  readonly assets?: readonly Asset[]
  /** Media type parameters that callers may set, such as `indent`. */
  readonly parameters?: readonly string[]
  /** Can this content be written in this media type? What cannot, such as an error on a view of documents, is JSON. */
  canRender(body: ResponseBody): boolean
  render(
    body: ResponseBody,
    parameters: ReadonlyMap<string, string>,
    context: RenderContext<V>,
  ): MaybePromise<string | Readable | RenderedBody>
}

/** Where an API has the files of its renderers, below its own URL. */
export const assetFolder = '/-/'

/** A file that an API serves beside its views; its name changes with its contents. */
export interface Asset {
  readonly name: string
  readonly contentType: string
  readonly body: Buffer
}

/** Bytes with header fields of their own, such as the cookie of a page's forms. */
export interface RenderedBody {
  readonly body: string | Readable
  readonly headers: HeaderFields
}

/** The request and the response that a body belongs to, for renderers that show more than the body. */
export interface RenderContext<V extends ViewInfo = ViewInfo> extends FoundRequest {
  readonly view: V
  readonly status: number
  /** Those of the response; {@link joinLayers} makes one object of them. */
  readonly headers: HeaderLayers
  /** What was thrown; undefined where the view answered. */
  readonly error: unknown
}

/** What the phases have found out about a request. */
export interface FoundRequest {
  readonly request: FastifyRequest
  /** Undefined where the request ended before its caller was known. */
  readonly requestContext: RequestContext | undefined
  /** Undefined where the request ended before its body was read. */
  readonly requestBody: RequestBody | undefined
}
