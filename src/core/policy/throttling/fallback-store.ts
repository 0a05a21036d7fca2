// A store that works without its database: a full disk must not make read requests fail (decision 025).

import { dialects } from '../../database/dialects.ts'
import { memoryStore } from './memory-store.ts'
import type { RateStore } from './rate-store.ts'

/**
 * Counts in `store`, and in the memory of the process while the files of its database cannot be read or written. In memory, each
 * process counts separately, and from zero. Other failures of `store` are thrown.
 */
export function fallbackStore(store: RateStore, { clock }: { readonly clock?: () => Date } = {}): RateStore {
  const memory = memoryStore({ ...(clock && { clock }) })
  return {
    async take(rates, count) {
      try {
        const taken = await store.take(rates, count)
        if (!taken.allowed) return taken
        return { ...taken, giveBack: () => taken.giveBack().catch(rethrowUnlessStorageFailure) }
      } catch (error) {
        rethrowUnlessStorageFailure(error)
        return memory.take(rates, count)
      }
    },
  }
}

function rethrowUnlessStorageFailure(error: unknown): void {
  if (!dialects.some(({ isStorageFailure }) => isStorageFailure(error))) throw error
}
