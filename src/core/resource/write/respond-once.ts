// Handlers of requests that may be repeated: with an `Idempotency-Key`, the same request has an effect once, and gets the
// same response again.

import type { MaybePromise } from '../../base/maybe-promise.ts'
import type { HandlerContext } from '../../http/context.ts'
import { readIdempotentRequest } from '../../http/idempotency/idempotent-request.ts'
import type { ApiResponse } from '../../http/response.ts'
import { markReplay } from '../../view/observers.ts'
import { checkResponse } from '../../view/render.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import { enterConnection } from '../bind/restrict.ts'

/** Handles the request, with the resource inside the transaction that stores the response if there is one. */
export type Respond = (entered: BoundResource) => MaybePromise<ApiResponse>

/**
 * Responds to a request. `prepare` runs before the transaction begins: what it reads with other connections cannot make the
 * transaction wait for the pool.
 */
export async function respondOnce(
  bound: BoundResource,
  context: HandlerContext,
  prepare: () => MaybePromise<Respond>,
): Promise<ApiResponse> {
  const { idempotency, resource } = bound
  // A secret must not be in the table of stored responses.
  if (resource.noStore) return (await prepare())(bound)
  const request = idempotency && readIdempotentRequest(context)
  if (idempotency === undefined || request === undefined) return (await prepare())(bound)
  const stored = await idempotency.find(request)
  if (stored !== undefined) return replay(context, stored)
  const respond = await prepare()
  const run = await idempotency.run(request, async connection => {
    const response = await respond(enterConnection(bound, connection))
    checkResponse(response, context)
    return response
  })
  return run.isReplay ? replay(context, run.response) : run.response
}

function replay({ request }: HandlerContext, response: ApiResponse): ApiResponse {
  markReplay(request)
  return response
}
