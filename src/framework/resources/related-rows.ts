// The row filters of related resources inside a resource's statements. A caller can see, reference and compare only the
// related rows that the caller's own requests to that resource would find (decision 035). The conditions are compiled into
// the statements; each request reads their values once.

import type { RequestContext } from '../context.ts'
import type { Arguments } from '../database/database.ts'
import type { FieldLocation } from '../fields/field.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import {
  createRowCondition,
  type RowFilter,
  readFilterValues,
  readFilterValuesForGet,
} from '../permissions/row-filter.ts'
import type { FindRowFilter } from './row-filter-finder.ts'

export interface RelatedRows extends Pick<FieldLocation, 'visibleCondition'> {
  /** Reads the values of all conditions that `visibleCondition` has returned. They are all registered at start. */
  readValues(context: RequestContext): MaybePromise<Arguments>
  /** Whether any of the conditions is volatile. */
  isVolatile(): boolean
  /** Whether `visibleCondition` has returned any condition. */
  hasFilters(): boolean
}

const noValues: Arguments = Object.freeze({})

export function createRelatedRows(findRowFilter: FindRowFilter): RelatedRows {
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
    visibleCondition(target, table) {
      const filter = findRowFilter(target)
      return filter && createRowCondition(table, filter, findPrefix(filter, target.table))
    },
    readValues: context => (prefixes.size === 0 ? noValues : readAll(prefixes, context)),
    isVolatile: () => [...prefixes.keys()].some(({ volatile }) => volatile),
    hasFilters: () => prefixes.size > 0,
  }
}

async function readAll(prefixes: ReadonlyMap<RowFilter, string>, context: RequestContext): Promise<Arguments> {
  const values = await Promise.all(
    [...prefixes].map(([filter, prefix]) => readFilterValuesForGet(filter, context, prefix)),
  )
  return Object.assign({}, ...values)
}

/** Reads the values of a statement's row filter and of its conditions on related rows. */
export function readStatementValues(
  filter: RowFilter | undefined,
  related: RelatedRows,
  context: RequestContext,
): MaybePromise<Arguments> {
  return related.hasFilters() ? joinValues(filter, related, context) : readFilterValues(filter, context)
}

async function joinValues(filter: RowFilter | undefined, related: RelatedRows, context: RequestContext) {
  return { ...(await readFilterValues(filter, context)), ...(await related.readValues(context)) }
}
