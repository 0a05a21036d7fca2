// GET on an object: one statement brings its representation and what the object permissions read.

import { JsonText } from '../../answer.ts'
import { NotFound } from '../../errors/exceptions.ts'
import { checkObjectPermissions } from '../../permissions/permission.ts'
import { rowValues } from '../../permissions/row-filter.ts'
import { andThen } from '../../soon.ts'
import type { Call, Handler } from '../../view.ts'
import { type Binding, keyOf } from '../binding.ts'

/** The handler that shows one object. */
export function retrieve({ database, statements, plans }: Binding): Handler {
  const { filter, present } = plans.retrieve
  const find = (call: Call) =>
    andThen(rowValues(filter, call), rows =>
      database.first(statements.retrieve, { base: call.baseUrl, id: keyOf(call), ...rows }),
    )
  return call =>
    andThen(find(call), row => {
      if (row === undefined) throw new NotFound()
      const [json, object] = row
      const checked = object === null ? undefined : checkObjectPermissions(call, JSON.parse(object))
      return andThen(checked, () => ({ status: 200, content: new JsonText(present(json, call)) }))
    })
}
