// A store counts requests against rates. A window begins with its first request and ends a period later; the windows of
// different keys are independent. `take` rejects with ServiceUnavailable if the counts cannot be read.

/** A rate of one client. */
export interface KeyedRate {
  /** Identifies the rate and the client: any text. */
  readonly key: string
  readonly limit: number
  /** In milliseconds. */
  readonly period: number
}

/** The state of a rate. */
export interface RateWindow {
  readonly remaining: number
  /** Milliseconds until the full limit is available again. */
  readonly resetsIn: number
}

/** The result of a take, with windows in the order of the rates. */
export type TakeResult =
  | {
      readonly allowed: true
      readonly windows: readonly RateWindow[]
      /** Undoes the take, in windows that have not ended since. */
      giveBack(): Promise<void>
    }
  | {
      readonly allowed: false
      readonly windows: readonly RateWindow[]
      /** Milliseconds until every rate has requests left. */
      readonly wait: number
    }

/** Holds the counts, in one process or shared by several. */
export interface RateStore {
  /**
   * Takes `count` requests (default 1) from each rate, or none if a rate has fewer left; exact under concurrency. Keys must be
   * unique.
   */
  take(rates: readonly KeyedRate[], count?: number): Promise<TakeResult>
}

/** The assumed maximum difference between the clocks of processes, in milliseconds. */
const maxClockDifference = 60_000

/**
 * The latest plausible end of a window. A window that ends later was begun before the clock was set back, and is
 * ignored.
 */
export const latestEnd = ({ period }: KeyedRate, now: number): number => now + period + maxClockDifference

/** Returns the state of a rate in a window that has begun. */
export const toWindow = (
  { limit }: KeyedRate,
  { used, ends }: { readonly used: number; readonly ends: number },
  now: number,
): RateWindow => ({ remaining: Math.max(0, limit - used), resetsIn: ends - now })

/** Returns the state of a rate before its window begins. */
export const toFullWindow = ({ limit, period }: KeyedRate): RateWindow => ({ remaining: limit, resetsIn: period })

/** Creates the result of a take if one of the rates has fewer than `count` requests left. */
export function createRefusedTake(windows: readonly RateWindow[], count = 1): TakeResult {
  const waits = windows.filter(({ remaining }) => remaining < count).map(({ resetsIn }) => resetsIn)
  // At least 1: a used-up rate may have been given back in the meantime.
  return { allowed: false, windows, wait: Math.max(1, ...waits) }
}
