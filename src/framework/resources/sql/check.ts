// What the database is asked about the values of a body: do related objects exist, and are unique values free?

import { sql } from 'kysely'
import { compile, type Database, parameter, type Statement } from '../../database/database.ts'
import type { RelationTarget } from '../../fields/field.ts'
import { type RowFilter, whereRows } from '../../permissions/row-filter.ts'
import type { Resource } from '../resource.ts'
import { storageColumn } from '../storage.ts'

type KeyRow = readonly [key: number]

/** Which of these keys (`keys`, a JSON array) belong to rows that exist under the filter? */
export function compileExistence(
  database: Database,
  target: RelationTarget,
  filter: RowFilter | undefined,
): Statement<KeyRow> {
  const key = sql.ref(`${target.table}.${target.key}`)
  const isNamed = sql`${key} in (${database.dialect.keys(parameter('keys'))})`
  return compile(
    database,
    sql`select ${key} from ${sql.table(target.table)} ${whereRows(target.table, filter, isNamed)}`,
  )
}

/** The rows that have these values, which are parameters named like the fields. */
export function compileSame(
  database: Database,
  { table, key, fields }: Resource,
  names: readonly string[],
): Statement<KeyRow> {
  const isSame = names.map(
    name => sql`${sql.ref(`${table}.${storageColumn(name, fields[name]!)}`)} = ${parameter(name)}`,
  )
  return compile(
    database,
    sql`select ${sql.ref(`${table}.${key}`)} from ${sql.table(table)} where ${sql.join(isSame, sql` and `)}`,
  )
}
