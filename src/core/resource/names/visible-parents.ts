// The SQL of rows that have a URL only below parent objects: they exist for a caller if one of these does.

import { sql } from 'kysely'
import { noValues } from '../../database/database.ts'
import type { Sql } from '../../database/dialect.ts'
import { rowsOf } from '../../database/row-source.ts'
import type { JoinTable, RelationTarget } from '../../fields/field.ts'
import { joinFilters, type RowFilter, readFilterValuesForGet } from '../../policy/permissions/row-filter.ts'

interface FilteredParent {
  readonly resource: RelationTarget
  /** The column with its key, in the rows of the resource below it. */
  readonly column: string
  readonly through?: JoinTable | undefined
  readonly filter: RowFilter | undefined
}

const joinAlias = 'joining row'

/** The condition that a table joins the row with this key and a parent: the one with this key, or any. */
export function isJoined({ table, own, other }: JoinTable, key: Sql, parent?: Sql): Sql {
  const ofParent = parent === undefined ? sql`` : sql` where ${sql.id(joinAlias, other)} = ${parent}`
  return sql`${key} in (select ${sql.id(joinAlias, own)} from ${sql.table(table)} as ${sql.id(joinAlias)}${ofParent})`
}

/** Selects the rows of which one of these parents exists for the caller. `level`: how many such filters contain this one. */
export const createVisibleParentFilter = (parents: readonly FilteredParent[], level: number): RowFilter =>
  joinFilters(
    parents.map(parent => createParentFilter(parent, `above ${level}`)),
    conditions => sql`(${sql.join(conditions, sql` or `)})`,
  )

function createParentFilter(parent: FilteredParent, alias: string): RowFilter {
  const { resource, column: foreignKey, through, filter } = parent
  if (filter === undefined)
    return {
      where: ({ column }) => (through ? isJoined(through, column(foreignKey)) : sql`${column(foreignKey)} is not null`),
      values: () => noValues,
    }
  const key = sql.id(alias, resource.key.column)
  return {
    ...(filter.volatile && { volatile: true }),
    where({ column, ...row }) {
      const condition = filter.where({ ...row, column: name => sql.id(alias, name) })
      const isParent = through ? isJoined(through, column(foreignKey), key) : sql`${key} = ${column(foreignKey)}`
      return sql`exists (select 1 from ${rowsOf(resource, alias)} where ${isParent} and (${condition}))`
    },
    values: context => readFilterValuesForGet(filter, context, ''),
  }
}
