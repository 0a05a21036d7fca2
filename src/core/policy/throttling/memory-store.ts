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
    async take(rates, count = 1) {
      const now = clock().getTime()
      const current = rates.map(rate => find(rate, now))
      if (current.some((found, index) => (found?.used ?? 0) + count > rates[index]!.limit)) {
        return createRefusedTake(
          current.map((found, index) => (found ? toWindow(rates[index]!, found, now) : toFullWindow(rates[index]!))),
          count,
        )
      }
      const taken = current.map((found, index) => found ?? beginWindow(rates[index]!, now))
      for (const window of taken) window.used += count
      return {
        allowed: true,
        windows: taken.map((window, index) => toWindow(rates[index]!, window, now)),
        async giveBack() {
          for (const window of taken) window.used -= count
        },
      }
    },
  }
}
