// Completes what a resource declares without SQL: values of related rows, and conditions, which need its declared table.

import { completeField } from '../../fields/complete-field.ts'
import type { Fields } from '../../fields/field.ts'
import { type RowFilterScope, rowFilter } from '../../policy/permissions/built-in-permissions.ts'
import type { RowFilter } from '../../policy/permissions/row-filter.ts'
import type { Condition } from '../../tables/condition.ts'
import type { Table } from '../../tables/table.ts'
import type { FilterDeclarations } from '../declare/filters.ts'
import type { DeclaredRowList, RowList } from '../declare/row-lists.ts'
import { compileCondition } from '../related/compile-condition.ts'
import { createScope } from '../related/related-values.ts'

/** Completes the fields that show values of related rows. */
export const completeForTable = (fields: Fields, table: Table | undefined, resource: string): Fields =>
  mapNamed(fields, `resource "${resource}": field`, field =>
    field.completion?.forTable === undefined ? field : completeField(field, 'forTable', requireTable(table)),
  )

/** Completes the filters by a condition. */
export const completeFilters = (
  filters: FilterDeclarations,
  table: Table | undefined,
  resource: string,
): FilterDeclarations =>
  mapNamed(filters, `resource "${resource}": filters:`, filter =>
    typeof filter === 'object' && 'forTable' in filter ? filter.forTable!(requireTable(table)) : filter,
  )

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
export const completeLists = (
  lists: Readonly<Record<string, RowList>>,
  table: Table | undefined,
  resource: string,
): Readonly<Record<string, DeclaredRowList>> =>
  mapNamed(lists, `resource "${resource}": the list`, ({ rows, ...list }) => ({
    ...list,
    rows: typeof rows === 'object' && rows !== null ? createRowsSql(rows, requireTable(table)) : rows,
  })) as Readonly<Record<string, DeclaredRowList>>

/** Creates the filter of the rows that are objects of the resource. */
export function createOwnRows(rows: Condition, table: Table | undefined, resource: string): RowFilter {
  try {
    return rowFilter(createRowsSql(rows, requireTable(table))).filter as RowFilter
  } catch (error) {
    throw new Error(`resource "${resource}": rows: ${(error as Error).message}`)
  }
}

const createRowsSql = (rows: Condition, table: Table) => (scope: RowFilterScope) =>
  compileCondition(rows, createScope(table, scope))
