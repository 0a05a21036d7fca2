// Completes what a resource declares without SQL: values of related rows, and conditions, which need its declared table.

import { isObject } from '../../base/is-object.ts'
import { completeField } from '../../fields/complete-field.ts'
import type { DeclaredRelation, Field, Fields, JoinTable } from '../../fields/field.ts'
import { isStoredAsJson } from '../../fields/kinds/kind.ts'
import { findStoredField, listWrittenColumns, storageColumn } from '../../fields/storage.ts'
import { findFilledName, findRowSource, listUniqueNames, toColumn } from '../../tables/column-names.ts'
import { findTenant } from '../../tables/existing-rows.ts'
import { findFilledColumns, noFilledColumns } from '../../tables/filled-columns.ts'
import { requireRelation } from '../../tables/find-relation.ts'
import { isTableColumn, type Table } from '../../tables/table.ts'
import { findSchemaTable } from '../../tables/tables.ts'
import type { CustomFilter, FilterDeclarations } from '../declare/filters.ts'
import { listUrlColumns, type NestedUnder } from '../declare/nested-under.ts'
import type { Resource } from '../declare/resource.ts'
import type { ResourceOptions } from '../declare/resource-options.ts'
import type { DeclaredRowList, RowList } from '../declare/row-lists.ts'
import { hideInRows } from '../related/hide-in-rows.ts'
import { completePolicies, findCompletedPermissions, mapNamed } from './complete-policies.ts'
import { createOwnRows, createRowsSql, findExistingFilter, hasConditions, requireTable } from './row-conditions.ts'

/** What a resource declares, and its declared table; undefined if it only names a table. */
interface Declaration {
  readonly name: string
  readonly options: Pick<
    ResourceOptions<Fields, string>,
    'filters' | 'rows' | 'lists' | 'lookup' | 'hookColumns' | 'permissions' | 'perAction' | 'uniqueTogether'
  >
  readonly fields: Fields
  readonly nestedUnder: readonly NestedUnder[]
  readonly table: Table | undefined
}

/** The properties of a resource that depend on its table. */
export function completeForTable({ name, options, fields, nestedUnder, table }: Declaration) {
  const { filters, rows, lists, lookup, hookColumns = [], perAction = {} } = options
  // A resource can be declared with the properties of another one.
  const filledColumns =
    table === undefined
      ? ((options as Partial<Resource>).filledColumns ?? noFilledColumns)
      : findFilledColumns(table, listBodyColumns(fields))
  if (table !== undefined) checkTenantFields(name, { fields, table, lookup })
  const ownRows = createOwnRows(rows, table, `resource "${name}": rows`)
  return {
    ...(table !== undefined && {
      declaredTable: table,
      ...findRowSource(table),
      findExistingRows: (other: string) => findExistingFilter(findSchemaTable(table, other)),
    }),
    ...(isObject(filters) && { filters: completeFilters(filters as FilterDeclarations, table, name) }),
    ...ownRows,
    ...findCompletedPermissions(options, table, `resource "${name}": permissions`),
    perAction: isObject(perAction)
      ? mapNamed(perAction, `resource "${name}": the action`, action => completePolicies(action, table))
      : perAction,
    ...(lists && { lists: isObject(lists) ? completeLists(lists, table, name) : lists }),
    uniqueTogether: options.uniqueTogether ?? (table === undefined ? [] : listUniqueSets(fields, table)),
    filledColumns,
    hookColumns: [
      ...new Set([
        ...hookColumns,
        ...filledColumns.create.map(({ column }) => column),
        ...listRestored(ownRows, fields),
        ...(table === undefined ? [] : listParentColumns(fields, nestedUnder)),
      ]),
    ],
  }
}

const listBodyColumns = (fields: Fields): ReadonlySet<string> =>
  new Set(Object.entries(fields).flatMap(([name, field]) => (field.readOnly ? [] : listWrittenColumns(name, field))))

const listRestored = (
  { restoredColumn: column }: Pick<Resource, 'restoredColumn'>,
  fields: Fields,
): readonly string[] => (column === undefined || listBodyColumns(fields).has(column) ? [] : [column])

// The table has the column of a parent, whether a field shows it or not.
const listParentColumns = (fields: Fields, nestedUnder: readonly NestedUnder[]): readonly string[] =>
  listUrlColumns({ nestedUnder }).filter(column => findStoredField(fields, column) === undefined)

// Bodies give all of the columns but the owner and the tenant. Other sets of the table are left to the database.
const listUniqueSets = (fields: Fields, table: Table): readonly (readonly string[])[] =>
  listUniqueNames(table).flatMap(names => {
    const given = names.filter(name => !isOfCaller(table, fields, name))
    const found = given.map(name => findComparedField(fields, toColumn(table, name)))
    return found.length > 0 && found.every(name => name !== undefined) ? [found] : []
  })

