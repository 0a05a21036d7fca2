// The row filters of related resources inside a resource's statements. A caller can see, reference and compare only the
// related rows that the caller's own requests to that resource would find (decision 035). The conditions and the URLs of
// other APIs (decision 047) are compiled into the statements; each request reads their values once.

import { sql } from 'kysely'
import type { MaybePromise } from '../../base/maybe-promise.ts'
import { type Arguments, noValues, parameter } from '../../database/database.ts'
import type { Sql } from '../../database/dialect.ts'
import { castTo, concat } from '../../database/expressions.ts'
import type { RelationTarget, ResourceReferences, RowTarget } from '../../fields/field.ts'
import type { FieldCondition } from '../../fields/field-visibility.ts'
import type { RequestContext } from '../../http/context.ts'
import type { UrlEnd } from '../../http/urls/trailing-slash.ts'
import { formatResourcePath } from '../../messages/title.ts'
import {
  createRowCondition,
  type RowFilter,
  readFilterValues,
  readFilterValuesForGet,
} from '../../policy/permissions/row-filter.ts'
import { findListPath } from '../names/list-paths.ts'
import { findOtherOrigin, type MountedApi, toOrigin } from '../names/mounted-api.ts'
import { createListPath } from './parents.ts'
import { createObjectSegment, createOwnUrl } from './select.ts'

export interface RelatedRows extends ResourceReferences {
  /** Reads the values of all conditions and URLs that have been created. They are all registered at start. */
  readValues(context: RequestContext): MaybePromise<Arguments>
  /** The conditions of all fields that have been shown. They are all registered at start. */
  readonly fieldConditions: ReadonlySet<FieldCondition>
  /** Whether any of the conditions is volatile. */
  isVolatile(): boolean
  /** Whether `readValues` returns any values. */
  hasValues(): boolean
}

// The space prevents a conflict with the parameters of columns, which have the names of the columns.
const originName = 'related origin'

/** Creates the relations of statements that an API runs. The names of their parameters begin with `label`. */
export function createRelatedRows(api: MountedApi, label = 'related'): RelatedRows {
  let hasOrigin = false
  const prefixes = new Map<RowFilter, string>()
  const fieldConditions = new Set<FieldCondition>()
  const findPrefix = (filter: RowFilter, table: string): string => {
    const registered = prefixes.get(filter)
    if (registered !== undefined) return registered
    const usedPrefixes = [...prefixes.values()]
    const tablePrefix = `${label} ${table}.`
    const prefix = usedPrefixes.includes(tablePrefix) ? `${label} ${table} ${usedPrefixes.length}.` : tablePrefix
    prefixes.set(filter, prefix)
    return prefix
  }
  // Creates URLs of this API from its base URL, and those of other APIs from the origin.
  const createUrl = (target: MountedApi, createPath: CreatePath, key: Sql | undefined): Sql => {
    const { urlEnd } = target
    const end = key === undefined ? urlEnd : '/'
    if (target === api) return createOwnUrl(createPath({ prefix: '', end }), key, urlEnd)
    const origin = findOtherOrigin(target, api)
    if (origin === undefined) hasOrigin = true
    const start = origin === undefined ? castTo(parameter(originName), 'text') : sql.lit(origin)
    return concat(start, createPath({ prefix: target.prefix, end }), ...createObjectSegment(key, urlEnd))
  }
  // The path of the list that contains the row of the resource with this name.
  const createOwnPath = (current: MountedApi, name: string, row: string, ends: PathEnds): Sql => {
    const resource = findOwn(current, name)
    const { parents = [] } = (resource && findListPath(resource, current.resources)) ?? {}
    const findCondition: ResourceReferences['visibleCondition'] = (target, table) =>
      createCondition(current, target, table)
    const path = formatResourcePath(resource ?? { name })
    return createListPath({ path, parents, row, ...ends, dialect: current.database!.dialect, findCondition })
  }
  const createCondition = (current: MountedApi, target: RowTarget, table: string): Sql | undefined => {
    const filter = current.findRowFilter(target)
    return filter && createRowCondition(current.database!.dialect, table, filter, findPrefix(filter, target.table))
  }
  const createReferences = (current: MountedApi): ResourceReferences => ({
    createUrl(resource, key, row, below) {
      if (typeof resource === 'string')
        return createUrl(
          current,
          ends => createOwnPath(current, resource, row!, ends),
          addSegment(findOwn(current, resource)?.singleton ? undefined : key, below),
        )
      return createUrl(
        current.findApi(resource),
        ({ prefix, end }) => sql.lit(`${prefix}/${formatResourcePath(resource)}${end}`),
        key,
      )
    },
    visibleCondition: (target, table) => createCondition(current, target, table),
    isShown({ visible }) {
      if (visible !== undefined) fieldConditions.add(visible)
      return true
    },
    within: (target: RelationTarget) => createReferences(current.findApi(target)),
  })
  return {
    ...createReferences(api),
    fieldConditions,
    readValues(context) {
      if (prefixes.size === 0 && !hasOrigin) return noValues
      const origin = hasOrigin ? { [originName]: toOrigin(api, context.baseUrl) } : noValues
      return prefixes.size === 0 ? origin : readAll(prefixes, context, origin)
    },
    isVolatile: () => [...prefixes.keys()].some(({ volatile }) => volatile),
    hasValues: () => hasOrigin || prefixes.size > 0,
  }
}

function addSegment(key: Sql | undefined, below: string | undefined): Sql | undefined {
  if (below === undefined) return key
  return key === undefined ? sql.lit(below) : concat(key, sql.lit(`/${below}`))
}

/** The beginning and the end of the path of a list. */
interface PathEnds {
  readonly prefix: string
  readonly end: UrlEnd
}

type CreatePath = (ends: PathEnds) => Sql

const findOwn = ({ resources }: MountedApi, name: string) => resources.find(resource => resource.name === name)

async function readAll(
  prefixes: ReadonlyMap<RowFilter, string>,
  context: RequestContext,
  otherValues: Arguments,
): Promise<Arguments> {
  const values = await Promise.all(
    [...prefixes].map(([filter, prefix]) => readFilterValuesForGet(filter, context, prefix)),
  )
  return Object.assign({}, otherValues, ...values)
}

/** Reads the values of a statement's row filter and of its conditions on related rows. */
export function readStatementValues(
  filter: RowFilter | undefined,
  related: RelatedRows,
  context: RequestContext,
): MaybePromise<Arguments> {
  return related.hasValues() ? joinValues(filter, related, context) : readFilterValues(filter, context)
}

async function joinValues(filter: RowFilter | undefined, related: RelatedRows, context: RequestContext) {
  return { ...(await readFilterValues(filter, context)), ...(await related.readValues(context)) }
}
