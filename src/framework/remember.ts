import { createBoundedMap } from './bounded-map.ts'

export interface RememberOptions {
  /** The maximum number of cached texts; the texts that have been unused for longest are evicted. */
  readonly entries: number
  /** Longer texts are not cached, in UTF-16 units; default: no limit. */
  readonly longest?: number
}

/** Caches the results of a function of a text. Exceptions are not cached. */
export function remember<Value>(
  compute: (text: string) => Value,
  { entries, longest = Number.POSITIVE_INFINITY }: RememberOptions,
): (text: string) => Value {
  const cache = createBoundedMap<string, Value>({ most: entries })
  // Fast path: the same text often comes twice in a row, and comparing two texts costs less than hashing a new one.
  let lastText: string | undefined
  let lastValue: Value
  return text => {
    if (text === lastText) return lastValue
    const cached = cache.get(text)
    if (cached !== undefined) {
      lastText = text
      lastValue = cached
      return cached
    }
    const value = compute(text)
    if (text.length > longest) return value
    cache.set(text, value)
    return value
  }
}
