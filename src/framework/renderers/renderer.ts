// Turns an answer's content into the bytes of one media type. Runs last; rejects nothing.

import type { Readable } from 'node:stream'
import type { Content } from '../answer.ts'

export interface Renderer {
  /** What is negotiated, such as `application/json`. */
  readonly mediaType: string
  /** The value of `?format=` that asks for this renderer. */
  readonly format: string
  /** The `Content-Type` of what it writes. */
  readonly contentType: string
  /** Media type parameters that callers may set, such as `indent`. */
  readonly parameters?: readonly string[]
  /** Can this content be written in this media type? What cannot, such as an error on a view of documents, is JSON. */
  takes(content: Content): boolean
  render(content: Content, parameters: ReadonlyMap<string, string>): string | Readable | Promise<string | Readable>
}
