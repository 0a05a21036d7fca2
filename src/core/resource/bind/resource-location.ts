// A resource below parent objects: the same actions, for the rows of these parents.

import type { Connection } from '../../database/database.ts'
import { NotFound, type ResourceNames } from '../../errors/exceptions.ts'
import { readOnly } from '../../fields/define-field.ts'
import type { Field, Fields, RelationTarget } from '../../fields/field.ts'
import { findPathIdentifier } from '../../fields/identifier.ts'
import { storageColumn } from '../../fields/storage.ts'
import type { HandlerContext, RequestContext } from '../../http/context.ts'
import type { KeyValue } from '../../keys/key.ts'
import { formatResourcePath, formatSingularTitle } from '../../messages/title.ts'
import {
  combineFilters,
  createRowCondition,
  joinConditions,
  type RowFilter,
  readFilterValues,
} from '../../policy/permissions/row-filter.ts'
import { type ListPath, type Parent, readParentValue } from '../names/list-paths.ts'
import type { MountedApi } from '../names/mounted-api.ts'
import type { ActionPlan } from '../sql/action-plan.ts'
import { compileExistence } from '../sql/check.ts'
import { formatKeyList } from '../sql/key-list.ts'
import { createParentsFilter } from '../sql/parents.ts'
import { createRelatedRows } from '../sql/related-rows.ts'
import { isOfOtherTenant } from '../validate/caller-columns.ts'
import type { BoundResource } from './bound-resource.ts'
import { checkLookupRows } from './check-lookup.ts'
import { changePlans, restrict } from './restrict.ts'

export type FindParent = (context: RequestContext) => Promise<KeyValue>

/** Reads the values of row filters; the returned function finds the parent with any connection. */
export type PrepareParent = (context: RequestContext) => Promise<(connection: Connection) => Promise<KeyValue>>

/** Reads the columns that the URL sets instead of the body; rejects with NotFound if the URL's parent does not exist. */
export type ReadUrlColumns = (connection: Connection) => Promise<Readonly<Record<string, KeyValue>>>

/** Reads the values of row filters, which the returned function then uses with any connection. */
export type PrepareUrlColumns = (context: HandlerContext) => Promise<ReadUrlColumns>

/** Reads the columns of a URL that sets none. */
export const readNoColumns: ReadUrlColumns = async () => ({})

/** A resource at one of its paths. */
export interface ResourceLocation {
  readonly bound: BoundResource
  /** The resource with the rows below the parents in the path; all rows at the top level. */
  readonly objects: BoundResource
  readonly list: ListPath
  /**
   * Finds the key of the nearest parent object in the request's path; rejects with NotFound if that object, or one of its
   * parents in the path, is hidden from the caller. Undefined at the top level.
   */
  readonly findParent: FindParent | undefined
  /** As `findParent`, for code that finds the parent inside a transaction. */
  readonly prepareParent: PrepareParent | undefined
}

export function locateResource(bound: BoundResource, list: ListPath): ResourceLocation {
  const [parent, ...others] = list.parents
  if (parent === undefined) return { bound, objects: bound, list, findParent: undefined, prepareParent: undefined }
  const prepareParent = createParentFinder(bound, [parent, ...others])
  const findParent: FindParent = async context => (await prepareParent(context))(bound.database)
  return { bound, objects: bindBelow(bound, list), list, findParent, prepareParent }
}

/**
 * Restricts the actions on objects to the rows below the parents in the request's path. The path sets the relation to the
 * nearest parent, so an update cannot change it.
 */
function bindBelow(bound: BoundResource, list: ListPath): BoundResource {
  const rows = createParentsFilter(bound.api, bound.database.dialect, list.parents)
  return restrict(bound, `below ${list.pattern}`, () => ({
    rows,
    plans: changePlans(bound.plans, plan => ({ ...filterRows(plan, rows), takes: withoutParent(plan.takes, list) })),
  }))
}

/**
 * The resource without the rows that have no URL for the caller, because it has URLs only below its parents, and these are
 * hidden. For requests whose path names no parent. Call it when the application is ready.
 */
export function restrictToVisibleParents(bound: BoundResource): BoundResource {
  return restrict(bound, 'visible parents', () => {
    const rows = bound.api.findParentFilter(bound.resource)
    return rows === undefined ? {} : { plans: changePlans(bound.plans, plan => filterRows(plan, rows)) }
  })
}

const filterRows = (plan: ActionPlan, rows: RowFilter): ActionPlan => ({
  ...plan,
  filter: combineFilters([rows, ...(plan.filter ? [plan.filter] : [])]),
})

/** The fields of a body; the relation to the parent in the path is read-only. */
export const withoutParent = (fields: Fields, { parents: [parent] }: ListPath): Fields =>
  parent === undefined || parent.through
    ? fields
    : makeReadOnly(fields, (name, field) => storageColumn(name, field) === parent.column)

/** Makes some of the fields read-only. */
export const makeReadOnly = (fields: Fields, isReadOnly: (name: string, field: Field) => boolean): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, isReadOnly(name, field) ? readOnly(field) : field]),
  )

function createParentFinder(
  { database, api, whenResolved }: BoundResource,
  [parent, ...others]: readonly [Parent, ...Parent[]],
): PrepareParent {
  const { resource: target } = parent
  const related = createRelatedRows(api)
  const above = others.length === 0 ? undefined : createParentsFilter(api, database.dialect, others)
  const createCondition = () => {
    const isVisible = related.visibleCondition(target, target.table)
    const isBelow = above && createRowCondition(database.dialect, target.table, above)
    const conditions = [isVisible, isBelow].filter(condition => condition !== undefined)
    return conditions.length === 0 ? undefined : joinConditions(conditions)
  }
  whenResolved(() => {
    createCondition()
    checkParentLookup(api, parent, above)
  })
  const identifier = findPathIdentifier(target)
  const names = findNames(target)
  const statement = compileExistence(database, { target, identifier }, createCondition)
  return async context => {
    const keys = formatKeyList(database.dialect, identifier, [readParentValue(parent, context, names)])
    const values = { ...(await related.readValues(context)), ...(await readFilterValues(above, context)) }
    return async connection => {
      const row = await connection.first(statement, { keys, ...values })
      if (row === undefined) throw new NotFound(undefined, undefined, names)
      return row[0]
    }
  }
}

// The parent in the path must be one object.
function checkParentLookup(api: MountedApi, { resource: target }: Parent, above: RowFilter | undefined): void {
  const owner = api.findApi(target).resources.find(({ name, table }) => name === target.name && table === target.table)
  const filters = [api.findRowFilter(target), above].filter(filter => filter !== undefined)
  if (owner !== undefined) checkLookupRows(owner, combineFilters(filters), `/${formatResourcePath(target)}/`)
}

const findNames = (target: RelationTarget & Partial<ResourceNames>): ResourceNames => ({
  name: target.name,
  ...(target.path !== undefined && { path: target.path }),
  pages: target.pages,
  title: target.title ?? formatSingularTitle(target.name),
})

/** Creates the function that reads the columns that the path sets in a new object. */
export function createColumnReader({ list, objects, prepareParent }: ResourceLocation): PrepareUrlColumns {
  const [parent] = list.parents
  if (parent === undefined || parent.through || prepareParent === undefined) return async () => readNoColumns
  return async context => {
    const find = await prepareParent(context)
    return async connection => {
      const columns = { [parent.column]: await find(connection) }
      if (isOfOtherTenant(objects.resource, context.user, columns)) throw new NotFound()
      return columns
    }
  }
}
