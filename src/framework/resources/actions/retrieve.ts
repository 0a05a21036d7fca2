// GET on an object: one statement brings its representation and what the object permissions read.

import { JsonText } from '../../answer.ts'
import { NotFound } from '../../errors/exceptions.ts'
import { checkObjectPermissions } from '../../permissions/permission.ts'
import type { Handler } from '../../view.ts'
import { type Binding, keyOf } from '../binding.ts'

/** The handler that shows one object. */
export function retrieve({ database, statements }: Binding): Handler {
  return async call => {
    const row = await database.first(statements.retrieve, { base: call.baseUrl, id: keyOf(call) })
    if (row === undefined) throw new NotFound()
    const [json, object] = row
    if (object !== null) await checkObjectPermissions(call, JSON.parse(object))
    return { status: 200, content: new JsonText(json) }
  }
}
