// The names in the database that a resource uses, each with the option of the declaration that gives it.

import { sql } from 'kysely'
import { parameter } from '../database/database.ts'
import { type ColumnUse, type Field, throughUses } from '../fields/field.ts'
import { objectColumns, type Permission, rowsFor } from '../permissions/permission.ts'
import type { RowFilter } from '../permissions/row-filter.ts'
import type { BoundResource } from './bound-resource.ts'
import type { ObjectView } from './extra-view.ts'

/** The names that a resource and its fields, policies and views give. */
export function columnUses({ resource, plans, paginator, permissions }: BoundResource): readonly ColumnUse[] {
  const { table, key, fields, ordering, hookColumns, nestedUnder, objectViews = {} } = resource
  const columns = (option: string, names: readonly string[]): readonly ColumnUse[] =>
    names.map(column => ({ option, column }))
  const policies = [permissions, ...Object.values(plans).map(plan => plan.permissions)].flat()
  const uses = [
    ...columns('key', [key]),
    ...Object.entries(fields).flatMap(([name, field]) => fieldUses(name, field)),
    ...columns(
      'ordering',
      ordering.map(({ column }) => column).filter(column => column !== key),
    ),
    ...columns(
      'pagination',
      (paginator?.ordering ?? []).map(name => name.replace(/^-/, '')),
    ),
    ...columns('hookColumns', hookColumns),
    ...nestedUnder.flatMap(({ parent, column }): readonly ColumnUse[] => [
      { option: 'nestedUnder', column },
      { option: 'nestedUnder: parent', table: parent.table, column: parent.key },
    ]),
    ...columns('permissions', permissionColumns(policies)),
    ...Object.entries(objectViews).flatMap(([name, view]) => [
      ...columns(`the view "${name}": columns`, view.columns ?? []),
      ...columns(`the view "${name}": permissions`, permissionColumns(viewPermissions(view))),
    ]),
  ]
  return uses.map(use => ({ table, ...use }))
}

function fieldUses(name: string, { storage, uses = [] }: Field): readonly ColumnUse[] {
  const where = `field "${name}"`
  const stored: readonly ColumnUse[] =
    storage.kind === 'column'
      ? [{ option: storage.column === undefined ? where : `${where}: column`, column: storage.column ?? name }]
      : storage.kind === 'rows'
        ? throughUses(`${where}: ${storage.of === 'texts' ? 'rows' : 'many'}`, storage)
        : []
  return [...stored, ...uses.map(use => ({ ...use, option: `${where}: ${use.option}` }))]
}

/** The policies that a view has of its own, those of its methods included. */
export const viewPermissions = ({ permissions = [], handlers }: ObjectView): readonly Permission[] => [
  ...permissions,
  ...Object.values(handlers).flatMap(given => (typeof given === 'function' ? [] : (given.permissions ?? []))),
]

const permissionColumns = (permissions: readonly Permission[]): readonly string[] => [
  ...new Set([...(objectColumns(permissions) ?? []), ...filterColumns(rowsFor(permissions))]),
]

// Beside these a filter may name columns in SQL of its own, which the database reads.
function filterColumns(filter: RowFilter | undefined): readonly string[] {
  const columns: string[] = []
  filter?.where({
    column(name) {
      columns.push(name)
      return sql.ref(name)
    },
    value: name => parameter(name),
  })
  return columns
}
