// The last exact count of a list, by the values of its filter: what a statement is told, so that it need not count again
// while nothing has changed (decision 013).

import { createBoundedMap } from '../bounded-map.ts'
import type { Arguments } from '../database/database.ts'
import type { CountRow } from './sql/list.ts'

const mostFilters = 1000

export interface Counts {
  /** For the statements of the list. */
  known(filterValues: Arguments): Arguments
  learn(filterValues: Arguments, row: CountRow): void
}

const nothing: Arguments = Object.freeze({ known_version: null, known_count: 0 })

export function createCounts(): Counts {
  const known = createBoundedMap<string, Arguments>({ most: mostFilters })
  return {
    known: values => known.get(keyOf(values)) ?? nothing,
    learn(values, [count, version]) {
      const key = keyOf(values)
      if (known.get(key)?.known_version === version) return
      known.set(key, { known_version: version, known_count: count })
    },
  }
}

function keyOf(values: Arguments): string {
  for (const _ in values) return JSON.stringify(values)
  return ''
}
