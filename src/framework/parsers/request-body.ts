// A request's body as a parser read it.

import type { Readable } from 'node:stream'

/**
 * The body: empty, data, the fields of a form, in which a name may occur several times, or a stream of parts. In data
 * from JSON, an integer beyond ±(2^53 - 1) is a `bigint`.
 */
export type RequestBody =
  | { readonly kind: 'empty' }
  | { readonly kind: 'data'; readonly data: unknown }
  | { readonly kind: 'form'; readonly form: URLSearchParams }
  | { readonly kind: 'parts'; readonly parts: AsyncIterable<Part> }

/** One part of a form that is read while it arrives. */
export type Part = FieldPart | FilePart

export interface FieldPart {
  readonly kind: 'field'
  readonly name: string
  readonly value: string
}

export interface FilePart {
  readonly kind: 'file'
  readonly name: string
  /** What the client calls the file: text, never a path, and possibly empty. No name to store anything under. */
  readonly filename: string
  /** `type/subtype` as the client says, in lower case; proves nothing of the content. */
  readonly mediaType: string
  /** The content, to be read before the next part is asked for. Fails with PayloadTooLarge, ParseError, BadRequest. */
  readonly stream: Readable
}

export const emptyBody: RequestBody = Object.freeze({ kind: 'empty' })
