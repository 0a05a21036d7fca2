// Takes a step back: removes what it created, unless rows or values would be lost.

import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Creation, QualifiedName } from './creations.ts'

/** A step cannot be taken back; the message is the reason. */
export class CannotTakeBack extends Error {
  override name = 'CannotTakeBack'
}

/**
 * Removes what a step created; `creations` is null if the step did more than that. Rejects with CannotTakeBack, or with the error
 * of the database; the transaction then has to be rolled back.
 */
export async function takeBack(kysely: Kysely<unknown>, creations: readonly Creation[] | null): Promise<void> {
  if (creations === null) throw new CannotTakeBack('it did more than create tables, columns, indexes and views')
  const tables = new Set(creations.filter(({ kind }) => kind === 'table').map(({ table }) => formatName(table!)))
  // The columns that a step added to its own tables are removed with these tables.
  const separate = creations.filter(({ kind, table }) => kind !== 'column' || !tables.has(formatName(table!)))
  for (const creation of separate) await checkEmpty(kysely, creation)
  for (const creation of separate.toReversed()) await formatRemoval(creation).execute(kysely)
}

async function checkEmpty(
  kysely: Kysely<unknown>,
  { kind, table, name, defaultValue = 'null' }: Creation,
): Promise<void> {
  if (kind !== 'table' && kind !== 'column') return
  // As texts, because some types of PostgreSQL, such as json, cannot be compared.
  const differs =
    kind === 'table'
      ? sql`true`
      : sql`cast(${sql.id(name!)} as text) is distinct from cast((${sql.raw(defaultValue)}) as text)`
  const { rows } = await sql<{
    count: number
  }>`select count(*) as count from ${sql.id(...table!)} where ${differs}`.execute(kysely)
  const count = Number(rows[0]!.count)
  if (count === 0) return
  const counted = `${count} ${count === 1 ? 'row' : 'rows'}`
  throw new CannotTakeBack(
    kind === 'table'
      ? `the table "${formatName(table!)}", which it created, has ${counted}`
      : `the column "${name}" of "${formatName(table!)}", which it created, has values in ${counted}`,
  )
}

function formatRemoval({ kind, table, name, schema }: Creation): RawBuilder<unknown> {
  if (kind === 'column') return sql`alter table ${sql.id(...table!)} drop column ${sql.id(name!)}`
  if (kind === 'index') return sql`drop index ${schema === undefined ? sql.id(name!) : sql.id(schema, name!)}`
  return sql`drop ${sql.raw(kind)} ${sql.id(...table!)}`
}

const formatName = (name: QualifiedName): string => name.join('.')
