// Sets the headers of a response on a Fastify reply, to which hooks of the application may have added some before.

import type { FastifyReply } from 'fastify'
import type { HeaderFields } from './response.ts'

/**
 * Sets the headers of each layer; later layers override earlier ones and those of hooks. `Vary` is joined with that of
 * hooks: a CORS plugin sets `Vary: Origin`, and a cache must not lose it.
 */
export function setHeaders(reply: FastifyReply, layers: Iterable<HeaderFields | undefined>): FastifyReply {
  const varyOfHooks = reply.getHeader('vary')
  for (const layer of layers) if (layer !== undefined) reply.headers(layer)
  const vary = reply.getHeader('vary')
  if (varyOfHooks === undefined || varyOfHooks === vary) return reply
  return reply.header('vary', [vary, varyOfHooks].flat().join(', '))
}
