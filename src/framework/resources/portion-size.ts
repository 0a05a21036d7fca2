// How many rows of a streamed list are read at once: as many as take a slice of time and fit into a portion of memory,
// by what the rows before took.

import { sliceTime } from '../time-slices.ts'

const [firstRows, mostRows, growth] = [8, 500, 4]
const portionLength = 256 * 1024

export interface PortionSize {
  /** How many rows a stream reads first. */
  first(): number
  /** How many rows follow those of a portion that was so long, in UTF-16 units, and took so many milliseconds. */
  next(portion: Portion): number
}

export interface Portion {
  readonly rows: number
  readonly length: number
  readonly time: number
}

export function createPortionSize(): PortionSize {
  // What a statement takes whatever its rows, in milliseconds: where a list is sorted without an index, that is most of
  // it, and reading fewer rows at once would only make the whole list slower.
  let fixed = 0
  let affordable = firstRows
  let before: Portion | undefined
  return {
    first: () => Math.min(firstRows, affordable),
    next(portion) {
      const { rows, length, time } = portion
      fixed = Math.min(time, before === undefined ? fixed : (fixedTime(before, portion) ?? fixed))
      before = portion
      const perRow = (time - fixed) / rows
      const inTime = perRow > 0 ? Math.max(sliceTime - fixed, fixed) / perRow : mostRows
      affordable = Math.max(1, Math.floor(Math.min(mostRows, inTime, (portionLength * rows) / length)))
      return Math.min(affordable, growth * rows)
    },
  }
}

// The times of two portions tell it, unless the portions are about as large as each other.
function fixedTime(one: Portion, other: Portion): number | undefined {
  if (Math.max(one.rows, other.rows) < 2 * Math.min(one.rows, other.rows)) return undefined
  const perRow = Math.max(0, (other.time - one.time) / (other.rows - one.rows))
  return Math.max(0, other.time - perRow * other.rows)
}
