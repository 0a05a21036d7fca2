// Counts what has been used up of rates. A window begins with its first request and ends a period later; windows of
// different keys have nothing to do with each other. Rejects with ServiceUnavailable where the counts cannot be reached.

/** A rate of one client. */
export interface KeyedRate {
  /** Which rate, and whose: any text. */
  readonly key: string
  readonly limit: number
  /** In milliseconds. */
  readonly period: number
}

/** How a rate stands. */
export interface RateWindow {
  readonly remaining: number
  /** Milliseconds until everything remains again. */
  readonly resetsIn: number
}

/** What came of asking for rates, with their windows in the order of the rates. */
export type Taken =
  | {
      readonly allowed: true
      readonly windows: readonly RateWindow[]
      /** Undoes this, in the windows that have not ended since. */
      giveBack(): Promise<void>
    }
  | {
      readonly allowed: false
      readonly windows: readonly RateWindow[]
      /** Milliseconds until none of the rates is used up. */
      readonly wait: number
    }

/** Where the counts are: in one process, or in what several share. */
export interface RateStore {
  /** Takes one of each rate, or of none where one is used up: exact, however many ask at once. No key comes twice. */
  take(rates: readonly KeyedRate[]): Promise<Taken>
}

/** What the clocks of several processes may differ by, in milliseconds. */
const clockDifference = 60_000

/** A window that ends later than this was begun by a clock that has been put back since: it counts for nothing. */
export const latestEnd = ({ period }: KeyedRate, now: number): number => now + period + clockDifference

/** How a rate stands in a window that has begun. */
export const windowOf = (
  { limit }: KeyedRate,
  { used, ends }: { readonly used: number; readonly ends: number },
  now: number,
): RateWindow => ({ remaining: Math.max(0, limit - used), resetsIn: ends - now })

/** How a rate stands before its window begins. */
export const freshWindow = ({ limit, period }: KeyedRate): RateWindow => ({ remaining: limit, resetsIn: period })

/** What comes of asking where one of the rates is used up. */
export function refused(windows: readonly RateWindow[]): Taken {
  const waits = windows.filter(({ remaining }) => remaining === 0).map(({ resetsIn }) => resetsIn)
  // What was used up may have been given back meanwhile.
  return { allowed: false, windows, wait: Math.max(1, ...waits) }
}
