// What the changes of a step on PostgreSQL share.

import { type Kysely, sql } from 'kysely'
import { quote } from '../../catalogue.ts'
import { formatReference } from '../../editors/definitions.ts'
import { type RowSource, refuseOrphans } from '../../editors/rows.ts'
import type { LaterWork } from '../../editors/schema-editor.ts'
import type { Change } from '../../schema/change.ts'
import type { ColumnState, ColumnType, ReferenceState } from '../../schema/schema-state.ts'
import { definitions } from './postgres-definitions.ts'

export interface Editing {
  readonly kysely: Kysely<unknown>
  /** The work that follows the commit. */
  readonly later: LaterWork[]
  /** The tables that the step has created: nobody else uses them. */
  readonly created: Set<string>
  /** The changes whose rows have been examined before the first statement. */
  readonly examined: ReadonlySet<Change>
  execute(text: string): Promise<void>
  /** Whether there is no database: the statements are only listed. */
  readonly isListed: boolean
  /** The column before the change. */
  findColumn(table: string, column: string): Promise<ColumnState | undefined>
  /** Whether work on a table may follow the commit: others use it, and no later change of the step replaces the result. */
  canWait(table: string, replaces?: (later: Change) => boolean): boolean
}

export type TableChange = Extract<Change, { readonly table: string }>

export async function findSource(kysely: Kysely<unknown>, table: string): Promise<RowSource> {
  const { rows } = await sql<{ name: string }>`
    select a.attname as name from pg_index x cross join unnest(x.indkey::int2[]) with ordinality k(number, place)
    join pg_attribute a on a.attrelid = x.indrelid and a.attnum = k.number
    where x.indrelid = to_regclass(${quote(table)}) and x.indisprimary order by k.place`.execute(kysely)
  return { kysely, table, key: rows.map(({ name }) => name) }
}

/** The type of a column that exists; the key and its sequence stay what they are. */
export const formatPlainType = (type: ColumnType): string => definitions.formatType(type === 'key' ? 'integer' : type)

export async function addReference(
  { kysely, created, execute, later, canWait }: Editing,
  table: string,
  column: string,
  reference: ReferenceState,
): Promise<void> {
  if (!created.has(table)) await refuseOrphans(await findSource(kysely, table), column, reference)
  const constraint = await findFreeName(kysely, table, `${table}_${column}_fkey`)
  const isLater = canWait(table)
  await execute(
    `alter table ${quote(table)} add constraint ${quote(constraint)} foreign key (${quote(column)}) ${formatReference(reference)}${isLater ? ' not valid' : ''}`,
  )
  if (isLater) later.push({ kind: 'validate', table, constraint })
}

/** A name of a constraint that the table does not have, of at most 63 bytes. */
export async function findFreeName(kysely: Kysely<unknown>, table: string, wish: string): Promise<string> {
  const { rows } = await sql<{ name: string }>`
    select conname as name from pg_constraint where conrelid = to_regclass(${quote(table)})`.execute(kysely)
  const names = new Set(rows.map(({ name }) => name))
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? '' : `_${number}`
    const name = `${cutName(wish, 63 - suffix.length)}${suffix}`
    if (!names.has(name)) return name
  }
}

function cutName(name: string, bytes: number): string {
  let text = name
  while (Buffer.byteLength(text) > bytes) text = text.slice(0, -1)
  return text.toWellFormed().replaceAll('\ufffd', '_')
}
