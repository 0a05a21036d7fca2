// Stands for the request while a command calls an action: permissions, row filters and computed fields are declared for
// callers with a request. One that reads the request of a command fails with an error that says so.

import type { FastifyRequest } from 'fastify'

const missingRequests = new WeakSet<FastifyRequest>()

/**
 * Creates the stand-in of one call, with the known members. Values that are cached by request are then not shared with other calls.
 */
export function createMissingRequest(name: string, known: Partial<FastifyRequest> = {}): FastifyRequest {
  const request = new Proxy(known as FastifyRequest, {
    get(_, property) {
      if (Object.hasOwn(known, property)) return known[property as keyof typeof known]
      // Loggers and inspectors read symbols.
      if (typeof property === 'symbol') return undefined
      throw new Error(
        `${name} was called without a request, but a permission, a row filter or a field reads "request.${property}": read only the user`,
      )
    },
  })
  missingRequests.add(request)
  return request
}

/** Whether the request is a stand-in. */
export const isMissing = (request: FastifyRequest): boolean => missingRequests.has(request)
