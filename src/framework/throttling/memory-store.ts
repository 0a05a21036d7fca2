// Counts requests in the memory of the process: exact for one process, and lost when it ends.

import { createRefusedTake, type KeyedRate, latestEnd, type RateStore, toFullWindow, toWindow } from './rate-store.ts'

export interface MemoryStoreOptions {
  readonly clock?: () => Date
  /** The maximum number of windows; beyond it, the oldest window is removed. Default 100,000. */
  readonly maxKeys?: number
}

interface Count {
  used: number
  readonly ends: number
}

export function memoryStore({ clock = () => new Date(), maxKeys = 100_000 }: MemoryStoreOptions = {}): RateStore {
  if (!Number.isInteger(maxKeys) || maxKeys < 1)
    throw new Error(`memoryStore(): maxKeys is ${maxKeys}; give a whole number, 1 or more`)
  // In the order in which the windows began.
  const counts = new Map<string, Count>()
  const find = (rate: KeyedRate, now: number) => {
    const count = counts.get(rate.key)
    return count !== undefined && count.ends > now && count.ends <= latestEnd(rate, now) ? count : undefined
  }
  const beginWindow = ({ key, period }: KeyedRate, now: number) => {
    const count = { used: 0, ends: now + period }
    counts.delete(key)
    counts.set(key, count)
    if (counts.size > maxKeys) counts.delete(counts.keys().next().value!)
    return count
  }

  return {
    async take(rates) {
      const now = clock().getTime()
      const current = rates.map(rate => find(rate, now))
      if (current.some((count, index) => count !== undefined && count.used >= rates[index]!.limit)) {
        return createRefusedTake(
          current.map((count, index) => (count ? toWindow(rates[index]!, count, now) : toFullWindow(rates[index]!))),
        )
      }
      const taken = current.map((count, index) => count ?? beginWindow(rates[index]!, now))
      for (const count of taken) count.used += 1
      return {
        allowed: true,
        windows: taken.map((count, index) => toWindow(rates[index]!, count, now)),
        async giveBack() {
          for (const count of taken) count.used -= 1
        },
      }
    },
  }
}
