// A request with many objects counts as that many requests, which only its handler can count: the lifecycle counts one, before
// it reads the body.

import type { FastifyRequest } from 'fastify'
import { invalid } from '../../errors/invalid.ts'
import type { RequestContext } from '../../http/context.ts'
import type { HeaderFields } from '../../http/response.ts'
import { checkThrottles, findMostRequests, type Throttling } from './check-throttles.ts'
import type { Throttle } from './throttle.ts'

const counted = new WeakMap<FastifyRequest, Throttling>()

/** Remembers that the request has been counted once. */
export const rememberCount = (request: FastifyRequest, throttling: Throttling): void =>
  void counted.set(request, throttling)

/**
 * Counts the request as `count` requests instead of one; returns the header fields that describe the rates then. Rejects with
 * Throttled, or with ValidationError if no wait would help because a rate allows fewer; the request then counts as none.
 */
export async function countItems(
  context: RequestContext,
  throttles: readonly Throttle[],
  count: number,
): Promise<HeaderFields> {
  if (throttles.length === 0 || count < 2) return {}
  await counted.get(context.request)?.giveBack()
  const most = await findMostRequests(context, throttles)
  if (count > most) throw invalid('max_length.list', { max: most })
  const { headers, refusal } = await checkThrottles(context, throttles, count)
  if (refusal !== undefined) throw refusal
  return headers
}
