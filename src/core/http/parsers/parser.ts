// Parses the request body, after all checks that do not need it. Rejects with ParseError (400), PayloadTooLarge (413)
// and UnsupportedMediaType (415).

import type { FastifyRequest } from 'fastify'
import type { MaybePromise } from '../../base/maybe-promise.ts'
import { UnsupportedMediaType } from '../../errors/exceptions.ts'
import { type MediaType, parseMediaType } from '../negotiation/media-type.ts'
import { keepBytes } from './read-body.ts'
import { emptyBody, type RequestBody } from './request-body.ts'

/** How much a form with files may contain besides its fields. */
export interface FileLimits {
  /** The maximum number of files. */
  readonly maxFiles: number
  /** The size of all files together, in bytes. */
  readonly maxSize: number
}

/** Parses bodies of one media type. */
export interface Parser {
  readonly mediaType: string
  parse(request: FastifyRequest, mediaType: MediaType): Promise<RequestBody>
  /** Creates the parser for forms with files. Absent for other media types. */
  withFiles?(limits: FileLimits): Parser
}

/** Parses the body of this request with the parser for its media type; that of a DELETE only if `ofDelete`. */
export function parseBody(
  request: FastifyRequest,
  parsers: readonly Parser[],
  ofDelete = false,
): MaybePromise<RequestBody> {
  return (ofDelete && hasContent(request)) || hasBody(request) ? parseContent(request, parsers) : emptyBody
}

/** Reads the bytes of a body that will be parsed; undefined for a method without a body. */
export const readRawBody = (request: FastifyRequest, limit: number, ofDelete: boolean): Promise<Buffer> | undefined =>
  isBodiless(request.method) && !(ofDelete && request.method === 'DELETE') ? undefined : keepBytes(request, limit)

/** Parses the body of a DELETE, which most views ignore (RFC 9110 §9.3.5). */
export const readBodyOfDelete = (request: FastifyRequest, parsers: readonly Parser[]): MaybePromise<RequestBody> =>
  hasContent(request) ? parseContent(request, parsers) : emptyBody

function parseContent(request: FastifyRequest, parsers: readonly Parser[]): MaybePromise<RequestBody> {
  const header = request.headers['content-type'] ?? ''
  const mediaType = parseMediaType(header)
  const parser =
    mediaType && parsers.find(candidate => candidate.mediaType === `${mediaType.type}/${mediaType.subtype}`)
  if (parser === undefined || !isUtf8(mediaType!)) throw new UnsupportedMediaType(header)
  const coding = request.headers['content-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'identity') throw new UnsupportedContentCoding(coding)
  return parser.parse(request, mediaType!)
}

function hasBody(request: FastifyRequest): boolean {
  return !isBodiless(request.method) && hasContent(request)
}

const isBodiless = (method: string): boolean =>
  method === 'GET' || method === 'HEAD' || method === 'OPTIONS' || method === 'DELETE'

function hasContent({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

// Text must be UTF-8 (RFC 8259 §8.1).
function isUtf8({ parameters }: MediaType): boolean {
  const charset = parameters.get('charset')?.toLowerCase() ?? 'utf-8'
  return charset === 'utf-8' || charset === 'utf8'
}

/** Bodies must not be compressed. The header names the codings that are accepted (RFC 9110 §15.5.16). */
class UnsupportedContentCoding extends UnsupportedMediaType {
  override readonly headers = { 'accept-encoding': 'identity' }

  constructor(coding: string) {
    super(coding, `Unsupported content coding "${coding}" in request.`)
  }
}
