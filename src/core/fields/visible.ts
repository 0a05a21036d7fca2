// Related rows that a row filter hides from the caller.

import { sql } from 'kysely'
import type { Sql } from '../database/dialect.ts'
import { rowsOf } from '../database/row-source.ts'
import type { FieldLocation, Relation, RowFilterOptions, RowTarget } from './field.ts'

type VisibleRelation = Pick<Relation, 'target'> & RowFilterOptions

type VisibilityContext = Pick<FieldLocation, 'visibleCondition'>

/** Rows, and whether row filters apply to them. */
export interface FilteredRows extends RowFilterOptions {
  readonly target: RowTarget
}

/** ` and …` with the condition that the rows with this alias are visible to the caller; empty if all rows are. */
export function andVisible(
  { visibleCondition }: VisibilityContext,
  { target, ignoreRowFilter = false }: FilteredRows,
  alias: string,
): Sql {
  const condition = ignoreRowFilter ? undefined : visibleCondition(target, alias)
  return condition === undefined ? sql`` : sql` and ${condition}`
}

const visibleAlias = 'visible row'

/** The key in a column as SQL; null if the row filter hides the object from the caller. */
export function createVisibleKey(location: VisibilityContext, relation: VisibleRelation, key: Sql): Sql {
  const rows = createVisibleRows(location, relation, key)
  return rows === undefined ? key : sql`(select ${sql.id(visibleAlias, relation.target.key.column)} ${rows})`
}

/** The `from` and `where` that select the object with this key if the caller may see it; undefined if there is no filter. */
export function createVisibleRows(
  { visibleCondition }: VisibilityContext,
  { target, ignoreRowFilter }: VisibleRelation,
  key: Sql,
): Sql | undefined {
  const condition = ignoreRowFilter ? undefined : visibleCondition(target, visibleAlias)
  return (
    condition &&
    sql`from ${rowsOf(target, visibleAlias)} where ${sql.id(visibleAlias, target.key.column)} = ${key} and ${condition}`
  )
}
