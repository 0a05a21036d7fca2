// Compares each response with the OpenAPI document of its API, so that the document cannot drift.

import type { FastifyInstance } from 'fastify'
import { createResponseChecker, describeDifferences } from '#openapi'
import type { Transport } from './transport.ts'

/** Rejects, instead of returning a response that the document of the application does not allow. */
export function checkTransport(transport: Transport, app: FastifyInstance): Transport {
  const check = createResponseChecker(app)
  return {
    ...transport,
    async send(request) {
      const response = await transport.send(request)
      const exchange = { ...request, ...response }
      const differences = check(exchange)
      if (differences.length > 0) throw new Error(describeDifferences(exchange, differences))
      return response
    },
  }
}
