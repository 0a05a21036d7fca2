// Reads a request body up to a limit, as a whole or in chunks.

import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { BadRequest, ParseError, PayloadTooLarge } from '../../errors/exceptions.ts'
import { frameworkMessages } from '../../messages/english.ts'

/**
 * Reads the body as text. `limit` is in bytes. Throws PayloadTooLarge, or a ParseError with `prefix` for text that is
 * not UTF-8.
 */
export async function readText(request: FastifyRequest, limit: number, prefix: string): Promise<string> {
  const bytes = await readBytes(request, limit)
  if (!isUtf8(bytes)) throw createEncodingError(prefix)
  return bytes.toString('utf8')
}

/** Creates the error for a body that is not UTF-8. `prefix` begins its message. */
export const createEncodingError = (prefix: string): ParseError =>
  new ParseError(frameworkMessages('parse_error.encoding', { prefix }))

// Bodies that permissions read before the parsers do.
const keptBodies = new WeakMap<FastifyRequest['raw'], Buffer>()

/** Reads the body as bytes, and keeps it for the parser. `limit` is in bytes; a larger body throws PayloadTooLarge. */
export async function keepBytes(request: FastifyRequest, limit: number): Promise<Buffer> {
  const bytes = await readBytes(request, limit)
  keptBodies.set(request.raw, bytes)
  return bytes
}

/** Reads the body as bytes. `limit` is in bytes; a larger body throws PayloadTooLarge. */
export async function readBytes(request: FastifyRequest, limit: number): Promise<Buffer> {
  checkLength(request, limit)
  const kept = keptBodies.get(request.raw)
  if (kept !== undefined) {
    if (kept.length > limit) throw new PayloadTooLarge()
    return kept
  }
  const chunks = await collectChunks(request.raw, limit)
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}

// Listeners, because most bodies are one chunk, for which an iterator takes longer. What remains of a larger body is discarded.
function collectChunks(stream: Readable, limit: number): Promise<readonly Buffer[]> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const stop = () => stream.off('data', take).off('end', finish).off('error', fail).off('close', fail).resume()
    const fail = (error: Error | null = stream.errored) => {
      stop()
      reject(error instanceof PayloadTooLarge ? error : createIncompleteBodyError(error))
    }
    const finish = () => {
      stop()
      resolve(chunks)
    }
    const take = (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) fail(new PayloadTooLarge())
      else chunks.push(chunk)
    }
    if (stream.readableEnded) finish()
    else if (stream.destroyed) fail()
    else stream.on('data', take).on('end', finish).on('error', fail).on('close', fail)
  })
}

/** Throws PayloadTooLarge before reading, if Content-Length exceeds the limit. */
export function checkLength(request: FastifyRequest, limit: number): void {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw new PayloadTooLarge()
}

/**
 * Yields the body as it arrives. `limit` is in bytes; a larger body throws PayloadTooLarge. If the reader stops early,
 * the remaining bytes are discarded, so the client receives its response and can reuse the connection.
 */
export async function* readChunks(request: FastifyRequest, limit: number): AsyncGenerator<Buffer, void, void> {
  const kept = keptBodies.get(request.raw)
  if (kept !== undefined) return yield kept
  let size = 0
  try {
    for await (const chunk of request.raw.iterator({ destroyOnReturn: false })) {
      size += chunk.length
      if (size > limit) throw new PayloadTooLarge()
      yield chunk
    }
  } catch (error) {
    throw error instanceof PayloadTooLarge ? error : createIncompleteBodyError(error)
  } finally {
    request.raw.resume()
  }
}

// A client that disconnects during its request body is not an error of the service.
function createIncompleteBodyError(cause: unknown): BadRequest {
  return Object.assign(new BadRequest(frameworkMessages('bad_request.incomplete')), { cause })
}
