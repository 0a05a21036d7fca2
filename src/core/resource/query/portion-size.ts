// The number of rows that a streamed list, or a statement of a write, reads at once: as many as fit into a time slice and a
// memory limit, estimated from the previous portions.

import { sliceTime } from '../../base/time-slices.ts'

const [maxRows, maxGrowth] = [500, 4]
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

export function createPortionSize(firstRows = 8): PortionSize {
  // The fixed time of each statement, in milliseconds. If a list is sorted without an index, most of the time is fixed, and
  // smaller portions would only make the whole list slower.
  let fixedTime = 0
  let affordableRows = firstRows
  let previous: Portion | undefined
  return {
    first: () => Math.min(firstRows, affordableRows),
    next(portion) {
      const { rows, length, time } = portion
      fixedTime = Math.min(
        time,
        previous === undefined ? fixedTime : (estimateFixedTime(previous, portion) ?? fixedTime),
      )
      previous = portion
      const perRow = (time - fixedTime) / rows
      const rowsInTime = perRow > 0 ? Math.max(sliceTime - fixedTime, fixedTime) / perRow : maxRows
      affordableRows = Math.max(1, Math.floor(Math.min(maxRows, rowsInTime, (maxPortionLength * rows) / length)))
      return Math.min(affordableRows, maxGrowth * rows)
    },
  }
}

// The fixed time follows from two portions, unless their sizes are too similar.
function estimateFixedTime(previous: Portion, portion: Portion): number | undefined {
  if (Math.max(previous.rows, portion.rows) < 2 * Math.min(previous.rows, portion.rows)) return undefined
  const perRow = Math.max(0, (portion.time - previous.time) / (portion.rows - previous.rows))
  return Math.max(0, portion.time - perRow * portion.rows)
}
