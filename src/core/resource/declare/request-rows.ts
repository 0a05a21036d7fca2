// The rows that one request writes: its items, their children and the children of these, the keys in relations to many, and the rows
// that the removal of children deletes or changes. Bounds of single parts multiply, so the sum has one of its own (decision 091).

import { TooManyRows } from '../../errors/exceptions.ts'
import type { HandlerContext } from '../../http/context.ts'

/** The rows of one attempt to write. */
export interface RequestRows {
  /** Counts rows; throws TooManyRows beyond the limit. */
  add(count: number): void
  /** How many rows were counted. */
  total(): number
  /** How many rows may be added; infinite for a called action. Throws TooManyRows if an item that is read meanwhile exceeded the limit. */
  left(): number
}

/** The default of the option `rowsPerRequest`. */
export const defaultRowsPerRequest = 10_000

/**
 * Begins to count the rows of a request, with `count` objects in its body. A called action is code of the application, which knows how much
 * it writes.
 */
export function countRows(
  { rowsPerRequest }: { readonly rowsPerRequest: number },
  { calledPath }: HandlerContext,
  count: number,
): RequestRows {
  const limit = calledPath === undefined ? rowsPerRequest : Number.POSITIVE_INFINITY
  let total = 0
  const left = () => {
    if (total > limit) throw new TooManyRows(limit)
    return limit - total
  }
  const add = (added: number) => {
    total += added
    left()
  }
  add(count)
  return { add, total: () => total, left }
}
