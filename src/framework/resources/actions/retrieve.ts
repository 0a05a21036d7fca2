// GET on an object: one statement brings its representation and what the object permissions read.

import { JsonText } from '../../answer.ts'
import { NotFound } from '../../errors/exceptions.ts'
import { checkObjectPermissions } from '../../permissions/permission.ts'
import { rowValues } from '../../permissions/row-filter.ts'
import type { Handler } from '../../view.ts'
import { type Binding, keyOf } from '../binding.ts'

/** The handler that shows one object. */
export function retrieve({ database, statements, plans }: Binding): Handler {
  const { filter, present } = plans.retrieve
  return async call => {
    const rows = filter && (await rowValues(filter, call))
    const row = await database.first(statements.retrieve, { base: call.baseUrl, id: keyOf(call), ...rows })
    if (row === undefined) throw new NotFound()
    const [json, object] = row
    if (object !== null) await checkObjectPermissions(call, JSON.parse(object))
    return { status: 200, content: new JsonText(present(json, call)) }
  }
}
