// Records steps without running them, for a database whose tables exist already: if they are those that the steps make.

import type { Database, SchemaSession } from '../database.ts'
import type { Dialect } from '../dialect.ts'
import { describeDifferences } from '../schema/describe-differences.ts'
import type { SchemaState } from '../schema/schema-state.ts'
import { compareWith } from './compare-with.ts'
import { createHistory, recordStep } from './history.ts'
import { createCopy } from './list-statements.ts'
import type { OwnedMigrations } from './migrations.ts'
import { loadOwner } from './read-steps.ts'
import { replayUntil } from './replay-steps.ts'
import { outlineStep } from './step-outline.ts'

export interface Baseline {
  /** How the tables differ from those of the steps, as sentences; then nothing was recorded. */
  readonly differences: readonly string[]
  readonly recorded: readonly string[]
}

/** Records the steps of an owner up to `target` that the database has not applied. Throws an Error if there is no such step. */
export async function recordBaseline(database: Database, owner: OwnedMigrations, target: string): Promise<Baseline> {
  const loaded = await loadOwner(owner)
  const { owner: name, steps } = loaded
  if (!Object.hasOwn(steps, target)) throw new Error(`"${name}" has no step "${target}"`)
  const { dialect } = database
  const names = Object.keys(steps).toSorted()
  const covered = names.filter(each => each <= target)
  const { tables } = replayUntil(steps, names[covered.length])
  return database.changeSchema(async session => {
    const { normalize, formatType, normalizeSql } = dialect.schema
    // SQLite keeps SQL as it was written. PostgreSQL writes it in its own words, so it writes that of the steps too.
    const written = normalizeSql ? tables : await writeTables(session, dialect, tables)
    const comparable = { normalize, formatType, ...(written && { normalizeSql: normalizeSql ?? (text => text) }) }
    return session.transaction(async ({ kysely }) => {
      const existing = await dialect.schema.readState(kysely, Object.keys(tables))
      const differences = describeDifferences(written ?? tables, existing.tables, comparable)
      if (differences.length > 0) return { differences, recorded: [] }
      await createHistory({ kysely, dialect })
      const { comparison } = await compareWith({ kysely, dialect }, { owners: [loaded], options: {} })
      const recorded = covered.filter(each => !comparison.applied.has(`${name}/${each}`))
      for (const each of recorded) {
        const { digest, isEmpty } = await outlineStep(steps[each]!, dialect)
        if (!isEmpty) await recordStep(kysely, { name: `${name}/${each}`, digest, creations: null, unfinished: [] })
      }
      return { differences, recorded }
    })
  })
}

/** The tables as the database writes them, once they exist in an empty schema; undefined if it cannot make them. */
async function writeTables(
  session: SchemaSession,
  { schema }: Dialect,
  tables: SchemaState['tables'],
): Promise<SchemaState['tables'] | undefined> {
  const rollBack = new Error('rolled back')
  let written: SchemaState['tables'] | undefined
  try {
    await session.transaction(async ({ kysely }) => {
      await schema.enterEmptySchema?.(kysely)
      await schema.run(kysely, createCopy({ tables, views: {} }, []), { alone: true })
      written = (await schema.readState(kysely, Object.keys(tables))).tables
      throw rollBack
    })
  } catch (error) {
    // The user may not create schemas. Then SQL counts only by whether there is any.
    if (error !== rollBack) return undefined
  }
  return written
}
