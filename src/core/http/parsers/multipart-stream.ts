// Bodies of HTML forms with files, `multipart/form-data` (RFC 7578): the handler receives the parts while the body
// arrives. Bytes are read only on demand and are not stored, so the client sends no faster than the handler reads.

import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { FastifyRequest } from 'fastify'
import { type APIException, PayloadTooLarge } from '../../errors/exceptions.ts'
import { frameworkMessages } from '../../messages/english.ts'
import type { MediaType } from '../negotiation/media-type.ts'
import { DelimitedReader } from './delimited-reader.ts'
import { createMultipartError } from './multipart-error.ts'
import type { Parser } from './parser.ts'
import { type PartHead, parsePartHead } from './part-head.ts'
import { checkLength, readChunks } from './read-body.ts'
import type { ContentPart, FieldPart, FilePart, Part } from './request-body.ts'

export interface MultipartStreamOptions {
  /** The largest file in bytes; default 16 MiB. The stream of a larger file fails with PayloadTooLarge. */
  readonly maxFileSize?: number
  /** The maximum number of files; default 10. */
  readonly maxFiles?: number
  /** The maximum number of fields, in addition to files; default 1000. */
  readonly maxFields?: number
  /** The longest field value in bytes; default 1 MiB. */
  readonly maxFieldSize?: number
  /** The largest body in bytes; default 64 MiB. */
  readonly limit?: number
}

/**
 * Creates the parser for views that accept files; resources parse forms with `multipartParser`. A file that the handler
 * does not read is skipped when the handler requests the next part, and the handler may stop at any part. If the form
 * is malformed or exceeds a limit, iterating throws ParseError or PayloadTooLarge after yielding the parts before the
 * error; if the client disconnects, it throws BadRequest.
 *
 * @example
 * if (body.kind !== 'parts') throw new ParseError()
 * for await (const part of body.parts) {
 *   if (part.kind === 'file') await pipeline(part.stream, createWriteStream(newPath()))
 * }
 */
export function multipartStream(options: MultipartStreamOptions = {}): Parser {
  const limits = { ...defaults, ...options }
  return Object.freeze({
    mediaType: 'multipart/form-data',
    async parse(request: FastifyRequest, mediaType: MediaType) {
      return { kind: 'parts', parts: openFiles(readParts(request, mediaType, limits), limits) } as const
    },
  })
}

/** The limits of a form, of which `maxFileSize` is up to the reader of each file. */
export type PartLimits = Required<Omit<MultipartStreamOptions, 'maxFileSize'>>

/** Reads the parts of a form while it arrives, and skips what was not read of a file. Throws as `multipartStream` does. */
export function readParts(
  request: FastifyRequest,
  mediaType: MediaType,
  limits: PartLimits,
): AsyncGenerator<FieldPart | ContentPart, void, void> {
  checkLength(request, limits.limit)
  return splitParts(readChunks(request, limits.limit), parseBoundary(mediaType), limits)
}

const megabyte = 1024 * 1024
const defaults: Required<MultipartStreamOptions> = {
  maxFileSize: 16 * megabyte,
  maxFiles: 10,
  maxFields: 1000,
  maxFieldSize: megabyte,
  limit: 64 * megabyte,
}

type Limits = typeof defaults
type Bytes = AsyncGenerator<Buffer, void, void>

const maxHeadSize = 16 * 1024
const lineBreak = Buffer.from('\r\n')
const blankLine = Buffer.from('\r\n\r\n')

// RFC 2046 §5.1.1.
function parseBoundary({ parameters }: MediaType): string {
  const boundary = parameters.get('boundary') ?? ''
  if (!/^[0-9a-z'()+_,./:=? -]{0,69}[0-9a-z'()+_,./:=?-]$/i.test(boundary))
    throw createMultipartError('there is no boundary')
  return boundary
}

