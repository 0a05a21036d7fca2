// The indexes that the lists of a resource want: for filters, orderings, relations and nested lists. Text lookups, searches
// and computed values read each row, so they want none.

import type { IndexColumn } from '../../database/dialect.ts'
import { findStoringTable, type RowSource } from '../../database/row-source.ts'
import type { Field, Join } from '../../fields/field.ts'
import { findPublicIdentifier } from '../../keys/key.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import { createOrdering, type DeclaredOrdering } from '../query/declared-ordering.ts'
import type { DeclaredLookup } from '../query/filters/filter.ts'
import { isTextLookup } from '../query/filters/lookups.ts'

/** An index that a declaration wants. */
export interface WantedIndex {
  readonly table: string
  readonly columns: readonly IndexColumn[]
  /** How many of the columns an index must begin with. */
  readonly leadingColumns: number
  /** The option of the declaration, and the name in it: `filters "author"`. */
  readonly option: string
  readonly name: string
}

type Columns = Pick<WantedIndex, 'table' | 'columns' | 'leadingColumns'>

/** Lists the indexes that a resource wants, each with the option that wants it. */
export function listWantedIndexes(bound: BoundResource): readonly WantedIndex[] {
  const { fields, nestedUnder, actions } = bound.resource
  const isListed = actions.includes('list')
  return [
    ...(isListed ? [...listFilterIndexes(bound), ...listOrderingIndexes(bound)] : []),
    ...Object.entries(fields).flatMap(([name, field]) =>
      listRelationColumns(field).map(columns => ({ ...columns, option: 'field', name })),
    ),
    ...nestedUnder.map(({ parent, column, through }) => ({
      ...(through === undefined
        ? createColumns(bound.resource, column)
        : createColumns(through, through.other, through.own)),
      option: 'nestedUnder',
      name: parent.name,
    })),
  ]
}

const createColumns = (source: RowSource, ...names: readonly string[]): Columns => ({
  table: findStoringTable(source, names),
  columns: names.map(name => ({ name })),
  leadingColumns: 1,
})

const listFilterIndexes = ({ resource, filters }: BoundResource): readonly WantedIndex[] =>
  filters.all.flatMap(({ parameter, lookup }) =>
    lookup === undefined
      ? []
      : listComparedColumns(resource, lookup).map(columns => ({
          ...columns,
          option: 'filters',
          name: parameter,
        })),
  )

// The database evaluates a path from its compared column back to the list, so each join wants an index in that direction.
function listComparedColumns(resource: RowSource, { positive, negated, compared }: DeclaredLookup): readonly Columns[] {
  const { joins, column, kind } = compared
  if (negated) return []
  // Half of the rows have the same boolean, so an index would not be used.
  const isIndexed = column !== undefined && !isTextLookup(positive) && kind.columns?.[0] !== 'boolean'
  return [
    ...listJoinColumns(resource, joins),
    ...(isIndexed ? [createColumns(joins.at(-1)?.target ?? resource, column)] : []),
  ]
}

const listJoinColumns = (resource: RowSource, joins: readonly Join[]): readonly Columns[] =>
  joins.map(({ target, through }, index) => {
    if ('column' in through) return createColumns(joins[index - 1]?.target ?? resource, through.column)
    return 'reverse' in through
      ? createColumns(target, through.reverse)
      : createColumns(through, through.other, through.own)
  })

// A relation to one object is shown by the key of the other table, which is unique.
function listRelationColumns({ join, storedRows }: Field): readonly Columns[] {
  if (storedRows !== undefined) return [createColumns(storedRows, storedRows.own, storedRows.other)]
  if (join === undefined || 'column' in join.through) return []
  const { target, through } = join
  return 'reverse' in through
    ? [createColumns(target, through.reverse)]
    : [createColumns(through, through.own, through.other)]
}

function listOrderingIndexes({ resource, paginator, tables, database }: BoundResource): readonly WantedIndex[] {
  const { key, ordering, orderingFields = [] } = resource
  const isPaged = paginator?.ordering !== undefined
  const { column: tieBreaker } = isPaged ? findPublicIdentifier(key) : key
  const complete = (names: readonly string[]) => createOrdering(resource, names, isPaged ? 'public' : 'inner')
  const declared = paginator?.ordering ?? ordering
  const orderings = [
    { option: isPaged ? 'pagination' : 'ordering', name: declared.join(), parts: complete(declared) },
    ...orderingFields.map(name => ({ option: 'orderingFields', name, parts: complete([name]) })),
  ]
  const table = tables.get(resource.table)
  // An ascending list has null last.
  const isSorted = (column: string) => database.dialect.indexesNullLast || table?.column(column)?.notNull === true
  const isIndexed = ({ column, usesRelations }: DeclaredOrdering): boolean =>
    column !== undefined && !usesRelations && (column === tieBreaker || isSorted(column))
  return orderings.flatMap(({ parts, ...option }) =>
    parts.every(isIndexed) ? [{ ...createOrderingColumns(resource, parts, tieBreaker), ...option }] : [],
  )
}

function createOrderingColumns(resource: RowSource, parts: readonly DeclaredOrdering[], tieBreaker: string): Columns {
  const isMixed = parts.some(({ descending }) => descending !== parts[0]!.descending)
  return {
    table: findStoringTable(
      resource,
      parts.map(({ column }) => column!),
    ),
    columns: parts.map(({ column, descending }) => ({ name: column!, ...(isMixed && descending && { descending }) })),
    // Few rows differ only in the column that breaks ties.
    leadingColumns: Math.max(
      1,
      parts.findIndex(({ column }) => column === tieBreaker),
    ),
  }
}
