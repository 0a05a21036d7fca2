// The request body as a parser returns it.

import type { Readable } from 'node:stream'
import type { ValidationError } from '../../errors/exceptions.ts'
import type { UploadedFile } from '../files/stored-file.ts'

/**
 * The body: empty, data, form fields (names may repeat), a stream of parts, or a form of a resource with files. In data from
 * JSON, an integer beyond ±(2^53 - 1) is a `bigint`.
 */
export type RequestBody =
  | { readonly kind: 'empty' }
  | { readonly kind: 'data'; readonly data: unknown }
  | FormBody
  | { readonly kind: 'parts'; readonly parts: AsyncIterable<Part> }
  | UploadBody

/** A form as a whole. */
export interface FormBody {
  readonly kind: 'form'
  readonly form: URLSearchParams
  /** The files by field, once they are stored; the errors of those that were not. A list of files is an array. */
  readonly files?: ReadonlyMap<string, ReceivedFile | readonly ReceivedFile[]>
  /** The names of the files that no field takes. */
  readonly skipped?: readonly string[]
}

/** A file in its store, or the error of one that was refused. */
export type ReceivedFile = UploadedFile | ValidationError

/** A form with files, which has been read up to the first file. */
export interface UploadBody {
  readonly kind: 'upload'
  /** The fields that have arrived. It grows while the parts are read. */
  readonly form: URLSearchParams
  /** The files. Iterating reads the rest of the body. */
  readonly files: AsyncIterable<ContentPart>
  /** Discards the rest of the body, so that the client can reuse the connection. */
  discard(): void
}

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

/** A file whose content is read without a stream, which takes less processor time. */
export interface ContentPart extends Omit<FilePart, 'stream'> {
  /** Read it before requesting the next part. It is not closed: what is left of it is skipped then. */
  readonly content: AsyncIterator<Buffer, void, void> & AsyncIterable<Buffer, void, void>
}

export const emptyBody: RequestBody = Object.freeze({ kind: 'empty' })
