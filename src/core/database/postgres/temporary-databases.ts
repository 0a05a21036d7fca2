// Databases that exist for a test only. The user of the connection may create databases.

import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../database.ts'

/** Creates an empty database with this name, which consists of lower-case letters, digits and underscores. */
export async function createTemporaryDatabase({ kysely }: Database, name: string): Promise<void> {
  const { rows } = await canCopyFiles.execute(kysely)
  const strategy = rows[0]?.answer === true ? 'strategy file_copy' : ''
  await sql.raw(`create database ${name} ${strategy}`).execute(kysely)
}

/** Removes the database, and ends its connections. */
export async function dropTemporaryDatabase({ kysely }: Database, name: string): Promise<void> {
  await sql.raw(`drop database ${name} with (force)`).execute(kysely)
}

// Copying the files of a new database takes half the time of writing its pages to the log, unless the server waits for
// the disk. PostgreSQL has this choice since version 15.
const canCopyFiles: RawBuilder<{ answer: boolean }> = sql`
  select current_setting('fsync') = 'off' and current_setting('server_version_num')::int >= 150000 as answer`
