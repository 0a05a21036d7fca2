// Questions to the database about the values of a body: do related objects exist, and are unique values free?

import { sql } from 'kysely'
import { compile, type Database, parameter, type Statement } from '../../database/database.ts'
import type { Sql } from '../../database/dialect.ts'
import type { RelationTarget } from '../../fields/field.ts'
import type { Resource } from '../resource.ts'
import { storageColumn } from '../storage.ts'

type KeyRow = readonly [key: number]

/** Which of these keys (`keys`, a JSON array) belong to rows for which the condition is true? Default: to any row. */
export function compileExistence(database: Database, target: RelationTarget, condition?: Sql): Statement<KeyRow> {
  const key = sql.ref(`${target.table}.${target.key}`)
  const isNamed = sql`${key} in (${database.dialect.keys(parameter('keys'))})`
  const where = condition === undefined ? isNamed : sql`${isNamed} and ${condition}`
  return compile(database, sql`select ${key} from ${sql.table(target.table)} where ${where}`)
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
