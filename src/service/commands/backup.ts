// Copies the SQLite database while the service continues to write. The copy is consistent.

import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { openConnection } from '#core'
import { warn } from '../logging/standard-streams.ts'
import { CommandError } from '../processes/error-messages.ts'
import type { Settings } from '../settings/settings.ts'

/**
 * One step copies all pages. A write between two steps would restart the backup, so on a busy service it might never
 * end.
 */
const pagesPerStep = 2 ** 31 - 1
/** Milliseconds to wait for a process that is opening or recovering the database. */
const busyTimeout = 10_000

/**
 * Copies the database into a new file, which appears only after it is complete, checked and flushed to disk. Throws
 * CommandError if the file exists, if the database is damaged or missing, and for PostgreSQL, which has its own tools.
 */
export async function backupDatabase({ databaseUrl }: Pick<Settings, 'databaseUrl'>, target: string): Promise<void> {
  if (!databaseUrl.startsWith('sqlite:'))
    throw new CommandError(
      'backup: works only with SQLite; for PostgreSQL use pg_dump or a base backup (see docs/deployment.md in the package resource-api)',
    )
  const source = databaseUrl.slice('sqlite:'.length)
  if (!existsSync(source)) throw new CommandError(`DATABASE_URL: the file ${source} does not exist`)
  checkNotExists(target)
  const part = `${target}.part`
  createPartFile(part)
  try {
    await copy(source, part)
    checkIntegrity(part)
    sync(part)
    checkNotExists(target)
    renameSync(part, target)
    sync(dirname(resolve(target)))
  } catch (error) {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(part + suffix, { force: true })
    throw explainWriteError(error, target)
  }
  warn(`Wrote ${target}: ${statSync(target).size} bytes, checked.`)
  warn('The copy does not contain SECRET_KEY. Store the key too, in another place: the copy is unusable without it.')
}

function checkNotExists(target: string): void {
  if (existsSync(target)) throw new CommandError(`${target}: already exists: name a new file`)
}

// Only the owner may read the copy. `wx` fails if another backup is running.
function createPartFile(part: string): void {
  try {
    closeSync(openSync(part, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new CommandError(
        `${part}: already exists: another backup is running; if one was interrupted, remove the file`,
      )
    throw explainWriteError(error, part)
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

// Without a write-ahead log, the backup is a single file, which can be opened in a read-only folder.
function checkIntegrity(part: string): void {
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

const sqliteFull = 13

function explainWriteError(error: unknown, target: string): unknown {
  const { code, syscall, errcode } = error as NodeJS.ErrnoException & { errcode?: number }
  if (errcode === sqliteFull) return new CommandError(`${target}: cannot be written: the disk is full`)
  return syscall === undefined ? error : new CommandError(`${target}: cannot be written (${code})`)
}
