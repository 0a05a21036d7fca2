// Forms with files for resources: the fields before the first file are read at once, so that a CSRF token among them is
// checked before anything is stored. The files are read on demand.

import type { FastifyRequest } from 'fastify'
import { PayloadTooLarge } from '../errors/exceptions.ts'
import type { MediaType } from '../negotiation/media-type.ts'
import { multipartStream } from './multipart-stream.ts'
import type { FileLimits, Parser } from './parser.ts'
import type { FilePart, Part, RequestBody } from './request-body.ts'

export interface UploadOptions {
  /** The size of all fields together, in bytes. */
  readonly limit: number
  readonly maxFields: number
  readonly files: FileLimits
}

/** The heads of the parts may have this size together, in bytes. */
const headsSize = 256 * 1024

/** Creates the parser. A form without files is parsed as by `multipartParser`. */
export function uploadParser({ limit, maxFields, files }: UploadOptions): Parser {
  const stream = multipartStream({
    maxFileSize: Number.POSITIVE_INFINITY,
    maxFiles: files.maxFiles,
    maxFields,
    maxFieldSize: limit,
    limit: limit + files.maxSize + headsSize,
  })
  return Object.freeze({
    mediaType: stream.mediaType,
    async parse(request: FastifyRequest, mediaType: MediaType): Promise<RequestBody> {
      const body = await stream.parse(request, mediaType)
      return body.kind === 'parts' ? startUpload(body.parts, limit) : body
    },
  })
}

async function startUpload(parts: AsyncIterable<Part>, limit: number): Promise<RequestBody> {
  const form = new URLSearchParams()
  const files = readFiles(parts, form, limit)
  const { done, value: first } = await files.next()
  if (done) return { kind: 'form', form }
  const discard = () => void files.return().catch(() => undefined)
  return { kind: 'upload', form, files: startWith(first, files), discard }
}

async function* readFiles(
  parts: AsyncIterable<Part>,
  form: URLSearchParams,
  limit: number,
): AsyncGenerator<FilePart, void, void> {
  let size = 0
  for await (const part of parts) {
    if (part.kind === 'file') {
      yield part
      continue
    }
    size += part.value.length
    if (size > limit) throw new PayloadTooLarge()
    form.append(part.name, part.value)
  }
}

async function* startWith<Item>(first: Item, others: AsyncIterable<Item>): AsyncGenerator<Item, void, void> {
  yield first
  yield* others
}
