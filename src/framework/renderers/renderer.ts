// Turns an answer's content into the bytes of one media type. Runs last; rejects nothing.

import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { MaybePromise } from '../maybe-promise.ts'
import type { HeaderFields, HeaderLayers, ResponseBody } from '../response.ts'
import type { Notes, View } from '../view.ts'

export interface Renderer {
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
    exchange: RenderContext,
  ): MaybePromise<string | Readable>
}

/** Where an API has the files of its renderers, below its own URL. */
export const assetFolder = '/-/'

/** A file that an API serves beside its views; its name changes with its contents. */
export interface Asset {
  readonly name: string
  readonly contentType: string
  readonly body: Buffer
}

/** What an answer belongs to, for renderers that show more than its content. */
export interface RenderContext {
  readonly view: View
  readonly request: FastifyRequest
  readonly notes: Notes
  readonly status: number
  /** Those of the answer; {@link joinLayers} makes one object of them. */
  readonly headers: HeaderLayers
  /** What was thrown; undefined where the view answered. */
  readonly error: unknown
}
