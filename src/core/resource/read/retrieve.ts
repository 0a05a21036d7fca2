// GET on an object: one statement selects its representation and the columns that object permissions read. Writes that need to know what
// a GET would show ask here too.

import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts'
import type { Arguments, Connection } from '../../database/database.ts'
import { NotFound } from '../../errors/exceptions.ts'
import { formatDateTime } from '../../fields/kinds/date-time.ts'
import { showsOwnColumn } from '../../fields/storage.ts'
import { formatHttpDate } from '../../http/conditional/http-date.ts'
import type { HandlerContext, RequestContext } from '../../http/context.ts'
import { type ApiResponse, JsonText, tagOnly } from '../../http/response.ts'
import type { KeyValue } from '../../keys/key.ts'
import {
  checkObjectPermissions,
  listObjectColumns,
  listReadObjectPermissions,
} from '../../policy/permissions/permission.ts'
import { wrapWithExpanded } from '../../view/envelope/wrap.ts'
import type { Handler } from '../../view/view.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import { handleAsSelected, seenBy } from '../bind/seen-resource.ts'
import type { Resource } from '../declare/resource.ts'
import type { SingletonContext } from '../declare/singleton.ts'
import { readPathValue } from '../names/path-value.ts'
import { formatFilterValues } from '../query/counts.ts'
import type { Loaded } from '../query/page-cache.ts'
import type { ActionPlans } from '../sql/action-plan.ts'
import { isVolatile } from '../sql/list.ts'
import { readStatementValues } from '../sql/related-rows.ts'
import { keepStoredJson } from '../sql/serializer.ts'
import type { RetrievedRow } from '../sql/statements.ts'
import { findSeparateRelations, separateExpanded } from './separate-expanded.ts'

/** The handler that returns one object; synchronous if the database and the permissions are. */
export const retrieve = (bound: BoundResource): Handler => handleAsSelected(bound, 'retrieve', retrieveSeen)

/** The same for the resource as the caller sees it, with all fields that it shows. */
export function retrieveSeen(bound: BoundResource): Handler {
  const { plans, related } = bound
  const { filter } = plans.retrieve
  const find = createFinder(bound)
  const findWithin = (context: HandlerContext, values: Arguments) => {
    const id = readObjectId(bound, context)
    return id instanceof Promise ? id.then(found => find(context, found, values)) : find(context, id, values)
  }
  return context => {
    const reading = readStatementValues(filter, related, context)
    return reading instanceof Promise
      ? reading.then(values => findWithin(context, values))
      : findWithin(context, reading)
  }
}

type Find = (context: HandlerContext, id: KeyValue, filterValues: Arguments) => MaybePromise<ApiResponse>

function createFinder(bound: BoundResource): Find {
  const { database, statements, plans, related, pageCache, tagCache, hiddenKey, resource } = bound
  const { shows, filter, permissions, serializer, readRequestValues } = plans.retrieve
  const ignoresModifiedSince = !showsOwnColumns(resource, plans)
  const show = createShow(bound)
  const createResponse = (json: string, modified: string | null | undefined): ApiResponse => {
    const lastModified = formatLastModified(modified)
    return {
      status: 200,
      body: new JsonText(show(json)),
      validators: lastModified === undefined ? tagOnly : { lastModified, ignoresModifiedSince },
    }
  }
  const respond = (context: HandlerContext, row: RetrievedRow | undefined): MaybePromise<ApiResponse> => {
    // A rejection instead of an exception, because V8 does not compile functions that never return.
    if (row === undefined) return Promise.reject(new NotFound())
    const [json, object, modified] = row
    const respondWith = () => {
      const serializing = serializer.serialize(json, context)
      return serializing instanceof Promise
        ? serializing.then(text => createResponse(text, modified))
        : createResponse(serializing, modified)
    }
    return object === null
      ? respondWith()
      : checkObjectPermissions(context, permissions, JSON.parse(object)).then(respondWith)
  }
  const read = (context: HandlerContext, values: Arguments) => {
    const finding = database.first(statements.retrieve, values)
    return finding instanceof Promise ? finding.then(row => respond(context, row)) : respond(context, finding)
  }
  // Object permissions and computed fields may depend on more than the values of the statement.
  const isSameForValues =
    database.version !== undefined &&
    serializer === keepStoredJson &&
    listObjectColumns(listReadObjectPermissions(permissions)) === undefined
  let isCached: boolean | undefined
  return (context, id, filterValues) => {
    // The related rows are known once the API is complete.
    isCached ??= isSameForValues && !isVolatile({ shows, filter, related })
    const values = { base: context.baseUrl, id, ...filterValues, ...readRequestValues(context) }
    if (!isCached) return read(context, values)
    const { headers, url } = context.request
    const key = `${url} ${context.version ?? ''} ${hiddenKey}${formatFilterValues(values)}`
    const load = () => toLoaded(read(context, values))
    // Without a condition, storing the tag apart from the object would cost more than it saves.
    return pageCache.find(key, headers['if-none-match'] === undefined ? load : () => tagCache.find(headers, key, load))
  }
}

