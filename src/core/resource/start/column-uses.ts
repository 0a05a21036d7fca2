// The tables and columns that a resource uses, each with the option of the declaration that names it.

import { sql } from 'kysely'
import { parameter } from '../../database/database.ts'
import { dialects } from '../../database/dialects.ts'
import { listSources, type RowSource } from '../../database/row-source.ts'
import { type ColumnUse, createJoinTableUses, type Field } from '../../fields/field.ts'
import { listStoredColumns } from '../../fields/storage.ts'
import { createRowFilter, listObjectColumns, type Permission } from '../../policy/permissions/permission.ts'
import type { RowFilter } from '../../policy/permissions/row-filter.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import type { ObjectView } from '../declare/views.ts'
import { listOrderedColumns } from '../query/declared-ordering.ts'

/** Lists the columns that a resource, its fields, permissions and views name. */
export function listColumnUses({ resource, plans, paginator, permissions }: BoundResource): readonly ColumnUse[] {
  const { table, key, fields, ordering, hookColumns, nestedUnder, objectViews = {}, filters = {} } = resource
  const columns = (option: string, names: readonly string[]): readonly ColumnUse[] =>
    names.map(column => ({ option, column }))
  const allPermissions = [permissions, ...Object.values(plans).map(plan => plan.permissions)].flat()
  const uses = [
    ...columns('key', [key.column, ...Object.keys(key.create?.() ?? {}).filter(column => column !== key.column)]),
    ...listSources(resource).flatMap(listLinks),
    ...Object.entries(fields).flatMap(([name, field]) => listFieldUses(name, field)),
    ...columns(
      'ordering',
      listOrderedColumns(resource, ordering).filter(column => column !== key.column),
    ),
    ...columns('pagination', listOrderedColumns(resource, paginator?.ordering ?? [])).map(use => ({
      ...use,
      // A paginator of an API or a profile orders all of its lists, and the user may not own their tables.
      advice: `order its pages by a column that all its tables have, such as cursor({ ordering: "-${key.column}" })`,
    })),
    ...columns('hookColumns', hookColumns),
    ...nestedUnder.flatMap(({ parent, column, through }): readonly ColumnUse[] => [
      ...(through === undefined ? [] : createJoinTableUses('nestedUnder: through', through)),
      { option: 'nestedUnder', column },
      { option: 'nestedUnder: parent', table: parent.table, column: parent.key.column },
    ]),
    ...Object.entries(filters).flatMap(([name, declared]) =>
      typeof declared === 'object' && 'columns' in declared ? columns(`filters: "${name}"`, declared.columns) : [],
    ),
    ...columns('permissions', listPermissionColumns(allPermissions)),
    ...Object.entries(objectViews).flatMap(([name, view]) => [
      ...columns(`the view "${name}": columns`, view.columns ?? []),
      ...columns(`the view "${name}": permissions`, listPermissionColumns(listViewPermissions(view))),
    ]),
  ]
  return uses.map(use => ({ table, ...use }))
}

const listLinks = ({ table, parentRows: parent }: RowSource): readonly ColumnUse[] =>
  parent === undefined
    ? []
    : [
        { option: 'extends', table, column: parent.link },
        { option: 'extends', table: parent.table, column: parent.key },
      ]

function listFieldUses(name: string, field: Field): readonly ColumnUse[] {
  const { columnUses = [] } = field
  return [
    ...listStoredColumns(name, field).map(({ column, path }) => ({
      option: `field "${path}"${column === path ? '' : ': column'}`,
      column,
    })),
    ...columnUses.map(use => ({ ...use, option: `field "${name}": ${use.option}` })),
  ]
}

/** The permissions that a view and its methods declare. */
export const listViewPermissions = ({ permissions = [], handlers }: ObjectView): readonly Permission[] => [
  ...permissions,
  ...Object.values(handlers).flatMap(handler => (typeof handler === 'function' ? [] : (handler.permissions ?? []))),
]

const listPermissionColumns = (permissions: readonly Permission[]): readonly string[] => [
  ...new Set([...(listObjectColumns(permissions) ?? []), ...listFilterColumns(createRowFilter(permissions))]),
]

// A filter may also name columns inside raw SQL; the database checks those.
function listFilterColumns(filter: RowFilter | undefined): readonly string[] {
  const columns: string[] = []
  filter?.where({
    column(name) {
      columns.push(name)
      return sql.ref(name)
    },
    value: name => parameter(name),
    // The columns are the same on all databases.
    dialect: dialects[0]!,
  })
  return columns
}
