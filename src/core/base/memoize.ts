import { createBoundedMap } from './bounded-map.ts'

export interface MemoizeOptions {
  /** The maximum number of cached texts; the least recently used are evicted. */
  readonly maxEntries: number
  /** The maximum length of a cached text in UTF-16 units; default: no limit. */
  readonly maxLength?: number
}

/** Caches the results of a function whose argument is a text. Neither exceptions nor undefined results are cached. */
export function memoize<Value>(
  compute: (text: string) => Value,
  { maxEntries, maxLength = Number.POSITIVE_INFINITY }: MemoizeOptions,
): (text: string) => Value {
  const cache = createBoundedMap<string, Value>({ maxSize: maxEntries })
  // Fast path: the same text often comes twice in a row, and comparing two texts costs less than hashing a new one.
  let lastText: string | undefined
  let lastValue: Value
  return text => {
    if (text === lastText) return lastValue
    if (text.length > maxLength) return compute(text)
    const cached = cache.get(text)
    if (cached !== undefined) {
      lastText = text
      lastValue = cached
      return cached
    }
    const value = compute(text)
    cache.set(text, value)
    return value
  }
}
