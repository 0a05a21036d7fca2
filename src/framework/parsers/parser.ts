// Parses the request body, after all checks that do not need it. Rejects with ParseError (400), PayloadTooLarge (413)
// and UnsupportedMediaType (415).

import type { FastifyRequest } from 'fastify'
import { UnsupportedMediaType } from '../errors/exceptions.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import { type MediaType, parseMediaType } from '../negotiation/media-type.ts'
import { emptyBody, type RequestBody } from './request-body.ts'

/** Parses bodies of one media type. */
export interface Parser {
  readonly mediaType: string
  parse(request: FastifyRequest, mediaType: MediaType): Promise<RequestBody>
}

/** Parses the body of this request with the parser for its media type. */
export function parseBody(request: FastifyRequest, parsers: readonly Parser[]): MaybePromise<RequestBody> {
  if (!hasBody(request)) return emptyBody
  const header = request.headers['content-type'] ?? ''
  const mediaType = parseMediaType(header)
  const parser =
    mediaType && parsers.find(candidate => candidate.mediaType === `${mediaType.type}/${mediaType.subtype}`)
  if (parser === undefined || hasUnsupportedEncoding(request, mediaType!)) throw new UnsupportedMediaType(header)
  return parser.parse(request, mediaType!)
}

function hasBody({ method, headers }: FastifyRequest): boolean {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS' || method === 'DELETE') return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

// Text must be UTF-8 (RFC 8259 §8.1), and content codings are not supported.
function hasUnsupportedEncoding({ headers }: FastifyRequest, { parameters }: MediaType): boolean {
  const charset = parameters.get('charset')?.toLowerCase() ?? 'utf-8'
  const coding = headers['content-encoding']?.toLowerCase() ?? 'identity'
  return (charset !== 'utf-8' && charset !== 'utf8') || coding !== 'identity'
}
