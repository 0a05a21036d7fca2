// The statements shared by list requests that differ only in their values.

import type { Table } from '../../database/catalogue.ts'
import type { Direction } from '../../pagination/paginator.ts'
import type { RowCondition } from '../../policy/permissions/row-filter.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import { type Counts, createCounts } from '../query/counts.ts'
import { createOrdering } from '../query/declared-ordering.ts'
import { isVolatileValue } from '../query/request-dependence.ts'
import {
  compileKeysetQuery,
  compileList,
  isVolatile,
  type KeysetQuery,
  type ListPlan,
  type ListStatements,
} from '../sql/list.ts'
import { type Ordering, reverseOrdering } from '../sql/ordering.ts'

export interface CompiledList {
  /** Whether the list can change without a change of data; its pages are then not cached. */
  readonly isVolatile: boolean
  readonly statements: ListStatements
  /** The queries in the paginator's ordering; undefined if the paginator has none. */
  readonly keyset: Readonly<Record<Direction, KeysetQuery>> | undefined
  readonly counts: Counts
}

/** Compiles the list. `names` are the names to order by; undefined for the declared ordering. */
export function compileShape(
  { database, resource, paginator, plans, related, tables, ordering: queried }: BoundResource,
  filter: RowCondition | undefined,
  names: readonly string[] | undefined,
): CompiledList {
  const table = tables.get(resource.table)
  const references = names === undefined ? related : queried.related
  const plan: ListPlan = {
    shows: plans.list.shows,
    filter,
    related,
    orderedBy: references,
    rowId: table?.rowId,
    maxCount: paginator?.maxCount,
  }
  const asked = names && addTies(names, resource.orderingTies)
  const ordering = createOrdering(resource, asked ?? resource.ordering)
  const positions = paginator?.ordering && createOrdering(resource, asked ?? paginator.ordering, 'public')
  const compileKeyset = (forward: readonly Ordering[]) => ({
    forward: compileKeysetQuery(database, resource, plan, forward),
    backward: compileKeysetQuery(database, resource, plan, reverseOrdering(forward)),
  })
  return {
    isVolatile: isVolatile(plan) || isVolatileValue([...ordering, ...(positions ?? [])], references),
    statements: compileList(database, resource, plan, findNulls(ordering, table)),
    keyset: positions && compileKeyset(findNulls(positions, table)),
    counts: createCounts(),
  }
}

const addTies = (names: readonly string[], ties: readonly string[] = []): readonly string[] => {
  const named = names.map(name => name.replace(/^-/, ''))
  return [...names, ...ties.filter(tie => !named.includes(tie.replace(/^-/, '')))]
}

// A column may contain null although its field does not accept it. The last value breaks ties, and is unique.
const findNulls = (ordering: readonly Ordering[], table: Table | undefined): readonly Ordering[] =>
  ordering.map((part, index) => {
    const column = part.column === undefined ? undefined : table?.column(part.column)
    if (index === ordering.length - 1 || column?.notNull !== false) return part
    return { ...part, compile: location => ({ ...part.compile(location), nullable: true }) }
  })
