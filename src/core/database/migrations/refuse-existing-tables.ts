// Refuses a migration that would create a table that exists, before its first step: otherwise the steps before it would stay, possibly
// in the database of another program.

import type { Database } from '../database.ts'
import { type Comparison, findStep } from './compare.ts'
import type { Migration } from './compare-with.ts'
import { ExistingTable } from './existing-table.ts'
import { findOwner, hasTable } from './history.ts'
import type { StepName } from './plan.ts'
import { outlineStep } from './step-outline.ts'

/** Rejects with ExistingTable for the first such step. Examines the steps before the first one whose tables are not known. */
export async function refuseExistingTables(
  database: Pick<Database, 'kysely' | 'dialect'>,
  { owners }: Pick<Migration, 'owners'>,
  { missing, applied }: { readonly missing: readonly StepName[] } & Pick<Comparison, 'applied'>,
): Promise<void> {
  const earlierOwners = new Set([...applied.keys()].map(findOwner))
  const currentOwners = new Set<string>()
  /** Whether each table exists after the steps so far. */
  const tables = new Map<string, boolean>()
  for (const { owner, step } of missing) {
    currentOwners.add(owner)
    const outline = await outlineStep(findStep(owner, step, owners), database.dialect)
    if (outline.tables === undefined) return
    for (const { table, exists } of outline.tables) {
      if (exists && (tables.get(table) ?? (await hasTable(database, table))))
        throw new ExistingTable({ owner, step, table, earlierOwners, currentOwners }, undefined)
      tables.set(table, exists)
    }
  }
}
