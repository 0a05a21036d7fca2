import type { FastifyInstance } from 'fastify'
import type { CheckExchange } from './response-checker.ts'

/** Loads the check of responses, with the validator of schemas, which only tests and development need. */
export const loadResponseChecker = () => import('./response-checker.ts')

/**
 * Compares the responses of an API with its document before they are sent. Another response becomes a 500, whose cause names
 * the differences. The bodies of streams are not compared.
 */
export function checkSentResponses(fastify: FastifyInstance): void {
  let check: CheckExchange | undefined
  fastify.addHook('onSend', async ({ method, originalUrl }, reply, payload) => {
    const { statusCode: status } = reply
    // The error itself, or what replaces it.
    if (status >= 500) return payload
    const { createResponseChecker, describeDifferences } = await loadResponseChecker()
    check ??= createResponseChecker(fastify)
    const exchange = { method, url: originalUrl, status, headers: reply.getHeaders(), body: readPayload(payload) }
    const differences = check(exchange)
    if (differences.length > 0) throw new Error(describeDifferences(exchange, differences))
    return payload
  })
}

function readPayload(payload: unknown): Buffer | undefined {
  if (payload === undefined || payload === null) return Buffer.alloc(0)
  return typeof payload === 'string' || Buffer.isBuffer(payload) ? Buffer.from(payload as string) : undefined
}
