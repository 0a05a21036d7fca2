// Reads the whole database of a service, to check that a refused request has changed nothing.

import { sql } from 'kysely'
import type { Database } from 'resource-api'

const tables = [
  'users',
  'groups',
  'user_groups',
  'user_permissions',
  'group_permissions',
  'tokens',
  'named_tokens',
  'sessions',
  'snippets',
]

/** All rows of all tables as JSON, ordered by the first columns of each table. */
export async function dumpTables({ kysely }: Database): Promise<string> {
  const dump: Record<string, unknown> = {}
  for (const table of tables) {
    const { rows } = await sql`select * from ${sql.table(table)} order by 1, 2`.execute(kysely)
    dump[table] = rows
  }
  return JSON.stringify(dump)
}

/** The number of rows in a table. */
export async function countRows({ kysely }: Database, table: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(kysely)
  return rows[0]!.count
}
