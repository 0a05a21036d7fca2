// Takes a step back: removes what it created, unless rows or values would be lost.

import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../database.ts'
import type { Change } from '../schema/change.ts'
import { reverseChange } from '../schema/reverse-changes.ts'
import type { Creation, QualifiedName } from './creations.ts'
import type { TakeBackPlan } from './history.ts'

/** A step cannot be taken back; the message is the reason. */
class CannotTakeBack extends Error {
  override name = 'CannotTakeBack'
}

type Target = Pick<Database, 'kysely' | 'dialect'>

/**
 * Removes what a step created. Rejects with CannotTakeBack, or with the error of the database; the transaction then has to be rolled
 * back.
 */
export async function takeBack(target: Target, plan: TakeBackPlan): Promise<void> {
  if (plan === null) throw new CannotTakeBack('it did more than create tables, columns, indexes and views')
  if ('changes' in plan) await reverse(target, plan.changes)
  else await removeCreations(target.kysely, plan)
}

async function reverse({ kysely, dialect }: Target, changes: readonly Change[]): Promise<void> {
  for (const change of changes.toReversed()) {
    if ('createTable' in change) await checkEmpty(kysely, { kind: 'table', table: [change.createTable] })
    if ('addColumn' in change) {
      const { table, addColumn: name, default: value, fill = value } = change
      const defaultValue = fill === undefined ? 'null' : dialect.schema.formatDefault(fill)
      if (change.generated === undefined)
        await checkEmpty(kysely, { kind: 'column', table: [table], name, defaultValue })
    }
    const reversed = reverseChange(change)
    if (reversed === undefined)
      throw new CannotTakeBack('it did more than create and rename tables, columns, indexes, checks and views')
    await dialect.schema.run(kysely, [reversed], { alone: true })
  }
}

async function removeCreations(kysely: Kysely<unknown>, creations: readonly Creation[]): Promise<void> {
  const tables = new Set(creations.filter(({ kind }) => kind === 'table').map(({ table }) => formatName(table!)))
  // The columns that a step added to its own tables are removed with these tables.
  const separate = creations.filter(({ kind, table }) => kind !== 'column' || !tables.has(formatName(table!)))
  for (const creation of separate) await checkEmpty(kysely, creation)
  for (const creation of separate.toReversed()) await formatRemoval(creation).execute(kysely)
}

async function checkEmpty(kysely: Kysely<unknown>, creation: Creation): Promise<void> {
  const content = await describeContent(kysely, creation)
  if (content !== undefined) throw new CannotTakeBack(content)
}

/** Says which rows a table, or which values a column, has since the step that created it; undefined: none. */
export async function describeContent(
  kysely: Kysely<unknown>,
  { kind, table, name, defaultValue = 'null' }: Creation,
): Promise<string | undefined> {
  if (kind !== 'table' && kind !== 'column') return undefined
  // As texts, because some types of PostgreSQL, such as json, cannot be compared.
  const differs =
    kind === 'table'
      ? sql`true`
      : sql`cast(${sql.id(name!)} as text) is distinct from cast((${sql.raw(defaultValue)}) as text)`
  const { rows } = await sql<{
    count: number
  }>`select count(*) as count from ${sql.id(...table!)} where ${differs}`.execute(kysely)
  const count = Number(rows[0]!.count)
  if (count === 0) return undefined
  const counted = `${count} ${count === 1 ? 'row' : 'rows'}`
  return kind === 'table'
    ? `the table "${formatName(table!)}", which it created, has ${counted}`
    : `the column "${name}" of "${formatName(table!)}", which it created, has values in ${counted}`
}

function formatRemoval({ kind, table, name, schema }: Creation): RawBuilder<unknown> {
  if (kind === 'column') return sql`alter table ${sql.id(...table!)} drop column ${sql.id(name!)}`
  if (kind === 'index') return sql`drop index ${schema === undefined ? sql.id(name!) : sql.id(schema, name!)}`
  return sql`drop ${sql.raw(kind)} ${sql.id(...table!)}`
}

const formatName = (name: QualifiedName): string => name.join('.')
