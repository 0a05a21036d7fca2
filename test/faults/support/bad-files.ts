// Files that a service cannot use as its SQLite database.

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { appendFile, cp, mkdir, open, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { makeReadOnly, mountSmallDisk } from './mounts.ts'
import { spawnCommand } from './service.ts'
import { until } from './until.ts'

export interface BadFile {
  /**
   * Creates the bad file at `file`, possibly from the valid database `good`. Resolves with a path if it differs from
   * `file`.
   */
  readonly prepare: (file: string, good: string) => Promise<unknown>
  /** The error message of the service. */
  readonly expected: RegExp
  /** A part of the content is in the write-ahead log, so opening the database changes the file. */
  readonly hasLog?: boolean
}

const notSqlite = /is not a SQLite database: /
const damaged = /is a damaged SQLite database: /
const unwritable = /cannot be written: /
const locked = /is locked by another program: /

/** By name. */
export const badFiles: Readonly<Record<string, BadFile>> = {
  'random bytes': {
    prepare: file => writeFile(file, crypto.getRandomValues(new Uint8Array(20_000))),
    expected: notSqlite,
  },
  'a text file': { prepare: file => writeFile(file, 'DATABASE_URL=…\n'.repeat(100)), expected: notSqlite },
  'a wrong header': { prepare: (file, good) => overwrite(file, good, 0, 'SQLite format 4\0'), expected: notSqlite },
  'an invalid page size': { prepare: (file, good) => overwrite(file, good, 16, '\0\x03'), expected: notSqlite },
  'a database overwritten from its first page on': {
    prepare: (file, good) => overwrite(file, good, 0, '\0'.repeat(8192)),
    expected: notSqlite,
  },
  'a database truncated in its header': { prepare: (file, good) => cut(file, good, 60), expected: damaged },
  'a database truncated in its first page': { prepare: (file, good) => cut(file, good, 3000), expected: damaged },
  'a database truncated in the middle': { prepare: (file, good) => cut(file, good, 50_000), expected: damaged },
  'a directory': { prepare: file => mkdir(file), expected: /is a directory: / },
  'a link to itself': { prepare: file => symlink(file, file), expected: /a link that leads back to itself/ },
  'a named pipe': {
    prepare: file => promisify(execFile)('mkfifo', [file]),
    expected: /is not a regular file: /,
  },
  'a file instead of its folder': {
    async prepare(file, good) {
      await cp(good, file)
      return `${file}/service.db`
    },
    expected: /the folder .+ cannot be created \(E[A-Z]+\): /,
  },
  'a read-only disk': {
    async prepare(file, good) {
      await cp(good, file)
      await makeReadOnly(dirname(file))
    },
    expected: unwritable,
  },
  'a read-only disk without the file': { prepare: file => makeReadOnly(dirname(file)), expected: unwritable },
  'a file that may only be read': {
    async prepare(file, good) {
      await cp(good, file)
      await makeReadOnly(file)
    },
    expected: unwritable,
  },
  'a full disk': {
    async prepare() {
      const folder = await mountSmallDisk(256 * 1024)
      await appendFile(`${folder}/filler`, Buffer.alloc(256 * 1024))
      return `${folder}/service.db`
    },
    expected: /the disk is full/,
  },
  'a directory as its write-ahead log': {
    async prepare(file, good) {
      await cp(good, file)
      await mkdir(`${file}-wal`)
    },
    expected: unwritable,
  },
  'a directory as the index of that log': {
    async prepare(file, good) {
      await cp(good, file)
      await mkdir(`${file}-shm`)
    },
    expected: /cannot be (?:used|written): /,
  },
  'the database of a newer version': {
    prepare: (file, good) => change(file, good, later),
    expected: /has applied the step "9999_later" of "accounts", which this program does not have: .+ newer version/,
  },
  'the database of a newer version, with a write-ahead log': {
    prepare: (file, good) => leaveLog(file, good, later),
    hasLog: true,
    expected: /has applied the step "9999_later" of "accounts", which this program does not have: .+ newer version/,
  },
  'the database of another program': {
    prepare: (file, good) => change(file, good, otherProgram),
    expected: /already has a table .+ of another program/,
  },
  'the database of another program, with a write-ahead log': {
    prepare: (file, good) => leaveLog(file, good, otherProgram),
    hasLog: true,
    expected: /already has a table .+ of another program/,
  },
  'the database of another program, in rollback mode': {
    prepare: (file, good) => change(file, good, `pragma journal_mode = delete; ${otherProgram}`),
    expected: /already has a table .+ of another program/,
  },
  'an invalid file of throttle counters': {
    async prepare(file, good) {
      await cp(good, file)
      await writeFile(`${file}-rates`, 'x'.repeat(1000))
    },
    expected: /-rates is not a SQLite database: .+may be removed/,
  },
  'a directory as the file of throttle counters': {
    async prepare(file, good) {
      await cp(good, file)
      await mkdir(`${file}-rates`)
    },
    expected: /-rates is a directory: /,
  },
  'a file that another program has locked': {
    prepare: (file, good) => lock(file, good, 'pragma journal_mode = delete; begin exclusive'),
    expected: locked,
  },
  'a file that another program has locked exclusively': {
    prepare: (file, good) => lock(file, good, 'pragma locking_mode = exclusive; begin immediate'),
    expected: locked,
  },
}

const later = "insert into resource_api_migrations (name, applied) values ('accounts/9999_later', '2031')"
const otherProgram = 'drop table resource_api_migrations'

// The lock is held in a separate process, because POSIX locks are lost when the process closes any descriptor of the
// file.
async function lock(file: string, good: string, sql: string): Promise<void> {
  await cp(good, file)
  const holder = `
    const database = new (require('node:sqlite').DatabaseSync)(process.argv[1])
    database.exec(process.argv[2])
    console.log('locked')
    setInterval(() => database, 1000)`
  const running = spawnCommand([process.execPath, '-e', holder, file, sql])
  await until('the file is locked', () => running.output().includes('locked'))
}

async function overwrite(file: string, good: string, position: number, text: string): Promise<void> {
  await cp(good, file)
  const handle = await open(file, 'r+')
  await handle.write(text, position, 'latin1')
  await handle.close()
}

async function cut(file: string, good: string, size: number): Promise<void> {
  await cp(good, file)
  await truncate(file, size)
}

async function change(file: string, good: string, sql: string): Promise<void> {
  await cp(good, file)
  const database = new DatabaseSync(file)
  database.exec(sql)
  database.close()
}

// Copies a database as a killed program leaves it, with a part of its content only in the write-ahead log.
async function leaveLog(file: string, good: string, sql: string): Promise<void> {
  const other = `${dirname(good)}/other.db`
  await cp(good, other)
  const database = new DatabaseSync(other)
  database.exec(`pragma journal_mode = wal; pragma wal_autocheckpoint = 0; ${sql}`)
  for (const ending of ['', '-wal']) await cp(`${other}${ending}`, `${file}${ending}`)
  database.close()
  for (const ending of ['', '-wal', '-shm']) if (existsSync(`${other}${ending}`)) await rm(`${other}${ending}`)
  if ((await readFile(`${file}-wal`)).length === 0) throw new Error('the write-ahead log is empty')
}
