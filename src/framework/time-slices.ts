// Shares the event loop between long work and everything else: whatever goes through many rows does so in slices, and a
// turn of the loop runs only so many slices as take a few milliseconds together, whoever they belong to.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { MaybePromise } from './maybe-promise.ts'

export interface TimeSlices {
  /**
   * Runs a slice of work, which should take no longer than {@link sliceTime}: at once where this turn of the event loop
   * has time left and no other slice waits, else in a later turn, in the order of the calls.
   */
  run<Result>(work: () => MaybePromise<Result>): MaybePromise<Result>
  /** What `change` makes of each item, in as many slices as that takes. */
  map<Item, Result>(items: readonly Item[], change: (item: Item) => Result): MaybePromise<readonly Result[]>
  /** Milliseconds, from any beginning. */
  now(): number
}

/**
 * How long a slice should take, in milliseconds. Sending what it made takes about as long again, in the same turn of the
 * event loop.
 */
export const sliceTime = 3
/** How long slices go on being begun in one turn, in milliseconds: with the last one, a turn takes at most 10. */
export const turnTime = 3

/** What the slices of tests are driven by. */
export interface TimeSlicesOptions {
  readonly now?: () => number
  /** Calls back in the next turn of the event loop. */
  readonly schedule?: (callback: () => void) => void
}

export function createTimeSlices({
  now = () => performance.now(),
  schedule = setImmediate,
}: TimeSlicesOptions = {}): TimeSlices {
  const waiting: (() => void)[] = []
  // When the first slice of this turn began.
  let turnStart: number | undefined

  const hasTime = (most: number) => {
    if (turnStart !== undefined) return now() - turnStart < most
    turnStart = now()
    schedule(beginTurn)
    return true
  }
  const beginTurn = () => {
    turnStart = undefined
    // What follows from these slices comes after all of them, so it is not in the time measured here.
    while (waiting.length > 0 && hasTime(turnTime / 2)) waiting.shift()!()
  }
  const run = <Result>(work: () => MaybePromise<Result>): MaybePromise<Result> => {
    if (waiting.length === 0 && hasTime(turnTime)) return work()
    // The work itself runs in the loop over those that wait, whose time is measured there.
    return new Promise((resolve, reject) => {
      const slice = () => {
        try {
          resolve(work())
        } catch (error) {
          reject(error)
        }
      }
      // In the asynchronous context of its own caller, whoever's slice was before.
      waiting.push(AsyncLocalStorage.bind(slice))
    })
  }
  return { run, now, map }

  function map<Item, Result>(items: readonly Item[], change: (item: Item) => Result): MaybePromise<readonly Result[]> {
    const results: Result[] = []
    const slice = () => {
      for (const end = now() + sliceTime; results.length < items.length; ) {
        results.push(change(items[results.length]!))
        if (now() > end) break
      }
    }
    return continueMap(slice, results, items.length)
  }

  function continueMap<Result>(slice: () => void, results: Result[], total: number): MaybePromise<readonly Result[]> {
    while (results.length < total) {
      const begun = run(slice)
      if (begun instanceof Promise) return begun.then(() => continueMap(slice, results, total))
    }
    return results
  }
}

/** The slices of this process. */
export const timeSlices: TimeSlices = createTimeSlices()
