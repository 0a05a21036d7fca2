// Reads the stored changes of one object, newest first.

import { sql } from 'kysely'
import {
  type ChangedValue,
  compile,
  type Database,
  type KeyValue,
  type ObjectChange,
  parameter,
  type Sql,
  type Statement,
} from '#core'

/** A stored change of an object. */
export interface StoredChange {
  readonly id: number
  readonly created: string
  readonly event: string
  /** The username; null if the caller had no account, or if a command without a caller changed the object. */
  readonly user: string | null
  readonly action: ObjectChange['action']
  /** By declared field names. */
  readonly changes: Readonly<Record<string, ChangedValue>>
}

export interface ObjectHistory {
  /** Reads at most `limit` changes whose ids are below `before`. */
  read(object: {
    readonly table: string
    readonly key: KeyValue
    readonly before: number
    readonly limit: number
  }): Promise<readonly StoredChange[]>
}

/** Creates the reader of the histories of a database with the table of `auditTables`. */
export function createObjectHistory(database: Database): ObjectHistory {
  const { dialect } = database
  const statement: Statement<readonly [change: string]> = compile(
    database,
    () =>
      sql`select ${dialect.text(createChangeObject(database))} from audit_log where object_table = ${parameter('table')} and object_key = ${parameter('key')} and id < ${parameter('before')} order by id desc limit ${parameter('limit')}`,
  )
  return {
    async read({ table, key, before, limit }) {
      const rows = await database.run(statement, { table, key: String(key), before, limit })
      return rows.map(([change]) => JSON.parse(change) as StoredChange)
    },
  }
}

/** The SQL of a stored change as JSON, with these further columns. */
export const createChangeObject = ({ dialect }: Database, columns: readonly string[] = []): Sql =>
  dialect.object([
    ['id', sql`id`],
    ['created', dialect.dateTime(sql`created`)],
    ['event', sql`event`],
    ['user', sql.id('user')],
    ['action', sql`action`],
    ...columns.map(column => [column, sql.id(column)] as const),
    ['changes', dialect.json(sql`changes`)],
  ])
