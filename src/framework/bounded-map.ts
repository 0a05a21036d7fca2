export interface BoundedMapOptions<Key, Value> {
  /** The most that is kept, in entries or in the unit of `sizeOf`; at least half of it is kept once it was reached. */
  readonly most: number
  /** The size of an entry; default: 1 for each. An entry larger than half of `most` is not kept. */
  readonly sizeOf?: (key: Key, value: Value) => number
}

/** A map of bounded size: what was used last stays, and what was not used for long goes. */
export interface BoundedMap<Key, Value> {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
  /** Counts what a kept value has grown by. */
  grow(size: number): void
  clear(): void
}

/**
 * Two generations: entries are set into the new one; when that holds half of what may be kept, it becomes the old one,
 * and the old one goes. An entry that is found in the old one moves to the new one. So a hit costs one look-up, while a
 * map that keeps the exact order of use writes at every hit (decision 040).
 */
export function createBoundedMap<Key, Value>({
  most,
  sizeOf = () => 1,
}: BoundedMapOptions<Key, Value>): BoundedMap<Key, Value> {
  const half = most / 2
  let recent = new Map<Key, Value>()
  let older = new Map<Key, Value>()
  let size = 0
  const age = () => {
    older = recent
    recent = new Map()
    size = 0
  }
  const set = (key: Key, value: Value) => {
    const own = sizeOf(key, value)
    if (own > half) return void forget(key)
    if (size + own > half) age()
    size += own
    recent.set(key, value)
  }
  const forget = (key: Key) => {
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
    grow(by) {
      size += by
      if (size > half) age()
    },
    clear() {
      age()
      older = recent
    },
  }
}
