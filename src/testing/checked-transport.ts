// Compares each response with the OpenAPI document of its API, so that the document cannot drift.

import type { FastifyInstance } from 'fastify'
import { type CheckExchange, loadResponseChecker } from '#openapi'
import type { Transport } from './transport.ts'

/** Rejects, instead of returning a response that the document of the application does not allow. */
export function checkTransport(transport: Transport, app: FastifyInstance): Transport {
  let check: CheckExchange | undefined
  return {
    ...transport,
    async send(request) {
      const response = await transport.send(request)
      const { createResponseChecker, describeDifferences } = await loadResponseChecker()
      check ??= createResponseChecker(app)
      const exchange = { ...request, ...response }
      const differences = check(exchange)
      if (differences.length > 0) throw new Error(describeDifferences(exchange, differences))
      return response
    },
  }
}
