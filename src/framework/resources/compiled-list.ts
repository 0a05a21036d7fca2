// The statements shared by list requests that differ only in their values.

import type { Table } from '../database/catalogue.ts'
import { findPublicIdentifier } from '../keys/key.ts'
import type { Direction } from '../pagination/paginator.ts'
import type { RowFilter } from '../permissions/row-filter.ts'
import type { BoundResource } from './bound-resource.ts'
import { type Counts, createCounts } from './counts.ts'
import { createPortionSize, type PortionSize } from './portion-size.ts'
import {
  compileKeysetQuery,
  compileList,
  isVolatile,
  type KeysetQuery,
  type ListPlan,
  type ListStatements,
} from './sql/list.ts'
import { completeOrdering, type Ordering, reverseOrdering } from './sql/ordering.ts'

export interface CompiledList {
  /** Whether the list can change without a change of data; its pages are then not cached. */
  readonly isVolatile: boolean
  readonly statements: ListStatements
  /** The queries in the paginator's ordering; undefined if the paginator has none. */
  readonly keyset: Readonly<Record<Direction, KeysetQuery>> | undefined
  readonly counts: Counts
  readonly portionSize: PortionSize
}

/** Compiles the list. `names` are the fields to order by; undefined for the declared ordering. */
export function compileShape(
  { database, resource, paginator, plans, related, tables }: BoundResource,
  filter: RowFilter | undefined,
  names: readonly string[] | undefined,
): CompiledList {
  const table = tables.get(resource.table)
  const plan: ListPlan = { shows: plans.list.shows, filter, related, rowId: table?.rowId }
  const complete = (order: readonly string[], tieBreaker: string) =>
    findNulls(completeOrdering(order, tieBreaker, resource.fields), table)
  const ordering = names === undefined ? findNulls(resource.ordering, table) : complete(names, resource.key.column)
  const compileKeyset = (columns: readonly string[]) => {
    // A cursor contains the values of the ordering, so the column that breaks ties must be public.
    const forward = complete(columns, findPublicIdentifier(resource.key).column)
    return {
      forward: compileKeysetQuery(database, resource, plan, forward),
      backward: compileKeysetQuery(database, resource, plan, reverseOrdering(forward)),
    }
  }
  return {
    isVolatile: isVolatile(plan),
    statements: compileList(database, resource, plan, ordering),
    keyset: paginator?.ordering && compileKeyset(paginator.ordering),
    counts: createCounts(),
    portionSize: createPortionSize(),
  }
}

// A column may contain null although its field does not accept it. The last column breaks ties, and is unique.
const findNulls = (ordering: readonly Ordering[], table: Table | undefined): readonly Ordering[] =>
  ordering.map((part, index) =>
    index < ordering.length - 1 && table?.column(part.column)?.notNull === false ? { ...part, nullable: true } : part,
  )
