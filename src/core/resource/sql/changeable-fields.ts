// The fields that a body can change in an object: not those that it does not let the caller change, because their `visible` or `editable`
// is a condition that it does not meet.

import { sql } from 'kysely'
import { type Connection, compile, type Database, parameter } from '../../database/database.ts'
import { rowsOf } from '../../database/row-source.ts'
import type { Fields, RowRights } from '../../fields/field.ts'
import { createRequestValues, listRequestUsers } from '../../fields/request-values.ts'
import type { HandlerContext } from '../../http/context.ts'
import type { KeyValue } from '../../keys/key.ts'
import type { Resource } from '../declare/resource.ts'
import type { RelatedRows } from './related-rows.ts'
import { createFieldLocation } from './select.ts'

/** Finds the fields that a body can change in this object: those that the object hides are missing, and locked ones read-only. */
export type FindChangeable = (
  fields: Fields,
  object: { readonly id: KeyValue; readonly request: HandlerContext; readonly connection: Connection },
) => Promise<Fields>

/** Creates the function; undefined if a body may change the fields of all objects. */
export function createChangeableFinder(
  database: Database,
  resource: Resource,
  taken: Fields,
  related: RelatedRows,
): FindChangeable | undefined {
  const limited = Object.entries(taken).flatMap(([name, { rowRights }]) => (rowRights ? [{ name, rowRights }] : []))
  if (limited.length === 0) return undefined
  // The conditions of write-only fields get values too.
  const readable = limited.map(({ name }) => [name, { ...taken[name]!, writeOnly: false }] as const)
  const users = listRequestUsers(resource.name, Object.fromEntries(readable))
  const { table, key } = resource
  const statement = compile<readonly [rights: string]>(database, () => {
    const location = createFieldLocation(database, resource, related)
    const decide = (right: RowRights['visible']) =>
      database.dialect.boolean(right === undefined ? sql`true` : sql`(${right({ ...location, name: '' })} is true)`)
    const rights = limited.map(({ name, rowRights: { visible, editable } }) => {
      const both = database.dialect.object([
        ['visible', decide(visible)],
        ['editable', decide(editable)],
      ])
      return [name, both] as const
    })
    const isObject = sql`${sql.ref(`${table}.${key.column}`)} = ${parameter('id')}`
    return sql`select ${database.dialect.text(database.dialect.object(rights))} from ${rowsOf(resource)} where ${isObject}`
  })
  return async (fields, { id, request, connection }) => {
    const values = createRequestValues(users, () => request.view.clock())(request)
    const row = await connection.first(statement, { id, ...values })
    const rights: Readonly<Record<string, { visible: boolean; editable: boolean }>> = JSON.parse(row?.[0] ?? '{}')
    return Object.fromEntries(
      Object.entries(fields).flatMap(([name, field]) => {
        const { visible, editable } = rights[name] ?? { visible: true, editable: true }
        if (!visible) return []
        return [[name, editable ? field : { ...field, readOnly: true }]]
      }),
    )
  }
}
