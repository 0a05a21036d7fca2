// The statements that check a request body: do the related objects exist, and are the unique values free?

import { sql } from 'kysely'
import { compile, type Database, parameter, type Statement } from '../../database/database.ts'
import type { Sql } from '../../database/dialect.ts'
import type { RelationTarget } from '../../fields/field.ts'
import type { Resource } from '../resource.ts'
import { storageColumn } from '../storage.ts'

type KeyRow = readonly [key: number]

/**
 * Selects the keys from the parameter `keys` (a JSON array) whose rows exist and meet the condition, if there is one.
 */
export function compileExistence(
  database: Database,
  target: RelationTarget,
  createCondition: () => Sql | undefined,
): Statement<KeyRow> {
  return compile(database, () => {
    const condition = createCondition()
    const key = sql.ref(`${target.table}.${target.key}`)
    const isRequested = sql`${key} in (${database.dialect.keys(parameter('keys'))})`
    const where = condition === undefined ? isRequested : sql`${isRequested} and ${condition}`
    return sql`select ${key} from ${sql.table(target.table)} where ${where}`
  })
}

/** Selects the keys of the rows with these values; the parameters are named after the fields. */
export function compileSameValues(
  database: Database,
  { table, key, fields }: Resource,
  names: readonly string[],
): Statement<KeyRow> {
  const conditions = names.map(
    name => sql`${sql.ref(`${table}.${storageColumn(name, fields[name]!)}`)} = ${parameter(name)}`,
  )
  return compile(
    database,
    sql`select ${sql.ref(`${table}.${key}`)} from ${sql.table(table)} where ${sql.join(conditions, sql` and `)}`,
  )
}
