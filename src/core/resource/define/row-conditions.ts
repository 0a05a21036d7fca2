// The row filters that follow from conditions on the rows of a declared table.

import type { Sql } from '../../database/dialect.ts'
import { type RowFilterScope, rowFilter } from '../../policy/permissions/built-in-permissions.ts'
import { joinConditions, type RowFilter } from '../../policy/permissions/row-filter.ts'
import { toColumn } from '../../tables/column-names.ts'
import { type Condition, isPlaceholder, isStored, type StoredConditions } from '../../tables/condition.ts'
import { findDeletion, findExistingRows } from '../../tables/existing-rows.ts'
import type { Table } from '../../tables/table.ts'
import type { Resource } from '../declare/resource.ts'
import { type ConditionScope, compileCondition, compileExistence, createScope } from '../related/compile-condition.ts'
import { createStoredFilter } from '../related/stored-filter.ts'

/** The filter of the rows that are objects of the resource. Rows that were deleted are not, unless `rows` says so. */
export function createOwnRows(
  rows: Condition = {},
  table: Table | undefined,
  place: string,
): Pick<Resource, 'ownRows' | 'deletedColumn' | 'restoredColumn'> {
  const deletion = table === undefined ? {} : findDeletion(table, rows)
  const isLiving = deletion.restoredColumn === undefined
  return {
    ...(((table !== undefined && hasConditions(table)) || Object.keys(rows).length > 0) && {
      ownRows: {
        ...createFilter(rows, table, place, scope => compileExistence(scope, isLiving)),
        determines: listDetermined(table!, rows, ...findExistingRows(table!).ofTenant, ...findExistingRows(table!).own),
      },
    }),
    ...deletion,
  }
}

/** Whether some rows of the table do not exist for every caller. */
export const hasConditions = (table: Table): boolean => Object.values(findExistingRows(table)).flat().length > 0

const existingFilters = new WeakMap<Table, RowFilter>()

/** Finds the filter of the rows that exist; it is made once, because statements know it by its identity. */
export function findExistingFilter(table: Table | undefined): RowFilter | undefined {
  if (table === undefined || !hasConditions(table)) return undefined
  const filter = existingFilters.get(table) ?? createFilter({}, table, `table "${table.name}": rows`, compileExistence)
  existingFilters.set(table, filter)
  return filter
}

/** Creates the row filter of a condition. `compileOthers`: further conditions of the same rows. */
export function createFilter(
  condition: Condition | StoredConditions,
  table: Table | undefined,
  place: string,
  compileOthers: (scope: ConditionScope) => readonly Sql[] = () => [],
): RowFilter {
  try {
    const declared = requireTable(table)
    if (isStored(condition)) return createStoredFilter(condition, declared)
    const { filter } = rowFilter(scope => {
      const rows = createScope(declared, scope)
      const own = Object.keys(condition).length === 0 ? [] : [compileCondition(condition, rows)]
      return joinConditions([...own, ...compileOthers(rows)])
    })
    return { ...(filter as RowFilter), determines: listDetermined(declared, condition) }
  } catch (error) {
    throw new Error(`${place}: ${(error as Error).message}`)
  }
}

// The columns that each of the conditions compares with one value of the request.
const listDetermined = (table: Table, ...conditions: readonly Condition[]): readonly string[] =>
  conditions
    .flatMap(condition => Object.entries(condition))
    .filter(([name, given]) => Object.hasOwn(table.columns, name) && isOneValue(given))
    .map(([name]) => toColumn(table, name))

const isOneValue = (given: unknown): boolean =>
  isPlaceholder(given) ? given.placeholder === 'caller' : ['string', 'number', 'boolean'].includes(typeof given)

/** Creates the SQL of a condition on the rows of a further list. */
export const createRowsSql = (rows: Condition, table: Table) => (scope: RowFilterScope) =>
  compileCondition(rows, createScope(table, scope))

/** Throws if the resource only names its table. */
export function requireTable(table: Table | undefined): Table {
  if (table !== undefined) return table
  throw new Error('it needs the declared table of the resource: write table: books, with a table of table()')
}
