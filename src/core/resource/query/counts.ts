// Caches the last exact count of a list, by the values of its filter. The statements of the list receive the cached
// count as parameters, and count again only if the database has changed since (decision 013).

import { createBoundedMap } from '../../base/bounded-map.ts'
import type { Arguments } from '../../database/database.ts'
import type { CountRow } from '../sql/list.ts'

const maxFilters = 1000

export interface Counts {
  /** The cached count, as parameters of the list's statements. */
  find(filterValues: Arguments): Arguments
  store(filterValues: Arguments, row: CountRow): void
}

const noCount: Arguments = Object.freeze({ cached_version: null, cached_count: 0 })

export function createCounts(): Counts {
  const cached = createBoundedMap<string, Arguments>({ maxSize: maxFilters })
  return {
    find: values => cached.get(formatFilterValues(values)) ?? noCount,
    store(values, [count, version]) {
      const key = formatFilterValues(values)
      if (cached.get(key)?.cached_version === version) return
      cached.set(key, { cached_version: version, cached_count: count })
    },
  }
}

/** Formats filter values as a cache key; empty if there are none. */
export function formatFilterValues(values: Arguments): string {
  for (const _ in values) return JSON.stringify(values)
  return ''
}
