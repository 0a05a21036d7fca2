// The SQL of the table `feed_changes`, in which triggers record the changes of rows.

import { sql } from 'kysely'
import { compile, type Database, parameter, type Statement } from './database.ts'
import type { FollowedTable } from './dialect.ts'

/** The most changes that are read at a time. */
export const maxLoggedChanges = 1000

export interface ChangeLogStatements {
  readonly origin: Statement<readonly [origin: number]>
  readonly end: Statement<readonly [moment: number, id: number]>
  readonly unsettled: Statement<readonly [id: number]>
  /** A row if changes after the position were deleted. Parameters: moment, id. */
  readonly expired: Statement<readonly [id: number]>
  /** Parameters: table, moment, id. */
  readonly read: Statement<readonly [json: string]>
  /** The newest change that is no longer kept. Parameters: before. */
  readonly newestOld: Statement<readonly [id: number]>
  /** Says that the changes up to this one are no longer kept. Parameters: id. */
  readonly mark: Statement
  /** Parameters: before, id. */
  readonly remove: Statement
}

export function compileChangeLog(database: Database): ChangeLogStatements {
  const { dialect } = database
  const { isSettled, origin } = dialect.rowChanges
  const isAfterPosition = sql`(moment, id) > (${parameter('moment')}, ${parameter('id')})`
  const isOld = sql`created_at <= ${parameter('before')}`
  const change = dialect.object([
    ['id', sql`id`],
    ['key', sql`row_key`],
    ['action', sql`action`],
    ['moment', sql`moment`],
  ])
  const changes = sql`select ${change} as value from feed_changes where table_name = ${parameter('table')} and ${isAfterPosition} and ${isSettled} order by moment, id limit ${sql.lit(maxLoggedChanges)}`
  return {
    origin: compile(database, sql`select ${origin}`),
    end: compile(
      database,
      sql`select moment, id from feed_changes where ${isSettled} order by moment desc, id desc limit 1`,
    ),
    unsettled: compile(database, sql`select id from feed_changes where not (${isSettled}) limit 1`),
    expired: compile(
      database,
      sql`select id from feed_changes where action = 'expired' and ${isAfterPosition} and ${isSettled} limit 1`,
    ),
    read: compile(database, () => sql`select ${dialect.text(dialect.objects(changes))}`),
    newestOld: compile(
      database,
      sql`select id from feed_changes where ${isOld} and ${isSettled} order by moment desc, id desc limit 1`,
    ),
    mark: compile(
      database,
      sql`update feed_changes set action = 'expired', former = null, table_name = '', row_key = '' where id = ${parameter('id')}`,
    ),
    remove: compile(
      database,
      sql`delete from feed_changes where ${isOld} and ${isSettled} and id <> ${parameter('id')}`,
    ),
  }
}

/** Creates the triggers of tables that have none. Clients then have to read their lists again, because earlier changes are unknown. */
export async function followTables(database: Database, tables: readonly FollowedTable[]): Promise<void> {
  const { dialect } = database
  await database.transaction(async ({ kysely }) => {
    await dialect.lock('feeds')?.execute(kysely)
    let isNew = false
    for (const table of tables) isNew = (await dialect.rowChanges.follow(kysely, table)) || isNew
    if (isNew)
      await sql`insert into feed_changes (table_name, row_key, action, moment, created_at) values ('', '', 'expired', ${dialect.rowChanges.moment}, ${dialect.columns.now})`.execute(
        kysely,
      )
  })
}
