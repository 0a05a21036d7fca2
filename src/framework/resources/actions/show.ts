// GET on a view below an object: an answer made of columns that the representation does not hold.

import { sql } from 'kysely'
import { compile, parameter, type Statement } from '../../database/database.ts'
import { NotFound } from '../../errors/exceptions.ts'
import { checkObjectPermissions, judgesOfReads, objectColumns } from '../../permissions/permission.ts'
import type { Handler } from '../../view.ts'
import { type Binding, keyOf } from '../binding.ts'
import type { DetailView } from '../resource.ts'
import { judgedObject } from '../statements.ts'

/** The handler of a view below an object. */
export function show({ database, resource, permissions }: Binding, view: DetailView): Handler {
  const policies = judgesOfReads(view.permissions ?? permissions)
  const judges = objectColumns(policies) !== undefined
  const columns = view.columns.map(name => sql.ref(`${resource.table}.${name}`))
  const object = database.functions.text(judgedObject(database, resource, policies))
  const statement: Statement<readonly [object: string, ...shown: unknown[]]> = compile(
    database,
    sql`select ${sql.join([object, ...columns])} from ${sql.table(resource.table)} where ${sql.ref(`${resource.table}.${resource.key}`)} = ${parameter('id')}`,
  )
  return async call => {
    const row = await database.first(statement, { id: keyOf(call) })
    if (row === undefined) throw new NotFound()
    const [judged, ...shown] = row
    if (judges) await checkObjectPermissions(call, JSON.parse(judged))
    return view.show(Object.fromEntries(view.columns.map((name, index) => [name, shown[index]])))
  }
}
