// What a statement writes: the columns of a new or changed row, and the rows of relations to many.

import { sql } from 'kysely'
import { compile, type Database, parameter, type Statement } from '../../database/database.ts'
import type { Sql } from '../../database/dialect.ts'
import type { Resource } from '../resource.ts'

/** The statements of a field whose values are rows of a table. Parameters: `id`, and `keys`, the values as a JSON array. */
export interface RelationRows {
  /** The field's name. */
  readonly name: string
  readonly remove: Statement
  readonly add: Statement
}

export function compileRelationRows(database: Database, resource: Resource): readonly RelationRows[] {
  return Object.entries(resource.fields).flatMap(([name, { storage, readOnly }]) => {
    if (storage.kind !== 'rows' || readOnly) return []
    const { own, other } = storage
    const table = sql.table(storage.table)
    const { keys, texts } = database.dialect
    const values = (storage.of === 'texts' ? texts : keys)(parameter('keys'))
    return {
      name,
      remove: compile(database, sql`delete from ${table} where ${sql.id(own)} = ${parameter('id')}`),
      add: compile(
        database,
        sql`insert into ${table} (${sql.id(own)}, ${sql.id(other)}) select ${parameter('id')}, value from (${values}) as given`,
      ),
    }
  })
}

/** What follows the table in an insert: one parameter per column. */
export function insertion(columns: readonly string[]): Sql {
  if (columns.length === 0) return sql`default values`
  return sql`(${sql.join(columns.map(name => sql.id(name)))}) values (${sql.join(columns.map(name => parameter(name)))})`
}

/** What follows `set`: one text for every set of changed columns. */
export function assignments({ table, key }: Resource, columns: readonly string[]): Sql {
  if (columns.length === 0) return sql`${sql.id(key)} = ${sql.ref(`${table}.${key}`)}`
  return sql.join(
    columns.map(
      name =>
        sql`${sql.id(name)} = case when cast(${parameter(`set ${name}`)} as boolean) then ${parameter(name)} else ${sql.ref(`${table}.${name}`)} end`,
    ),
  )
}
