// A request's whole body, within a limit.

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
  if (Number(request.headers['content-length'] ?? 0) > limit) throw new PayloadTooLarge()
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of chunksOf(request)) {
    size += chunk.length
    if (size > limit) throw new PayloadTooLarge()
    chunks.push(chunk)
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)
}

// A client that goes away before its body is complete is no fault of the service.
async function* chunksOf(request: FastifyRequest): AsyncGenerator<Buffer> {
  try {
    yield* request.raw.iterator({ destroyOnReturn: false })
  } catch (cause) {
    throw Object.assign(new BadRequest('The request body is incomplete.'), { cause })
  }
}
