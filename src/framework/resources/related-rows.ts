// The row filters of related resources inside a resource's statements: whatever is shown, taken or compared of another
// resource's rows exists for the caller there too (decision 035). The conditions are compiled into the statements; a
// request reads their values once.

import type { RequestContext } from '../context.ts'
import type { Arguments } from '../database/database.ts'
import type { Place } from '../fields/field.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import { type RowFilter, readValues, rowCondition, rowValues } from '../permissions/row-filter.ts'
import type { RowsOf } from './rows-of.ts'

export interface RelatedRows extends Pick<Place, 'visible'> {
  /** The values of every condition that `visible` has given; all are asked for at start. */
  read(context: RequestContext): MaybePromise<Arguments>
  /** Does any of the conditions change with more than data and values? */
  isVolatile(): boolean
  /** Has `visible` given any condition? */
  hasFilters(): boolean
}

const none: Arguments = Object.freeze({})

export function createRelatedRows(rowsOf: RowsOf): RelatedRows {
  const prefixes = new Map<RowFilter, string>()
  const prefixOf = (filter: RowFilter, table: string): string => {
    const known = prefixes.get(filter)
    if (known !== undefined) return known
    const others = [...prefixes.values()]
    const named = `related ${table}.`
    const prefix = others.includes(named) ? `related ${table} ${others.length}.` : named
    prefixes.set(filter, prefix)
    return prefix
  }
  return {
    visible(target, table) {
      const filter = rowsOf(target)
      return filter && rowCondition(table, filter, prefixOf(filter, target.table))
    },
    read: context => (prefixes.size === 0 ? none : readAll(prefixes, context)),
    isVolatile: () => [...prefixes.keys()].some(({ volatile }) => volatile),
    hasFilters: () => prefixes.size > 0,
  }
}

async function readAll(prefixes: ReadonlyMap<RowFilter, string>, context: RequestContext): Promise<Arguments> {
  const read = await Promise.all([...prefixes].map(([filter, prefix]) => readValues(filter, context, prefix)))
  return Object.assign({}, ...read)
}

/** The values of a statement with this filter of its own rows and these conditions on related ones. */
export function statementValues(
  filter: RowFilter | undefined,
  related: RelatedRows,
  context: RequestContext,
): MaybePromise<Arguments> {
  return related.hasFilters() ? joinValues(filter, related, context) : rowValues(filter, context)
}

async function joinValues(filter: RowFilter | undefined, related: RelatedRows, context: RequestContext) {
  return { ...(await rowValues(filter, context)), ...(await related.read(context)) }
}
