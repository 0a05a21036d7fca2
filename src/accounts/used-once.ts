// Values that work once, such as the challenge of a login. The database has a digest of each used value until it expires.

import { hash } from 'node:crypto'
import { type Connection, compileSweep, type Database, formatDateTime } from '#core'
import { accountsKysely } from './tables.ts'

export interface UsedOnce {
  /**
   * Resolves to whether the value was not used before. Of several transactions with one value, one gets true. `expires`: in milliseconds
   * since 1970; the caller refuses the value from then on.
   */
  use(value: string, expires: number, connection: Connection): Promise<boolean>
}

/** The most rows that one use deletes. */
const maxRows = 100

export function createUsedOnce(database: Database, clock: () => Date): UsedOnce {
  const sweep = compileSweep(database, 'used_once', 'expires')
  return {
    async use(value, expires, connection) {
      await connection.run(sweep, { now: formatDateTime(clock())!, maxRows })
      const insert = accountsKysely(connection)
        .insertInto('used_once')
        .values({ key: hash('sha256', value), expires: formatDateTime(new Date(expires))! })
        .onConflict(conflict => conflict.column('key').doNothing())
      return (await insert.returning('key').executeTakeFirst()) !== undefined
    },
  }
}