async function* splitParts(
  chunks: Bytes,
  boundary: string,
  limits: PartLimits,
): AsyncGenerator<FieldPart | ContentPart, void, void> {
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  // The reader begins with a line break, so that a delimiter in the first line of the body matches too.
  const reader = new DelimitedReader(chunks, lineBreak, () => createMultipartError('the body ends too early'))
  const remaining = { field: limits.maxFields, file: limits.maxFiles }
  try {
    await skip(reader.until(delimiter))
    while (await hasPart(reader)) {
      const head = await readHead(reader)
      const kind = head.filename === undefined ? 'field' : 'file'
      if (remaining[kind]-- === 0) throw createMultipartError(`too many ${kind}s`)
      const content = reader.until(delimiter)
      if (kind === 'field') {
        yield await readField(head, content, limits)
        continue
      }
      const { name, filename = '', mediaType } = head
      yield { kind: 'file', name, filename, mediaType, content }
      await skip(content)
    }
  } finally {
    // Not awaited: a handler that stops early does not wait for the rest of the body.
    void chunks.return()
  }
}

// After a delimiter comes a line break and the head of a part, or `--` after the last part.
async function hasPart(reader: DelimitedReader): Promise<boolean> {
  const start = await reader.peek(2)
  if (start.equals(lineBreak)) return true
  if (start.toString('latin1') === '--') return false
  throw createMultipartError('a boundary is followed by more than a line break')
}

async function readHead(reader: DelimitedReader): Promise<PartHead> {
  const tooLong = () => createMultipartError('the head of a part is too long')
  const bytes = await collect(reader.until(blankLine), maxHeadSize, tooLong)
  return parsePartHead(bytes.subarray(lineBreak.length))
}

async function readField({ name }: PartHead, content: Bytes, { maxFieldSize }: PartLimits): Promise<FieldPart> {
  const bytes = await collect(
    content,
    maxFieldSize,
    () => new PayloadTooLarge(frameworkMessages('payload_too_large.field', { limit: maxFieldSize })),
  )
  if (!isUtf8(bytes)) throw createMultipartError('a field is not valid UTF-8')
  if (bytes.includes(0)) throw createMultipartError('a field has null characters')
  return { kind: 'field', name, value: bytes.toString('utf8') }
}

async function* openFiles(
  parts: AsyncIterable<FieldPart | ContentPart>,
  limits: Limits,
): AsyncGenerator<Part, void, void> {
  for await (const part of parts)
    if (part.kind === 'field') yield part
    else yield* openFile(part, limits)
}

async function* openFile({ content, ...part }: ContentPart, { maxFileSize }: Limits): AsyncGenerator<FilePart> {
  const bytes = limitSize(
    content,
    maxFileSize,
    () => new PayloadTooLarge(frameworkMessages('payload_too_large.file', { limit: maxFileSize })),
  )
  const { stream, failure } = openStream(bytes)
  try {
    yield { ...part, stream }
    if (!stream.destroyed) await finished(stream.resume()).catch(() => undefined)
    // Skips the rest of the file if the handler destroyed the stream.
    await skip(bytes)
    if (failure()) throw failure()
  } finally {
    stream.destroy()
  }
}

// A failure is thrown to the consumer of the stream, and again when the handler requests the next part. The empty
// listener prevents an unhandled 'error' event.
function openStream(bytes: Bytes): { readonly stream: Readable; failure(): unknown } {
  let failure: unknown
  const stream = new Readable({
    read() {
      bytes.next().then(
        ({ value }) => this.push(value ?? null),
        error => {
          failure = error
          this.destroy(error)
        },
      )
    },
  })
  stream.on('error', () => undefined)
  return { stream, failure: () => failure }
}

async function collect(bytes: Bytes, limit: number, failure: () => APIException): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(limitSize(bytes, limit, failure)))
}

async function* limitSize(bytes: AsyncIterable<Buffer>, limit: number, failure: () => APIException): Bytes {
  let size = 0
  for await (const portion of bytes) {
    size += portion.length
    if (size > limit) throw failure()
    yield portion
  }
}

async function skip(bytes: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of bytes);
}
