// The SQL of rows that have a URL only below parent objects: they exist for a caller if one of these does.

import { sql } from 'kysely'
import { noValues } from '../../database/database.ts'
import type { RelationTarget } from '../../fields/field.ts'
import { joinFilters, type RowFilter, readFilterValuesForGet } from '../../policy/permissions/row-filter.ts'

interface FilteredParent {
  readonly resource: RelationTarget
  /** The column with its key, in the rows of the resource below it. */
  readonly column: string
  readonly filter: RowFilter | undefined
}

/** Selects the rows of which one of these parents exists for the caller. `level`: how many such filters contain this one. */
export const createVisibleParentFilter = (parents: readonly FilteredParent[], level: number): RowFilter =>
  joinFilters(
    parents.map(parent => createParentFilter(parent, `above ${level}`)),
    conditions => sql`(${sql.join(conditions, sql` or `)})`,
  )

function createParentFilter({ resource, column: foreignKey, filter }: FilteredParent, alias: string): RowFilter {
  if (filter === undefined)
    return { where: ({ column }) => sql`${column(foreignKey)} is not null`, values: () => noValues }
  return {
    ...(filter.volatile && { volatile: true }),
    where({ column, ...row }) {
      const condition = filter.where({ ...row, column: name => sql.id(alias, name) })
      return sql`exists (select 1 from ${sql.table(resource.table)} as ${sql.id(alias)} where ${sql.id(alias, resource.key.column)} = ${column(foreignKey)} and (${condition}))`
    },
    values: context => readFilterValuesForGet(filter, context, ''),
  }
}
