// GET on an object: one statement brings its representation and what the object permissions read.

import { NotFound } from '../../errors/exceptions.ts'
import { isPromise } from '../../maybe-promise.ts'
import { checkObjectPermissions } from '../../permissions/permission.ts'
import { JsonText } from '../../response.ts'
import type { Handler } from '../../view.ts'
import { type BoundResource, keyOf } from '../bound-resource.ts'
import { statementValues } from '../related-rows.ts'

/** The handler that shows one object. */
export function retrieve({ database, statements, plans, related }: BoundResource): Handler {
  const { filter, permissions, serialize } = plans.retrieve
  return async context => {
    const asking = statementValues(filter, related, context)
    const rows = isPromise(asking) ? await asking : asking
    const finding = database.first(statements.retrieve, { base: context.baseUrl, id: keyOf(context), ...rows })
    const row = isPromise(finding) ? await finding : finding
    if (row === undefined) throw new NotFound()
    const [json, object] = row
    if (object !== null) await checkObjectPermissions(context, permissions, JSON.parse(object))
    return { status: 200, body: new JsonText(serialize(json, context)) }
  }
}
