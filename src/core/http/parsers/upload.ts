// Forms with files for resources: the fields before the first file are read at once, so that a CSRF token among them is
// checked before anything is stored. The files are read on demand.

import type { FastifyRequest } from 'fastify'
import { PayloadTooLarge } from '../../errors/exceptions.ts'
import type { MediaType } from '../negotiation/media-type.ts'
import { readParts } from './multipart-stream.ts'
import type { FileLimits, Parser } from './parser.ts'
import type { ContentPart, FieldPart, RequestBody } from './request-body.ts'

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
  const limits = {
    maxFiles: files.maxFiles,
    maxFields,
    maxFieldSize: limit,
    limit: limit + files.maxSize + headsSize,
  }
  return Object.freeze({
    mediaType: 'multipart/form-data',
    async parse(request: FastifyRequest, mediaType: MediaType): Promise<RequestBody> {
      return startUpload(readParts(request, mediaType, limits), limit)
    },
  })
}

async function startUpload(parts: AsyncIterable<FieldPart | ContentPart>, limit: number): Promise<RequestBody> {
  const form = new URLSearchParams()
  const files = readFiles(parts, form, limit)
  const { done, value: first } = await files.next()
  if (done) return { kind: 'form', form }
  const discard = () => void files.return().catch(() => undefined)
  return { kind: 'upload', form, files: startWith(first, files), discard }
}

async function* readFiles(
  parts: AsyncIterable<FieldPart | ContentPart>,
  form: URLSearchParams,
  limit: number,
): AsyncGenerator<ContentPart, void, void> {
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
