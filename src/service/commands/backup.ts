// A copy of the SQLite database as it is at one moment, made while the service goes on writing.

import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { openConnection } from '../../framework/database/sqlite-connection.ts'
import { warn } from '../logging/standard-streams.ts'
import type { Settings } from '../settings/settings.ts'
import { CommandError } from './error-messages.ts'

/** All of it in one step: between two, a write of the service would make it begin again, and it would never end. */
const pagesPerStep = 2 ** 31 - 1
/** Who opens or recovers the database at this moment is waited for, in milliseconds. */
const busyTimeout = 10_000

/**
 * Writes the database into a new file, which is there once it is whole, checked and on the disk. Throws CommandError for
 * a file that exists, for a database that is damaged or not there, and for PostgreSQL, which has tools of its own.
 */
export async function backupDatabase({ databaseUrl }: Pick<Settings, 'databaseUrl'>, target: string): Promise<void> {
  if (!databaseUrl.startsWith('sqlite:'))
    throw new CommandError('backup: is for SQLite; of PostgreSQL use pg_dump, or a base backup: see docs/deployment.md')
  const source = databaseUrl.slice('sqlite:'.length)
  if (!existsSync(source)) throw new CommandError(`DATABASE_URL: there is no file ${source}`)
  checkFree(target)
  const part = `${target}.part`
  reserve(part)
  try {
    await copy(source, part)
    checkWhole(part)
    sync(part)
    checkFree(target)
    renameSync(part, target)
    sync(dirname(resolve(target)))
  } catch (error) {
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(part + end, { force: true })
    throw explainTarget(error, target)
  }
  warn(`Wrote ${target}: ${statSync(target).size} bytes, checked.`)
  warn('SECRET_KEY is not in it: keep that too, in another place. With another one, the service does not start on it.')
}

function checkFree(target: string): void {
  if (existsSync(target)) throw new CommandError(`${target}: is there already: name a new file`)
}

// Nobody else may read what is in it.
function reserve(part: string): void {
  try {
    closeSync(openSync(part, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new CommandError(`${part}: is there: another backup writes it, or one was interrupted: then remove it`)
    throw explainTarget(error, part)
  }
}

async function copy(source: string, part: string): Promise<void> {
  const { handle } = openConnection(source, error => error, undefined)
  try {
    handle.exec(`pragma busy_timeout = ${busyTimeout}; pragma query_only = on`)
    await backup(handle, part, { rate: pagesPerStep })
  } finally {
    handle.close()
  }
}

// Without a write-ahead log a backup is one file, which can be looked at where nothing can be written.
function checkWhole(part: string): void {
  const handle = new DatabaseSync(part)
  try {
    handle.exec('pragma journal_mode = delete')
    const problems = handle
      .prepare('pragma integrity_check(3)')
      .all()
      .map(row => Object.values(row)[0])
    if (problems.join() !== 'ok')
      throw new CommandError(`DATABASE_URL: the database is damaged: ${problems.join('; ')}`)
  } finally {
    handle.close()
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

const full = 13

function explainTarget(error: unknown, target: string): unknown {
  const { code, syscall, errcode } = error as NodeJS.ErrnoException & { errcode?: number }
  if (errcode === full) return new CommandError(`${target}: cannot be written: the disk is full`)
  return syscall === undefined ? error : new CommandError(`${target}: cannot be written (${code})`)
}