// The caller decides the value, unless bodies write the column.
function isOfCaller(table: Table, fields: Fields, name: string): boolean {
  if (![findFilledName(table, 'owner'), findFilledName(table, 'tenant')].includes(name)) return false
  return findStoredField(fields, toColumn(table, name), ({ readOnly }) => !readOnly) === undefined
}

const findComparedField = (fields: Fields, column: string): string | undefined =>
  Object.entries(fields).find(
    ([name, field]) =>
      storageColumn(name, field) === column &&
      !field.readOnly &&
      field.visible === undefined &&
      field.visibleRows === undefined &&
      !isStoredAsJson(field.kind),
  )?.[0]

/** Completes the fields that show related rows, or values of them. */
export const completeTableFields = (fields: Fields, table: Table | undefined, resource: string): Fields =>
  mapNamed(fields, `resource "${resource}": field`, (field, name) => {
    const valued =
      field.completion?.forTable === undefined ? field : completeField(field, 'forTable', requireTable(table))
    const related = completeVisible(completeRelation(valued, name, table), name, table)
    if (table !== undefined) checkJoiningTable(related, table)
    return related
  })

const completeVisible = (field: Field, name: string, table: Table | undefined): Field =>
  field.visibleRows === undefined && field.editableRows === undefined
    ? field
    : hideInRows(field, name, requireTable(table))

function completeRelation(field: Field, name: string, table: Table | undefined): Field {
  const { forRelation, needsRelation } = field.completion ?? {}
  if (forRelation === undefined) return field
  if (needsRelation !== undefined) {
    if (table === undefined) throw new Error(needsRelation)
    return completeField(field, 'forRelation', describeRelation(table, name))
  }
  const reference = table?.columns[name]
  return reference !== undefined && isTableColumn(reference) && (reference.reference ?? reference.ids)
    ? completeField(field, 'forRelation', { column: toColumn(table!, name) })
    : field
}

/** The table that joins the rows of a declared table with those of its relation; throws if the relation has none. */
export function findJoinTable(table: Table | undefined, name: string): JoinTable {
  const relation = describeRelation(requireTable(table), name)
  if ('table' in relation) return relation
  throw new Error(
    `through: no table joins the rows of "${name}": name the column of the parent with "field" or "column"`,
  )
}

function describeRelation(table: Table, name: string): DeclaredRelation {
  const { own, other, through } = requireRelation(table, table, name)
  if (Object.hasOwn(table.columns, name)) return { column: own }
  return through === undefined ? { reverse: other } : { table: through.table.name, own: other, other: through.target }
}

// The statements that show and write the rows of a joining table do not know which of them exist.
function checkJoiningTable({ storedRows, join }: Field, table: Table): void {
  const name = storedRows?.table ?? (join && 'table' in join.through ? join.through.table : undefined)
  const joining = name === undefined ? undefined : findSchemaTable(table, name)
  if (joining === undefined || !hasConditions(joining)) return
  throw new Error(
    `some rows of the table "${joining.name}" do not exist for every caller: show them by nested(), with a resource of that table`,
  )
}

/** Completes the filters by a condition. */
const completeFilters = (filters: FilterDeclarations, table: Table | undefined, resource: string): FilterDeclarations =>
  mapNamed(filters, `resource "${resource}": filters:`, filter =>
    isConditionFilter(filter) ? filter.forTable(requireTable(table)) : filter,
  )

const isConditionFilter = (filter: unknown): filter is CustomFilter & Required<Pick<CustomFilter, 'forTable'>> =>
  isObject(filter) && 'forTable' in filter

/** Completes the further lists whose rows are a condition. */
const completeLists = (
  lists: Readonly<Record<string, RowList>>,
  table: Table | undefined,
  resource: string,
): Readonly<Record<string, DeclaredRowList>> =>
  mapNamed(lists, `resource "${resource}": the list`, ({ rows, ...list }) => ({
    ...completePolicies(list, table),
    rows: typeof rows === 'object' && rows !== null ? createRowsSql(rows, requireTable(table)) : rows,
  })) as Readonly<Record<string, DeclaredRowList>>

// A body cannot choose the tenant, and the callers of all tenants need names that are unique in all of them.
function checkTenantFields(
  resource: string,
  { fields, table, lookup }: { readonly fields: Fields; readonly table: Table; readonly lookup: Resource['lookup'] },
): void {
  const tenant = findTenant(table)
  if (tenant === undefined) return
  const [writer] = findStoredField(fields, tenant.column, ({ readOnly }) => !readOnly) ?? []
  if (writer !== undefined)
    throw new Error(`resource "${resource}": field "${writer}" would let bodies set the tenant: wrap it in readOnly()`)
  if (tenant.all !== undefined && typeof lookup === 'string')
    throw new Error(
      `resource "${resource}": lookup: "${lookup}" is unique for each tenant, and some callers see the rows of all: remove "lookup", or "all" of the tenant`,
    )
}
