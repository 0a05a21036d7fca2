// Observers of responses, such as plugins for logs and metrics, and what they learn beside the response. They observe all APIs of
// one server, whether they are registered before or after the APIs.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isPromise, type MaybePromise } from '../base/maybe-promise.ts'
import type { RenderedResponse } from '../http/renderers/renderer.ts'
import type { ResponseContext } from './render.ts'
import type { CommittedCall, Observation } from './view.ts'

export type Observer = (observation: Observation) => MaybePromise<unknown>

const observersOfServers = new WeakMap<object, Observer[]>()

/**
 * Calls `observe` for every response of the APIs that are mounted in this server. The response waits for a returned promise. It
 * must neither throw nor reject.
 */
export function observeApis({ server }: Pick<FastifyInstance, 'server'>, observe: Observer): void {
  findObservers(server).push(observe)
}

/** Returns an observer that calls `own`, the observer of one API, and those of the server. */
export function createObserver(server: object, own: Observer | undefined): Observer {
  const observers = findObservers(server)
  return observation => {
    let observing = own?.(observation)
    for (const observe of observers) observing = joinPromises(observing, observe(observation))
    return observing
  }
}

// Nearly all observers return nothing, which costs no promise. Values that are no promises are ignored.
function joinPromises(first: MaybePromise<unknown>, second: MaybePromise<unknown>): MaybePromise<unknown> {
  if (first === undefined || !isPromise(first)) return second
  return isPromise(second) ? Promise.all([first, second]) : first
}

function findObservers(server: object): Observer[] {
  const existing = observersOfServers.get(server)
  if (existing !== undefined) return existing
  const observers: Observer[] = []
  observersOfServers.set(server, observers)
  return observers
}

/** Tells the observers of the view about a response; returns it when they are done. */
export function observe(
  response: RenderedResponse,
  { view, request, requestContext, error }: ResponseContext,
): MaybePromise<RenderedResponse> {
  const { status } = response
  const { id: viewId, name: viewName, auditEvent } = view
  const observing = view.observe({
    request,
    viewId,
    viewName,
    auditEvent,
    user: requestContext?.user,
    status,
    error,
    calls: callsByRequest.get(request) ?? noCalls,
    isReplay: replays.has(request),
    isRecorded: recordedRequests.has(request),
  })
  return observing !== undefined && isPromise(observing) ? observing.then(() => response) : response
}

const callsByRequest = new WeakMap<FastifyRequest, CommittedCall[]>()
const noCalls: readonly CommittedCall[] = Object.freeze([])
const recordedRequests = new WeakSet<FastifyRequest>()
const replays = new WeakSet<FastifyRequest>()

/** Notes actions that code called for the request, once they are committed, in this order. */
export function addCommittedCalls(request: FastifyRequest, calls: readonly CommittedCall[]): void {
  const all = callsByRequest.get(request) ?? []
  for (const call of calls) all.push(call)
  callsByRequest.set(request, all)
}

/** Notes that changes that the request itself made, without called actions, are recorded and committed. */
export const markRecorded = (request: FastifyRequest): void => void recordedRequests.add(request)

/** Notes that the request gets the stored response to an earlier one, whose effects must not be counted again. */
export const markReplay = (request: FastifyRequest): void => void replays.add(request)
