// GET on an object: one statement selects its representation and the columns that object permissions read.

import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts'
import type { Arguments } from '../../database/database.ts'
import { NotFound } from '../../errors/exceptions.ts'
import type { HandlerContext } from '../../http/context.ts'
import { type ApiResponse, JsonText, tagOnly } from '../../http/response.ts'
import type { KeyValue } from '../../keys/key.ts'
import {
  checkObjectPermissions,
  listObjectColumns,
  listReadObjectPermissions,
} from '../../policy/permissions/permission.ts'
import { wrapObject } from '../../view/envelope/wrap.ts'
import type { Handler } from '../../view/view.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import { handleAsSelected } from '../bind/handle-selected.ts'
import { formatFilterValues } from '../query/counts.ts'
import { type Loaded, toPage } from '../query/page-cache.ts'
import { isVolatile } from '../sql/list.ts'
import { readStatementValues } from '../sql/related-rows.ts'
import { keepStoredJson } from '../sql/serializer.ts'
import type { RetrievedRow } from '../sql/statements.ts'
import { formatLastModified } from './find-representation.ts'
import { readObjectId } from './object-id.ts'
import { showsOwnColumns } from './own-columns.ts'

/** The handler that returns one object; synchronous if the database and the permissions are. */
export const retrieve = (bound: BoundResource): Handler => handleAsSelected(bound, 'retrieve', retrieveSeen)

/** The same for the resource as the caller sees it, with all fields that it shows. */
export function retrieveSeen(bound: BoundResource): Handler {
  const { plans, related } = bound
  const { filter } = plans.retrieve
  const find = createFinder(bound)
  const findWithin = (context: HandlerContext, values: Arguments) => {
    const id = readObjectId(bound, context)
    return isPromise(id) ? id.then(found => find(context, found, values)) : find(context, id, values)
  }
  return context => {
    const reading = readStatementValues(filter, related, context)
    return isPromise(reading) ? reading.then(values => findWithin(context, values)) : findWithin(context, reading)
  }
}

type Find = (context: HandlerContext, id: KeyValue, filterValues: Arguments) => MaybePromise<ApiResponse>

function createFinder(bound: BoundResource): Find {
  const { database, statements, plans, related, tagCache, hiddenKey, envelope, resource } = bound
  const { shows, filter, permissions, serializer, readRequestValues } = plans.retrieve
  const ignoresModifiedSince = !showsOwnColumns(resource, plans)
  const createResponse = (json: string, modified: string | null | undefined): ApiResponse => {
    const lastModified = formatLastModified(modified)
    return {
      status: 200,
      body: new JsonText(wrapObject(json, envelope)),
      validators: lastModified === undefined ? tagOnly : { lastModified, ignoresModifiedSince },
    }
  }
  const respond = (context: HandlerContext, row: RetrievedRow | undefined): MaybePromise<ApiResponse> => {
    // A rejection instead of an exception, because V8 does not compile functions that never return.
    if (row === undefined) return Promise.reject(new NotFound())
    const [json, object, modified] = row
    const show = () => {
      const serializing = serializer.serialize(json, context)
      return isPromise(serializing)
        ? serializing.then(text => createResponse(text, modified))
        : createResponse(serializing, modified)
    }
    return object === null ? show() : checkObjectPermissions(context, permissions, JSON.parse(object)).then(show)
  }
  const read = (context: HandlerContext, values: Arguments) => {
    const finding = database.first(statements.retrieve, values)
    return isPromise(finding) ? finding.then(row => respond(context, row)) : respond(context, finding)
  }
  // Object permissions and computed fields may depend on more than the values of the statement.
  const hasStableTags =
    serializer === keepStoredJson && listObjectColumns(listReadObjectPermissions(permissions)) === undefined
  return (context, id, filterValues) => {
    const values = { base: context.baseUrl, id, ...filterValues, ...readRequestValues(context) }
    const { headers, url } = context.request
    // Without a condition, looking up the tag would cost more than its digest.
    if (!hasStableTags || headers['if-none-match'] === undefined || isVolatile({ shows, filter, related }))
      return read(context, values)
    const load = () => toLoaded(read(context, values))
    return toPage(tagCache.find(headers, `${url} ${hiddenKey}${formatFilterValues(values)}`, load))
  }
}

function toLoaded(reading: MaybePromise<ApiResponse>): MaybePromise<Loaded<ApiResponse>> {
  return isPromise(reading) ? reading.then(page => ({ page, size: 0 })) : { page: reading, size: 0 }
}
