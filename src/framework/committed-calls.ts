// The actions that code called for a request, once they are committed: observers see them with the response.

import type { FastifyRequest } from 'fastify'
import type { CommittedCall } from './view.ts'

const callsByRequest = new WeakMap<FastifyRequest, CommittedCall[]>()
const noCalls: readonly CommittedCall[] = Object.freeze([])

export function addCommittedCall(request: FastifyRequest, call: CommittedCall): void {
  const existing = callsByRequest.get(request)
  if (existing === undefined) callsByRequest.set(request, [call])
  else existing.push(call)
}

/** The calls for this request, in the order in which they were committed. */
export const listCommittedCalls = (request: FastifyRequest): readonly CommittedCall[] =>
  callsByRequest.get(request) ?? noCalls
