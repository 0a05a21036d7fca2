// Bodies of HTML forms with files, `multipart/form-data` (RFC 7578): the handler gets part after part while the body
// arrives. Nothing is read before the handler asks, and nothing is kept: a slow reader makes a slow client.

import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { FastifyRequest } from 'fastify'
import { type APIException, PayloadTooLarge } from '../errors/exceptions.ts'
import type { MediaType } from '../negotiation/media-type.ts'
import { DelimitedReader } from './delimited-reader.ts'
import { multipartError } from './multipart.ts'
import type { Parser } from './parser.ts'
import { type PartHead, parsePartHead } from './part-head.ts'
import { checkLength, readChunks } from './read-body.ts'
import type { FieldPart, FilePart, Part } from './request-body.ts'

export interface MultipartStreamOptions {
  /** The largest file in bytes; default 16 MiB. More is PayloadTooLarge, from the file's stream. */
  readonly maxFileSize?: number
  /** The most files that a form may have; default 10. */
  readonly maxFiles?: number
  /** The most fields that a form may have beside its files; default 1000. */
  readonly maxFields?: number
  /** The longest value of a field in bytes; default 1 MiB. */
  readonly maxFieldSize?: number
  /** The largest body in bytes; default 64 MiB. */
  readonly limit?: number
}

/**
 * The parser of views that take files; resources read forms with `multipartParser`. A file that the handler does not
 * read is skipped when it asks for the next part, and a handler may stop wherever it likes. A form that breaks a rule
 * or a limit makes the loop throw ParseError or PayloadTooLarge, after the parts before it have been handed over; a
 * client that goes away makes it throw BadRequest.
 *
 * @example
 * if (input.kind !== 'parts') throw new ParseError()
 * for await (const part of input.parts) {
 *   if (part.kind === 'file') await pipeline(part.stream, createWriteStream(newPath()))
 * }
 */
export function multipartStream(options: MultipartStreamOptions = {}): Parser {
  const limits = { ...defaults, ...options }
  return Object.freeze({
    mediaType: 'multipart/form-data',
    async parse(request: FastifyRequest, mediaType: MediaType) {
      checkLength(request, limits.limit)
      const boundary = parseBoundary(mediaType)
      return { kind: 'parts', parts: readParts(readChunks(request, limits.limit), boundary, limits) } as const
    },
  })
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
  if (!/^[0-9a-z'()+_,./:=? -]{0,69}[0-9a-z'()+_,./:=?-]$/i.test(boundary)) throw multipartError('there is no boundary')
  return boundary
}

async function* readParts(chunks: Bytes, boundary: string, limits: Limits): AsyncGenerator<Part, void, void> {
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  // The first delimiter may be the first line: then there is no line break before it, unless we put it there.
  const reader = new DelimitedReader(chunks, lineBreak, () => multipartError('the body ends too early'))
  const left = { field: limits.maxFields, file: limits.maxFiles }
  try {
    await skip(reader.until(delimiter))
    while (await hasPart(reader)) {
      const head = await readHead(reader)
      const kind = head.filename === undefined ? 'field' : 'file'
      if (left[kind]-- === 0) throw multipartError(`too many ${kind}s`)
      const content = reader.until(delimiter)
      if (kind === 'field') yield await readField(head, content, limits)
      else yield* readFile(head, content, limits)
    }
  } finally {
    // Not awaited: a handler that stops early does not wait for bytes that have yet to come.
    void chunks.return()
  }
}

// Behind a delimiter stand a line break and the head of a part, or the two dashes of the last.
async function hasPart(reader: DelimitedReader): Promise<boolean> {
  const start = await reader.peek(2)
  if (start.equals(lineBreak)) return true
  if (start.toString('latin1') === '--') return false
  throw multipartError('a boundary is followed by more than a line break')
}

async function readHead(reader: DelimitedReader): Promise<PartHead> {
  const tooLong = () => multipartError('the head of a part is too long')
  const bytes = await collect(reader.until(blankLine), maxHeadSize, tooLong)
  return parsePartHead(bytes.subarray(lineBreak.length))
}

async function readField({ name }: PartHead, content: Bytes, { maxFieldSize }: Limits): Promise<FieldPart> {
  const bytes = await collect(content, maxFieldSize, () => tooLarge('field', maxFieldSize))
  if (!isUtf8(bytes)) throw multipartError('a field is not valid UTF-8')
  if (bytes.includes(0)) throw multipartError('a field has null characters')
  return { kind: 'field', name, value: bytes.toString('utf8') }
}

async function* readFile(head: PartHead, content: Bytes, { maxFileSize }: Limits): AsyncGenerator<FilePart> {
  const bytes = bounded(content, maxFileSize, () => tooLarge('file', maxFileSize))
  const { stream, failure } = openStream(bytes)
  try {
    yield { kind: 'file', name: head.name, filename: head.filename!, mediaType: head.mediaType, stream }
    if (!stream.destroyed) await finished(stream.resume()).catch(() => undefined)
    // What a reader that destroyed the stream has left.
    await skip(bytes)
    if (failure()) throw failure()
  } finally {
    stream.destroy()
  }
}

// A failure reaches whoever reads the stream, and whoever asks for the next part: no event goes unheard.
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
  return Buffer.concat(await Array.fromAsync(bounded(bytes, limit, failure)))
}

async function* bounded(bytes: Bytes, limit: number, failure: () => APIException): Bytes {
  let size = 0
  for await (const portion of bytes) {
    size += portion.length
    if (size > limit) throw failure()
    yield portion
  }
}

async function skip(bytes: Bytes): Promise<void> {
  for await (const _ of bytes);
}

const tooLarge = (what: string, limit: number): PayloadTooLarge =>
  new PayloadTooLarge(`A ${what} is larger than ${limit} bytes.`)
