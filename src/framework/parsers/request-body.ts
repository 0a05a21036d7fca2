// The request body as a parser returns it.

import type { Readable } from 'node:stream'

/**
 * The body: empty, data, form fields (names may repeat), or a stream of parts. In data from JSON, an integer beyond
 * ±(2^53 - 1) is a `bigint`.
 */
export type RequestBody =
  | { readonly kind: 'empty' }
  | { readonly kind: 'data'; readonly data: unknown }
  | { readonly kind: 'form'; readonly form: URLSearchParams }
  | { readonly kind: 'parts'; readonly parts: AsyncIterable<Part> }

/** One part of a streamed form. */
export type Part = FieldPart | FilePart

export interface FieldPart {
  readonly kind: 'field'
  readonly name: string
  readonly value: string
}

export interface FilePart {
  readonly kind: 'file'
  readonly name: string
  /** The filename that the client sent, without its path; may be empty. Do not use it as the name of a stored file. */
  readonly filename: string
  /** `type/subtype` as the client declares it, in lower case. It does not prove what the content is. */
  readonly mediaType: string
  /** The content; read it before requesting the next part. Fails with PayloadTooLarge, ParseError or BadRequest. */
  readonly stream: Readable
}

export const emptyBody: RequestBody = Object.freeze({ kind: 'empty' })
