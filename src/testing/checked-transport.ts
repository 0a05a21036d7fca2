// Compares each response with the OpenAPI document of its API, so that the document cannot drift.

import type { FastifyInstance } from 'fastify'
import { createResponseChecker } from 'resource-api/extend'
import type { Transport } from './transport.ts'

const maxDifferences = 10

/** Rejects, instead of returning a response that the document of the application does not allow. */
export function checkTransport(transport: Transport, app: FastifyInstance): Transport {
  const check = createResponseChecker(app)
  return {
    ...transport,
    async send(request) {
      const response = await transport.send(request)
      const differences = check({ ...request, ...response })
      if (differences.length === 0) return response
      throw new Error(
        `${request.method} ${request.url}: the response ${response.status} is not what the OpenAPI document says:\n${differences.slice(0, maxDifferences).join('\n')}\n${response.body.toString('utf8', 0, 1000)}`,
      )
    },
  }
}
