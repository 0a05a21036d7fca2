// Runs a statement for many rows in portions, so that the event loop runs between them.

import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts'
import { timeSlices } from '../../base/time-slices.ts'
import { createPortionSize } from './portion-size.ts'

// Larger than that of a list, because on PostgreSQL a further statement costs a round trip.
const firstRows = 32

/**
 * Runs `select` for all keys, in their order, and resolves to the rows. Each portion has as many keys as fit into a time slice, except
 * that the first one runs at once.
 */
export async function runPortions<Key, Row>(
  keys: readonly Key[],
  select: (portion: readonly Key[]) => MaybePromise<readonly Row[]>,
): Promise<readonly Row[]> {
  if (keys.length <= firstRows) return keys.length === 0 ? [] : select(keys)
  const size = createPortionSize(firstRows)
  const rows: Row[] = []
  const run = async (portion: readonly Key[]) => {
    const start = timeSlices.now()
    const selecting = select(portion)
    // While another process does the work, the event loop runs.
    const time = isPromise(selecting) ? 0 : timeSlices.now() - start
    for (const row of isPromise(selecting) ? await selecting : selecting) rows.push(row)
    return size.next({ rows: portion.length, length: 0, time })
  }
  let count = size.first()
  for (let start = 0; start < keys.length; ) {
    const portion = keys.slice(start, start + count)
    count = await (start === 0 ? run(portion) : timeSlices.run(() => run(portion)))
    start += portion.length
  }
  return rows
}
