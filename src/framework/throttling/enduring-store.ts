// Counts that survive their database: a disk that is full must not refuse those who only read (decision 025).

import { isStorageFailure } from '../database/sqlite-errors.ts'
import { memoryStore } from './memory-store.ts'
import type { RateStore } from './rate-store.ts'

/**
 * Counts in `store`, and in the memory of the process for as long as the storage of an SQLite database fails: rates go on
 * to hold, each process for itself, and anew from when it began to fail. Other failures are as those of `store`.
 */
export function enduringStore(store: RateStore, { clock }: { readonly clock?: () => Date } = {}): RateStore {
  const memory = memoryStore({ ...(clock && { clock }) })
  return {
    async take(rates) {
      try {
        const taken = await store.take(rates)
        if (!taken.allowed) return taken
        return { ...taken, giveBack: () => taken.giveBack().catch(unlessStorageFails) }
      } catch (error) {
        unlessStorageFails(error)
        return memory.take(rates)
      }
    },
  }
}

function unlessStorageFails(error: unknown): void {
  if (!isStorageFailure(error)) throw error
}
