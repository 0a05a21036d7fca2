// A request's body within a limit, whole or in chunks.

import { isUtf8 } from 'node:buffer'
import type { FastifyRequest } from 'fastify'
import { BadRequest, ParseError, PayloadTooLarge } from '../errors/exceptions.ts'

/** The body as text. `limit` is in bytes; more is PayloadTooLarge, what is not UTF-8 a ParseError with `prefix`. */
export async function readText(request: FastifyRequest, limit: number, prefix: string): Promise<string> {
  const bytes = await readBytes(request, limit)
  if (!isUtf8(bytes)) throw new ParseError(`${prefix} - the body is not valid UTF-8`)
  return bytes.toString('utf8')
}

/** The body as bytes; `limit` is in bytes, more is PayloadTooLarge. */
export async function readBytes(request: FastifyRequest, limit: number): Promise<Buffer> {
  checkLength(request, limit)
  const chunks: Buffer[] = []
  for await (const chunk of readChunks(request, limit)) chunks.push(chunk)
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}

/** Throws PayloadTooLarge for a body that says itself that it is, before any of it is read. */
export function checkLength(request: FastifyRequest, limit: number): void {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw new PayloadTooLarge()
}

/**
 * The body as it arrives; `limit` is in bytes, more is PayloadTooLarge. What is left when the reader stops is thrown
 * away as it comes, so that the client gets its answer and the connection its next request.
 */
export async function* readChunks(request: FastifyRequest, limit: number): AsyncGenerator<Buffer, void, void> {
  let size = 0
  try {
    for await (const chunk of request.raw.iterator({ destroyOnReturn: false })) {
      size += chunk.length
      if (size > limit) throw new PayloadTooLarge()
      yield chunk
    }
  } catch (error) {
    throw error instanceof PayloadTooLarge ? error : incomplete(error)
  } finally {
    request.raw.resume()
  }
}

// A client that goes away before its body is complete is no fault of the service.
function incomplete(cause: unknown): BadRequest {
  return Object.assign(new BadRequest('The request body is incomplete.'), { cause })
}
