// Completes what a resource declares without SQL: values of related rows, and conditions, which need its declared table.

import { isObject } from '../../base/is-object.ts'
import { completeField } from '../../fields/complete-field.ts'
import type { Fields } from '../../fields/field.ts'
import { isStoredAsJson } from '../../fields/kinds/kind.ts'
import { findStoredField, listWrittenColumns, storageColumn } from '../../fields/storage.ts'
import { type RowFilterScope, rowFilter } from '../../policy/permissions/built-in-permissions.ts'
import type { Permission } from '../../policy/permissions/permission.ts'
import type { RowFilter } from '../../policy/permissions/row-filter.ts'
import { findDeletedColumn, toColumn } from '../../tables/column-names.ts'
import type { Condition } from '../../tables/condition.ts'
import { findFilledColumns, noFilledColumns } from '../../tables/filled-columns.ts'
import type { Table } from '../../tables/table.ts'
import type { CustomFilter, FilterDeclarations } from '../declare/filters.ts'
import type { NestedUnder } from '../declare/nested-under.ts'
import type { Resource } from '../declare/resource.ts'
import type { ResourceOptions } from '../declare/resource-options.ts'
import type { DeclaredRowList, RowList } from '../declare/row-lists.ts'
import { compileCondition, createScope } from '../related/compile-condition.ts'

/** What a resource declares, and its declared table; undefined if it only names a table. */
interface Declaration {
  readonly name: string
  readonly options: Pick<
    ResourceOptions<Fields, string>,
    'filters' | 'rows' | 'lists' | 'hookColumns' | 'permissions' | 'perAction' | 'uniqueTogether'
  >
  readonly fields: Fields
  readonly nestedUnder: readonly NestedUnder[]
  readonly table: Table | undefined
}

/** The properties of a resource that depend on its table. */
export function completeForTable({ name, options, fields, nestedUnder, table }: Declaration) {
  const { filters, rows, lists, hookColumns = [], perAction = {} } = options
  // A resource can be declared with the properties of another one.
  const filledColumns =
    table === undefined
      ? ((options as Partial<Resource>).filledColumns ?? noFilledColumns)
      : findFilledColumns(table, listBodyColumns(fields))
  return {
    ...(isObject(filters) && { filters: completeFilters(filters as FilterDeclarations, table, name) }),
    ...createOwnRows(rows, table, `resource "${name}": rows`),
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
        ...(table === undefined ? [] : listParentColumns(fields, nestedUnder)),
      ]),
    ],
  }
}

const listBodyColumns = (fields: Fields): ReadonlySet<string> =>
  new Set(Object.entries(fields).flatMap(([name, field]) => (field.readOnly ? [] : listWrittenColumns(name, field))))

// The table has the column of a parent, whether a field shows it or not.
const listParentColumns = (fields: Fields, nestedUnder: readonly NestedUnder[]): readonly string[] =>
  nestedUnder.map(({ column }) => column).filter(column => findStoredField(fields, column) === undefined)

// Other sets of the table are left to the database, because no body gives all of their columns.
const listUniqueSets = (fields: Fields, table: Table): readonly (readonly string[])[] =>
  (table.options.unique ?? []).flatMap(names => {
    const found = names.map(name => findComparedField(fields, toColumn(table, name)))
    return found.every(name => name !== undefined) ? [found] : []
  })

const findComparedField = (fields: Fields, column: string): string | undefined =>
  Object.entries(fields).find(
    ([name, field]) =>
      storageColumn(name, field) === column &&
      !field.readOnly &&
      field.visible === undefined &&
      !isStoredAsJson(field.kind),
  )?.[0]

/** Completes the fields that show values of related rows. */
export const completeTableFields = (fields: Fields, table: Table | undefined, resource: string): Fields =>
  mapNamed(fields, `resource "${resource}": field`, field =>
    field.completion?.forTable === undefined ? field : completeField(field, 'forTable', requireTable(table)),
  )

/** Completes the filters by a condition. */
const completeFilters = (filters: FilterDeclarations, table: Table | undefined, resource: string): FilterDeclarations =>
  mapNamed(filters, `resource "${resource}": filters:`, filter =>
    isConditionFilter(filter) ? filter.forTable(requireTable(table)) : filter,
  )

const isConditionFilter = (filter: unknown): filter is CustomFilter & Required<Pick<CustomFilter, 'forTable'>> =>
  isObject(filter) && 'forTable' in filter

function mapNamed<Value>(
  values: Readonly<Record<string, Value>>,
  place: string,
  change: (value: Value) => Value,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      try {
        return [name, change(value)]
      } catch (error) {
        throw new Error(`${place} "${name}": ${(error as Error).message}`)
      }
    }),
  )
}

function requireTable(table: Table | undefined): Table {
  if (table !== undefined) return table
  throw new Error('it needs the declared table of the resource: write table: books, with a table of table()')
}

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

/** The filter of the rows that are objects of the resource. Rows that were deleted are not, unless `rows` says so. */
function createOwnRows(
  rows: Condition = {},
  table: Table | undefined,
  place: string,
): Pick<Resource, 'ownRows' | 'deletedColumn'> {
  const deleted = table && findDeletedColumn(table)
  const decides = deleted !== undefined && Object.keys(rows).some(name => name.split('__')[0] === deleted)
  const condition = deleted === undefined || decides ? rows : { ...rows, [deleted]: null }
  return {
    ...(Object.keys(condition).length > 0 && { ownRows: createFilter(condition, table, place) }),
    ...(deleted !== undefined && !decides && { deletedColumn: deleted }),
  }
}

interface Permitted {
  readonly permissions?: readonly Permission<never>[]
}

/** Completes the permissions of an action or a list, whose row filters may be conditions. */
const completePolicies = <Policies extends Permitted>(policies: Policies, table: Table | undefined): Policies => ({
  ...policies,
  ...findCompletedPermissions(policies, table, 'permissions'),
})

// Node runs TypeScript without checking types, and the checks of permissions come later.
function findCompletedPermissions(
  { permissions }: { readonly permissions?: unknown },
  table: Table | undefined,
  place: string,
): { readonly permissions?: readonly Permission[] } {
  if (!Array.isArray(permissions) || !permissions.some(each => each?.forTable)) return {}
  const complete = ({ forTable }: Permission) => forTable!(condition => createFilter(condition, table, place))
  return { permissions: permissions.map(each => (each?.forTable ? complete(each) : each)) }
}

/** Creates the row filter of a condition. */
function createFilter(condition: Condition, table: Table | undefined, place: string): RowFilter {
  try {
    return rowFilter(createRowsSql(condition, requireTable(table))).filter as RowFilter
  } catch (error) {
    throw new Error(`${place}: ${(error as Error).message}`)
  }
}

const createRowsSql = (rows: Condition, table: Table) => (scope: RowFilterScope) =>
  compileCondition(rows, createScope(table, scope))
