// Shares the event loop between long work and other requests. Work on many rows is cut into slices, and one turn of the
// loop runs only a few milliseconds of slices, across all callers.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { MaybePromise } from './maybe-promise.ts'

export interface TimeSlices {
  /**
   * Runs a slice of work, which should take no longer than {@link sliceTime}. It runs at once if this turn of the event
   * loop has time left and no other slice waits; otherwise in a later turn, in order of the calls.
   */
  run<Result>(work: () => MaybePromise<Result>): MaybePromise<Result>
  /**
   * Passes the items to `work` in groups of at most `size`, one after the other. Each group is a slice; a single group runs at once,
   * so that short work does not wait for long work.
   */
  inGroups<Item>(
    items: readonly Item[],
    size: number,
    work: (group: readonly Item[], start: number) => MaybePromise<void>,
  ): MaybePromise<void>
  /** Maps the items, in as many slices as needed. */
  map<Item, Result>(items: readonly Item[], change: (item: Item) => Result): MaybePromise<readonly Result[]>
  /** Milliseconds since an arbitrary origin. */
  now(): number
}

/** How long a slice should take, in milliseconds. Sending its result takes about as long again, in the same turn. */
export const sliceTime = 3
/** How long one turn keeps starting slices, in milliseconds. Including the last slice, a turn takes at most 10. */
export const turnTime = 3

/** Replaces the clock and the event loop in tests. */
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

  const hasTime = (limit: number) => {
    if (turnStart !== undefined) return now() - turnStart < limit
    turnStart = now()
    schedule(beginTurn)
    return true
  }
  const beginTurn = () => {
    turnStart = undefined
    // The continuations of these slices run after the loop, so this limit, half the usual one, leaves time for them.
    while (waiting.length > 0 && hasTime(turnTime / 2)) waiting.shift()!()
  }
  const run = <Result>(work: () => MaybePromise<Result>): MaybePromise<Result> => {
    if (waiting.length === 0 && hasTime(turnTime)) return work()
    // `work` runs in the loop of `beginTurn`, which measures its time.
    return new Promise((resolve, reject) => {
      const slice = () => {
        try {
          resolve(work())
        } catch (error) {
          reject(error)
        }
      }
      // Keeps the asynchronous context of this caller, although another caller's slice may start the loop.
      waiting.push(AsyncLocalStorage.bind(slice))
    })
  }
  return { run, now, map, inGroups }

  function inGroups<Item>(
    items: readonly Item[],
    size: number,
    work: (group: readonly Item[], start: number) => MaybePromise<void>,
  ): MaybePromise<void> {
    return items.length <= size ? work(items, 0) : workInGroups(items, size, work)
  }

  async function workInGroups<Item>(
    items: readonly Item[],
    size: number,
    work: (group: readonly Item[], start: number) => MaybePromise<void>,
  ): Promise<void> {
    for (let start = 0; start < items.length; start += size) {
      const working = run(() => work(items.slice(start, start + size), start))
      if (working instanceof Promise) await working
    }
  }

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
      const outcome = run(slice)
      if (outcome instanceof Promise) return outcome.then(() => continueMap(slice, results, total))
    }
    return results
  }
}

/** The slices of this process. */
export const timeSlices: TimeSlices = createTimeSlices()

/** So few rows that reading them takes a few milliseconds. */
const rowsPerPortion = 200

/** Runs `select`, such as a statement, for all keys in portions and in their order; resolves to the rows. */
export async function runPortions<Key, Row>(
  keys: readonly Key[],
  select: (portion: readonly Key[]) => MaybePromise<readonly Row[]>,
): Promise<readonly Row[]> {
  const rows: Row[] = []
  await timeSlices.inGroups(keys, rowsPerPortion, async portion => {
    if (portion.length > 0) for (const row of await select(portion)) rows.push(row)
  })
  return rows
}
