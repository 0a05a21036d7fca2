// GET on an object: one statement selects its representation and the columns that object permissions read.

import type { HandlerContext } from '../../context.ts'
import type { Arguments } from '../../database/database.ts'
import type { Envelope } from '../../envelope/envelope.ts'
import { wrapObject } from '../../envelope/wrap.ts'
import { NotFound } from '../../errors/exceptions.ts'
import type { KeyValue } from '../../keys/key.ts'
import { isPromise, type MaybePromise } from '../../maybe-promise.ts'
import { checkObjectPermissions } from '../../permissions/permission.ts'
import { type ApiResponse, JsonText, tagOnly } from '../../response.ts'
import type { Handler } from '../../view.ts'
import type { BoundResource } from '../bound-resource.ts'
import { formatLastModified } from '../find-representation.ts'
import { readObjectId } from '../object-id.ts'
import { readStatementValues } from '../related-rows.ts'
import { handleAsSelected } from '../selection/handle-selected.ts'
import type { RetrievedRow } from '../sql/statements.ts'

interface Shown {
  /** The value of the column that `lastModified` names. */
  readonly modified: string | null | undefined
  readonly envelope: Envelope | undefined
}

function createResponse(json: string, { modified, envelope }: Shown): ApiResponse {
  const lastModified = formatLastModified(modified)
  return {
    status: 200,
    body: new JsonText(wrapObject(json, envelope)),
    validators: lastModified === undefined ? tagOnly : { lastModified },
  }
}

/** The handler that returns one object; synchronous if the database and the permissions are. */
export const retrieve = (bound: BoundResource): Handler => handleAsSelected(bound, 'retrieve', retrieveSeen)

function retrieveSeen(bound: BoundResource): Handler {
  const { database, statements, plans, related, envelope } = bound
  const { filter, permissions, serializer, readRequestValues } = plans.retrieve
  const load = (context: HandlerContext, values: Arguments, id: KeyValue) =>
    database.first(statements.retrieve, { base: context.baseUrl, id, ...values, ...readRequestValues(context) })
  const find = (context: HandlerContext, values: Arguments) => {
    const id = readObjectId(bound, context)
    return isPromise(id) ? id.then(found => load(context, values, found)) : load(context, values, id)
  }
  const respond = (context: HandlerContext, row: RetrievedRow | undefined): MaybePromise<ApiResponse> => {
    if (row === undefined) throw new NotFound()
    const [json, object, modified] = row
    const show = () => {
      const serializing = serializer.serialize(json, context)
      return isPromise(serializing)
        ? serializing.then(text => createResponse(text, { modified, envelope }))
        : createResponse(serializing, { modified, envelope })
    }
    return object === null ? show() : checkObjectPermissions(context, permissions, JSON.parse(object)).then(show)
  }
  return context => {
    const reading = readStatementValues(filter, related, context)
    const finding = isPromise(reading) ? reading.then(values => find(context, values)) : find(context, reading)
    return isPromise(finding) ? finding.then(row => respond(context, row)) : respond(context, finding)
  }
}
