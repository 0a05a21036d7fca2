export interface BoundedMapOptions<Key, Value> {
  /**
   * The maximum size, in entries or in the unit of `sizeOf`. An eviction removes many entries at once: up to half of
   * this size.
   */
  readonly maxSize: number
  /** The size of an entry; default: 1. An entry larger than half of `maxSize` is not stored. */
  readonly sizeOf?: (key: Key, value: Value) => number
}

/** A map of bounded size that evicts the entries that have been unused for longest. */
export interface BoundedMap<Key, Value> {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
  clear(): void
}

/**
 * The map has two generations. New entries go into `recent`; when that holds half the maximum, it replaces `older`,
 * whose entries are evicted. An entry found in `older` moves to `recent`. So a hit costs one look-up, while an exact
 * LRU map writes at every hit (decision 040).
 */
export function createBoundedMap<Key, Value>({
  maxSize,
  sizeOf = () => 1,
}: BoundedMapOptions<Key, Value>): BoundedMap<Key, Value> {
  const half = maxSize / 2
  let recent = new Map<Key, Value>()
  let older = new Map<Key, Value>()
  let recentSize = 0
  const rotate = () => {
    older = recent
    recent = new Map()
    recentSize = 0
  }
  const set = (key: Key, value: Value) => {
    const entrySize = sizeOf(key, value)
    if (entrySize > half) return void remove(key)
    if (recentSize + entrySize > half) rotate()
    recentSize += entrySize
    recent.set(key, value)
  }
  const remove = (key: Key) => {
    recent.delete(key)
    older.delete(key)
  }
  return {
    get(key) {
      const value = recent.get(key)
      if (value !== undefined) return value
      const old = older.get(key)
      if (old !== undefined) set(key, old)
      return old
    },
    set,
    clear() {
      rotate()
      // Both generations share the empty map until the next rotation.
      older = recent
    },
  }
}

interface MemoizeOptions {
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
