// The actions that code called for a request, once they are committed: observers see them with the response.

import type { FastifyRequest } from 'fastify'
import type { CommittedCall } from './view.ts'

const callsByRequest = new WeakMap<FastifyRequest, CommittedCall[]>()
const noCalls: readonly CommittedCall[] = Object.freeze([])

export function addCommittedCalls(request: FastifyRequest, calls: readonly CommittedCall[]): void {
  const all = callsByRequest.get(request) ?? []
  for (const call of calls) all.push(call)
  callsByRequest.set(request, all)
}

/** The calls for this request, in the order in which they were committed. */
export const listCommittedCalls = (request: FastifyRequest): readonly CommittedCall[] =>
  callsByRequest.get(request) ?? noCalls
