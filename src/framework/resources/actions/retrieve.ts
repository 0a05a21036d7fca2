// GET on an object: one statement selects its representation and the columns that object permissions read.

import { NotFound } from '../../errors/exceptions.ts'
import { isPromise } from '../../maybe-promise.ts'
import { checkObjectPermissions } from '../../permissions/permission.ts'
import { JsonText } from '../../response.ts'
import type { Handler } from '../../view.ts'
import { type BoundResource, readKey } from '../bound-resource.ts'
import { readStatementValues } from '../related-rows.ts'

export function retrieve({ database, statements, plans, related }: BoundResource): Handler {
  const { filter, permissions, serialize } = plans.retrieve
  return async context => {
    const reading = readStatementValues(filter, related, context)
    const values = isPromise(reading) ? await reading : reading
    const finding = database.first(statements.retrieve, { base: context.baseUrl, id: readKey(context), ...values })
    const row = isPromise(finding) ? await finding : finding
    if (row === undefined) throw new NotFound()
    const [json, object] = row
    if (object !== null) await checkObjectPermissions(context, permissions, JSON.parse(object))
    return { status: 200, body: new JsonText(serialize(json, context)) }
  }
}