/** Creates the function that puts a representation into its envelope. */
function createShow(bound: BoundResource): (json: string) => string {
  const relations = findSeparateRelations(bound, 'retrieve')
  return json => {
    if (relations === undefined) return wrapWithExpanded(json, undefined, bound.envelope)
    const { items, expanded } = separateExpanded([json], relations)
    return wrapWithExpanded(items[0]!, expanded, bound.envelope)
  }
}

function toLoaded(reading: MaybePromise<ApiResponse>): MaybePromise<Loaded<ApiResponse>> {
  return reading instanceof Promise ? reading.then(measure) : measure(reading)
}

const measure = (page: ApiResponse): Loaded<ApiResponse> => ({
  page,
  size: page.body instanceof JsonText ? page.body.text.length : undefined,
})

/** The value that identifies the object of a request; throws or rejects with NotFound if no object can have it. */
export function readObjectId(bound: BoundResource, context: RequestContext): MaybePromise<KeyValue> {
  const { resource, clock } = bound
  if (resource.singleton === undefined) return readPathValue(bound, context)
  const parameters = context.request.params as SingletonContext['parameters']
  const finding = resource.singleton({ caller: context.user, parameters, now: formatDateTime(clock())! })
  return isPromise(finding)
    ? Promise.resolve(finding).then(key => checkFound(resource, key))
    : checkFound(resource, finding)
}

function checkFound({ key: { parse } }: Resource, key: KeyValue | null | undefined): KeyValue {
  if (key === null || key === undefined || parse(String(key)) !== key) throw new NotFound()
  return key
}

// Whether `lastModified` dates all that a GET shows: to all callers the same columns of the same row, no related rows, no computed values,
// and no URLs. The object of a singleton depends on the caller.
const showsOwnColumns = (resource: Resource, { retrieve: { shows } }: ActionPlans): boolean =>
  resource.singleton === undefined &&
  Object.values(resource.fields).every(({ visible }) => visible === undefined) &&
  Object.values(shows).every(showsOwnColumn)

/** A representation, and when it was modified, as an HTTP date. */
export interface Representation {
  readonly json: string
  readonly lastModified: string | undefined
}

/** Finds what a GET of an object's URL shows; undefined if it shows the caller no object. */
export type FindRepresentation = (key: KeyValue, connection: Connection) => Promise<Representation | undefined>

/** Reads the values of the caller, which the returned function then uses on any connection. */
export async function prepareRepresentation(
  bound: BoundResource,
  context: HandlerContext,
): Promise<FindRepresentation> {
  const { statements, plans, related } = seenBy(bound, context)
  const { filter, serializer, readRequestValues } = plans.retrieve
  const values: Arguments = {
    base: context.baseUrl,
    ...(await readStatementValues(filter, related, { ...context, method: 'GET' })),
    ...readRequestValues(context),
  }
  return async (key, connection) => {
    const row = await connection.first(statements.retrieveByKey, { ...values, id: key })
    if (row === undefined) return undefined
    const [json, , modified] = row
    return {
      json: createShow(bound)(await serializer.serialize(json, context)),
      lastModified: formatLastModified(modified),
    }
  }
}

/** Returns what a GET of an object's URL shows; rejects with NotFound if it shows the caller no object. */
export async function represent(
  bound: BoundResource,
  context: HandlerContext,
  key: KeyValue,
  connection: Connection,
): Promise<JsonText> {
  const find = await prepareRepresentation(bound, context)
  const found = await find(key, connection)
  if (found === undefined) throw new NotFound()
  return new JsonText(found.json)
}

// Formats the time of the column that `lastModified` names; undefined for null.
const formatLastModified = (modified: string | null | undefined): string | undefined =>
  modified == null ? undefined : formatHttpDate(modified)
