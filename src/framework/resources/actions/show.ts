// GET on a view below an object: an answer made of columns that the representation does not hold.

import { sql } from 'kysely'
import { compile, parameter, type Statement } from '../../database/database.ts'
import { NotFound } from '../../errors/exceptions.ts'
import { checkObjectPermissions, objectColumns } from '../../permissions/permission.ts'
import type { Handler } from '../../view.ts'
import { type Binding, keyOf } from '../binding.ts'
import type { DetailView } from '../resource.ts'

/** The handler of a view below an object. */
export function show({ database, resource, permissions }: Binding, view: DetailView): Handler {
  const judged = objectColumns(view.permissions ?? permissions)
  const columns = [...new Set([...view.columns, ...(judged ?? [])])]
  const statement: Statement = compile(
    database,
    sql`select ${sql.join(columns.map(name => sql.ref(`${resource.table}.${name}`)))} from ${sql.table(resource.table)} where ${sql.ref(`${resource.table}.${resource.key}`)} = ${parameter('id')}`,
  )
  return async call => {
    const [row] = await database.run(statement, { id: keyOf(call) })
    if (row === undefined) throw new NotFound()
    const object = Object.fromEntries(columns.map((name, index) => [name, row[index]]))
    if (judged !== undefined) await checkObjectPermissions(call, object)
    return view.show(object)
  }
}
