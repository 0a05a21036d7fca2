// Runs a statement for many rows in portions, so that the event loop runs between them.

import type { MaybePromise } from '../../base/maybe-promise.ts'
import { timeSlices } from '../../base/time-slices.ts'

/** So few that reading them takes a few milliseconds. */
const rowsPerPortion = 200

/** Runs `select` for all keys, in their order, and resolves to the rows. */
export async function runPortions<Key, Row>(
  keys: readonly Key[],
  select: (portion: readonly Key[]) => MaybePromise<readonly Row[]>,
): Promise<readonly Row[]> {
  const rows: Row[] = []
  await timeSlices.inGroups(keys, rowsPerPortion, async portion => {
    if (portion.length > 0) for (const row of await select(portion)) rows.push(row)
  })
  return rows
}
