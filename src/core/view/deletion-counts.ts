// What the deletion of objects affects, for the descriptions of its requests.

import type { Identifier, KeyValue } from '../keys/key.ts'

/** The counts of a deletion, with names for pages. */
export interface DeletionCounts
  extends Readonly<Record<'deletes' | 'changes' | 'prevents', readonly DescribedCount[]>> {
  /** The files of the objects themselves. */
  readonly files: number
}

interface DescribedCount {
  readonly name: string
  /** The resource that shows the table; null if none does. */
  readonly resource: string | null
  readonly count: number
  /** Whether there are more rows than `count`. */
  readonly has_more: boolean
}

/** Counts what the deletion of the objects with these values of an identifier affects. */
export type CountDeletion = (identifier: Identifier, ids: readonly KeyValue[]) => Promise<DeletionCounts>
