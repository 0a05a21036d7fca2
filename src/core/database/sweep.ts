import { sql } from 'kysely'
import { compile, type Database, parameter, type Statement } from './database.ts'

/**
 * The statement that deletes rows of the past. `column`: the time at which a row ends. Parameters: `now`, and `maxRows`, the most
 * rows that it deletes. It skips locked rows, because waiting for them could deadlock; a later sweep deletes them.
 */
export function compileSweep(database: Database, table: string, column: string): Statement {
  const [from, key] = [sql.table(table), sql.id('key')]
  const ended = sql`select ${key} from ${from} where ${sql.id(column)} <= ${parameter('now')} limit ${parameter('maxRows')} ${database.dialect.skipLocked}`
  return compile(database, sql`delete from ${from} where ${key} in (${ended})`)
}
