// PUT on a singleton that has the action "create": 200 if the object exists, otherwise it is created: 201.

import { NotFound, PreconditionFailed, PreconditionRequired } from '../../errors/exceptions.ts'
import { namesState } from '../../http/conditional/preconditions.ts'
import type { HandlerContext } from '../../http/context.ts'
import { type ApiResponse, JsonText } from '../../http/response.ts'
import type { KeyValue } from '../../keys/key.ts'
import { findRefusal } from '../../policy/permissions/permission.ts'
import { wrapObject } from '../../view/envelope/wrap.ts'
import { applyPreference } from '../../view/prefer.ts'
import type { Handler } from '../../view/view.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import type { PrepareUrlColumns } from '../bind/resource-location.ts'
import { seenAsSelected } from '../bind/seen-resource.ts'
import { readObjectId } from '../read/retrieve.ts'
import { compileExistence } from '../sql/check.ts'
import { formatKeyList } from '../sql/key-list.ts'
import { createObject } from './create.ts'
import { update } from './update.ts'

/** `bound`: the resource at this path. `prepareUrlColumns`: prepares to read the other columns that the URL sets. */
export function putSingleton(bound: BoundResource, prepareUrlColumns: PrepareUrlColumns): Handler {
  const change = update(bound, { partial: bound.put === 'partial' })
  const exists = createExistenceCheck(bound)
  const checkCreation = ({ request: { headers } }: HandlerContext) => {
    if (bound.resource.requireIfMatch && !namesState(headers)) throw new PreconditionRequired()
    // `If-None-Match` holds, because there is nothing that it could match.
    if (headers['if-match'] !== undefined) throw new PreconditionFailed()
  }
  const createOrChange = async (context: HandlerContext): Promise<ApiResponse> => {
    const key = await readObjectId(bound, context)
    // Either another request has created it meanwhile, or it is hidden from the caller, who gets 404 again.
    if (await exists(key)) return change(context)
    const readUrlColumns = await prepareUrlColumns(context)
    const columns = { ...(await readUrlColumns(bound.database)), [bound.resource.key.column]: key }
    // Permissions such as modelPermissions() depend on the method, and that of a create is POST.
    const refusal = await findRefusal({ ...context, method: 'POST' }, bound.plans.create.permissions)
    if (refusal !== undefined) throw refusal
    try {
      const prepared = { readUrlColumns: async () => columns, checkPrecondition: () => checkCreation(context) }
      const { json } = await createObject(await seenAsSelected(bound, 'create', context), context, prepared)
      return applyPreference(context, {
        status: 201,
        body: new JsonText(wrapObject(json!, bound.envelope)),
      })
    } catch (error) {
      if (await exists(key)) return change(context)
      throw error
    }
  }
  return async context => {
    try {
      return await change(context)
    } catch (error) {
      if (error instanceof NotFound) return createOrChange(context)
      throw error
    }
  }
}

function createExistenceCheck({ database, resource }: BoundResource): (key: KeyValue) => Promise<boolean> {
  const { key: identifier } = resource
  const statement = compileExistence(database, { target: resource, identifier }, () => undefined)
  return async key =>
    (await database.first(statement, { keys: formatKeyList(database.dialect, identifier, [key]) })) !== undefined
}
