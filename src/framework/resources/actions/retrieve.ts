// GET on an object: one statement brings its representation and what the object permissions read.

import { NotFound } from '../../errors/exceptions.ts'
import { andThen } from '../../maybe-promise.ts'
import { checkObjectPermissions } from '../../permissions/permission.ts'
import { JsonText } from '../../response.ts'
import type { Handler, HandlerContext } from '../../view.ts'
import { type BoundResource, keyOf } from '../bound-resource.ts'
import { statementValues } from '../related-rows.ts'

/** The handler that shows one object. */
export function retrieve({ database, statements, plans, related }: BoundResource): Handler {
  const { filter, serialize } = plans.retrieve
  const find = (context: HandlerContext) =>
    andThen(statementValues(filter, related, context), rows =>
      database.first(statements.retrieve, { base: context.baseUrl, id: keyOf(context), ...rows }),
    )
  return context =>
    andThen(find(context), row => {
      if (row === undefined) throw new NotFound()
      const [json, object] = row
      const checked = object === null ? undefined : checkObjectPermissions(context, JSON.parse(object))
      return andThen(checked, () => ({ status: 200, body: new JsonText(serialize(json, context)) }))
    })
}
