// The number of rows that a streamed list reads at once: as many as fit into a time slice and a memory limit, estimated
// from the previous portions.

import { sliceTime } from '../time-slices.ts'

const [firstRows, maxRows, maxGrowth] = [8, 500, 4]
/** In UTF-16 units. */
const maxPortionLength = 256 * 1024

export interface PortionSize {
  /** The number of rows in the first portion. */
  first(): number
  /** The number of rows in the portion after this one. */
  next(portion: Portion): number
}

export interface Portion {
  readonly rows: number
  /** In UTF-16 units. */
  readonly length: number
  /** In milliseconds. */
  readonly time: number
}

export function createPortionSize(): PortionSize {
  // The fixed time of each statement, in milliseconds. If a list is sorted without an index, most of the time is fixed, and
  // smaller portions would only make the whole list slower.
  let fixed = 0
  let affordable = firstRows
  let previous: Portion | undefined
  return {
    first: () => Math.min(firstRows, affordable),
    next(portion) {
      const { rows, length, time } = portion
      fixed = Math.min(time, previous === undefined ? fixed : (estimateFixedTime(previous, portion) ?? fixed))
      previous = portion
      const perRow = (time - fixed) / rows
      const inTime = perRow > 0 ? Math.max(sliceTime - fixed, fixed) / perRow : maxRows
      affordable = Math.max(1, Math.floor(Math.min(maxRows, inTime, (maxPortionLength * rows) / length)))
      return Math.min(affordable, maxGrowth * rows)
    },
  }
}

// The fixed time follows from two portions, unless their sizes are too similar.
function estimateFixedTime(previous: Portion, portion: Portion): number | undefined {
  if (Math.max(previous.rows, portion.rows) < 2 * Math.min(previous.rows, portion.rows)) return undefined
  const perRow = Math.max(0, (portion.time - previous.time) / (portion.rows - previous.rows))
  return Math.max(0, portion.time - perRow * portion.rows)
}
