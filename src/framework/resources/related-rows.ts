// The row filters of related resources inside a resource's statements. A caller can see, reference and compare only the
// related rows that the caller's own requests to that resource would find (decision 035). The conditions are compiled into
// the statements; each request reads their values once.

import type { RequestContext } from '../context.ts'
import type { Arguments } from '../database/database.ts'
import type { Place } from '../fields/field.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import { type RowFilter, readValues, rowCondition, rowValues } from '../permissions/row-filter.ts'
import type { RowsOf } from './rows-of.ts'

export interface RelatedRows extends Pick<Place, 'visible'> {
  /** The values of every condition that `visible` has returned. All conditions are registered at start. */
  read(context: RequestContext): MaybePromise<Arguments>
  /** Is any of the conditions volatile? */
  isVolatile(): boolean
  /** Has `visible` returned any condition? */
  hasFilters(): boolean
}

const noValues: Arguments = Object.freeze({})

export function createRelatedRows(rowsOf: RowsOf): RelatedRows {
  const prefixes = new Map<RowFilter, string>()
  const findPrefix = (filter: RowFilter, table: string): string => {
    const registered = prefixes.get(filter)
    if (registered !== undefined) return registered
    const usedPrefixes = [...prefixes.values()]
    const tablePrefix = `related ${table}.`
    const prefix = usedPrefixes.includes(tablePrefix) ? `related ${table} ${usedPrefixes.length}.` : tablePrefix
    prefixes.set(filter, prefix)
    return prefix
  }
  return {
    visible(target, table) {
      const filter = rowsOf(target)
      return filter && rowCondition(table, filter, findPrefix(filter, target.table))
    },
    read: context => (prefixes.size === 0 ? noValues : readAll(prefixes, context)),
    isVolatile: () => [...prefixes.keys()].some(({ volatile }) => volatile),
    hasFilters: () => prefixes.size > 0,
  }
}

async function readAll(prefixes: ReadonlyMap<RowFilter, string>, context: RequestContext): Promise<Arguments> {
  const values = await Promise.all([...prefixes].map(([filter, prefix]) => readValues(filter, context, prefix)))
  return Object.assign({}, ...values)
}

/** Reads the values of a statement's row filter and of its conditions on related rows. */
export function readStatementValues(
  filter: RowFilter | undefined,
  related: RelatedRows,
  context: RequestContext,
): MaybePromise<Arguments> {
  return related.hasFilters() ? joinValues(filter, related, context) : rowValues(filter, context)
}

async function joinValues(filter: RowFilter | undefined, related: RelatedRows, context: RequestContext) {
  return { ...(await rowValues(filter, context)), ...(await related.read(context)) }
}
