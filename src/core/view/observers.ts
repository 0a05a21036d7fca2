// Observers of all APIs of one server: plugins for logs and metrics add theirs, whether they are registered before or
// after the APIs.

import type { FastifyInstance } from 'fastify'
import { isPromise, type MaybePromise } from '../base/maybe-promise.ts'
import type { Observation } from './view.ts'

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
  if (!isPromise(first)) return second
  return isPromise(second) ? Promise.all([first, second]) : first
}

function findObservers(server: object): Observer[] {
  const existing = observersOfServers.get(server)
  if (existing !== undefined) return existing
  const observers: Observer[] = []
  observersOfServers.set(server, observers)
  return observers
}
