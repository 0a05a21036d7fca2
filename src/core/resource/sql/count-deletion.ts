// Counts the rows that the deletion of objects also deletes or changes, and those that prevent it, by the foreign keys of the
// database. Each count stops at `maxCountedRows`. Foreign keys with several columns are not followed.

import { sql } from 'kysely'
import type { Database } from '../../database/database.ts'
import type { Dialect, ForeignKey, Sql } from '../../database/dialect.ts'
import { findStoredKey, type RowSource } from '../../database/row-source.ts'
import type { Identifier, KeyValue } from '../../keys/key.ts'
import { countRows, type RowCount } from './count-rows.ts'
import { isOneOf } from './key-list.ts'

/** The maximum number of cascades from one row to the next. A table that refers to itself is followed once. */
const maxDepth = 8
/** The maximum number of followed foreign keys. */
const maxReferences = 200

/** The rows of other tables that a deletion affects; without tables that have none. */
export interface Deletion {
  /** Rows that are deleted too. */
  readonly deletes: readonly RowCount[]
  /** Rows that stay, but no longer refer to what is deleted. */
  readonly changes: readonly RowCount[]
  /** Rows that refer to what is deleted, and because of which the database refuses the deletion. */
  readonly prevents: readonly RowCount[]
}

/** Where the deleted objects are. */
export interface DeletedObjects extends RowSource {
  readonly key: Pick<Identifier, 'column' | 'type'>
}

/**
 * Counts the rows that the deletion of the rows with these keys affects; the rows themselves do not count. One statement per table.
 *
 * @example
 * const { deletes, prevents } = await countDeletion(database, orders, [7, 8])
 */
export async function countDeletion(
  database: Database,
  objects: DeletedObjects,
  ids: readonly KeyValue[],
): Promise<Deletion> {
  const { dialect, kysely } = database
  const { rows: references } = await dialect.foreignKeys.execute(kysely)
  const starts = listStarts(dialect, objects, ids)
  const effects = listEffects(references, starts)
  const deleted = effects.deletes
  const count = async (conditions: Conditions, isKept = false) => {
    const counted: RowCount[] = []
    for (const [name, parts] of conditions) {
      // A row that is deleted anyway neither stays nor prevents the deletion.
      const isGone = starts.flatMap(({ table, condition }) => (name === table ? condition : []))
      const gone = [...isGone, ...((isKept && deleted.get(name)) || [])]
      const isRemaining = gone.length === 0 ? sql`` : sql` and not coalesce(${joinConditions(gone)}, false)`
      counted.push(await countRows(database, name, sql`${joinConditions(parts)}${isRemaining}`))
    }
    return counted.filter(({ count: found }) => found > 0)
  }
  return {
    deletes: await count(deleted),
    changes: await count(effects.changes, true),
    prevents: await count(effects.prevents, true),
  }
}

/**
 * Counts the rows that a deletion of the rows with these keys deletes or changes too: at most one more than `max`.
 */
export async function countAffected(
  { dialect, kysely }: Pick<Database, 'dialect' | 'kysely'>,
  objects: DeletedObjects,
  ids: readonly KeyValue[],
  { references, max }: { readonly references: readonly ForeignKey[]; readonly max: number },
): Promise<number> {
  const { deletes, changes } = listEffects(references, listStarts(dialect, objects, ids))
  let affected = 0
  for (const [name, parts] of [...deletes, ...changes]) {
    if (affected > max) break
    const { count, hasMore } = await countRows({ kysely }, name, joinConditions(parts), max - affected)
    affected += count + Number(hasMore)
  }
  return affected
}

type Condition = Sql

/** The conditions of the rows of each table, one of which must hold. */
type Conditions = ReadonlyMap<string, readonly Condition[]>

interface DeletedRows {
  readonly table: string
  readonly condition: Sql
}

/** The rows of the objects in each of their tables, the table that the others extend first. */
function listStarts(
  dialect: Dialect,
  { table, parentRows: parent, key }: DeletedObjects,
  ids: readonly KeyValue[],
): readonly DeletedRows[] {
  if (parent === undefined) return [{ table, condition: isOneOf(dialect, key, sql.ref(`${table}.${key.column}`), ids) }]
  const above = listStarts(dialect, { ...parent, key }, ids)
  const extended = sql.ref(`${parent.table}.${findStoredKey(parent, parent.key)}`)
  const keys = sql`select ${extended} from ${sql.table(parent.table)} where ${above.at(-1)!.condition}`
  return [...above, { table, condition: sql`${sql.ref(`${table}.${parent.link}`)} in (${keys})` }]
}

function listEffects(
  references: readonly ForeignKey[],
  starts: readonly DeletedRows[],
): Record<keyof Deletion, Conditions> {
  const effects = {
    deletes: new Map<string, Condition[]>(),
    changes: new Map<string, Condition[]>(),
    prevents: new Map<string, Condition[]>(),
  }
  let followed = 0
  const follow = ({ table, condition }: DeletedRows, path: readonly ForeignKey[]) => {
    for (const reference of references) {
      if (reference.target !== table || path.includes(reference) || followed >= maxReferences) continue
      followed++
      const column = sql.ref(`${reference.table}.${reference.column}`)
      const target = sql.ref(`${table}.${reference.target_column}`)
      const refers = sql`${column} in (select ${target} from ${sql.table(table)} where ${condition})`
      const conditions = effects[findEffect(reference)]
      conditions.set(reference.table, [...(conditions.get(reference.table) ?? []), refers])
      if (reference.on_delete === 'cascade' && path.length < maxDepth)
        follow({ table: reference.table, condition: refers }, [...path, reference])
    }
  }
  for (const start of starts) follow(start, [])
  return effects
}

function findEffect({ on_delete: action }: ForeignKey): keyof Deletion {
  if (action === 'cascade') return 'deletes'
  return action === 'set null' || action === 'set default' ? 'changes' : 'prevents'
}

const joinConditions = (conditions: readonly Condition[]): Condition => sql`(${sql.join(conditions, sql` or `)})`
