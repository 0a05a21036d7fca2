// The database cannot be used when the service starts.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { freePort } from '../support/free-port.ts'
import { defineFault } from './fault.ts'
import { makeReadOnly } from './support/mounts.ts'
import { startOwnPostgres } from './support/postgres.ts'
import { newFolder, type Running, spawnService, startService } from './support/service.ts'
import { createUsers } from './support/users.ts'

const longestStart = 20_000

export default defineFault({
  name: 'unusable database at start',
  promise:
    'One line says which database, why and what to do; the exit code is 1, and nothing is made or changed in its place.',
  async run() {
    const good = await createGood()
    const lines = [...(await tryFiles(good)), ...(await tryServers())]
    for (const [name, line] of lines) console.log(`         ${name}: ${line}`)
    await startsWhereNothingIs()
    const names = lines.map(([name]) => name).join(', ')
    return `${lines.length} of them refused in one line with exit code 1, files byte for byte as before: ${names}; an empty file and a missing folder become a new database`
  },
})

type Refusal = readonly [name: string, line: string]

/** A database as it is after a day's work. */
async function createGood(): Promise<string> {
  const file = `${await newFolder()}/good.db`
  const users = Array.from({ length: 300 }, (_, number) => ({ username: `user${number}` }))
  await createUsers(`sqlite:${file}`, ...users)
  return file
}

async function tryFiles(good: string): Promise<readonly Refusal[]> {
  const refusals: Refusal[] = []
  for (const [name, [prepare, expected]] of Object.entries(files)) {
    const folder = await newFolder()
    const file = `${folder}/service.db`
    const other = await prepare(file, good)
    const path = typeof other === 'string' ? other : file
    const before = await digestOf(file)
    const line = await refusedBy({ databaseUrl: `sqlite:${path}` })
    assert.match(line, expected, name)
    assert.ok(line.includes(folder), `${name}: the line names the file: ${line}`)
    assert.equal(await digestOf(file), before, `${name}: the file is as it was`)
    refusals.push([name, line.replaceAll(folder, '…')])
  }
  return refusals
}

/** `prepare` answers the path to start with, where it is not that of the file. */
type Case = readonly [prepare: (file: string, good: string) => Promise<unknown>, expected: RegExp]

const notOne = /is no SQLite database: /
const unwritable = /cannot be written: /

const files: Readonly<Record<string, Case>> = {
  'random bytes': [file => writeFile(file, crypto.getRandomValues(new Uint8Array(20_000))), notOne],
  'a text file': [file => writeFile(file, 'DATABASE_URL=…\n'.repeat(100)), notOne],
  'a database cut in the middle': [
    async (file, good) => {
      await cp(good, file)
      await truncate(file, 50_000)
    },
    /is a damaged SQLite database: /,
  ],
  'a database overwritten from its first page on': [
    async (file, good) => writeFile(file, Buffer.concat([Buffer.alloc(8192), (await readFile(good)).subarray(8192)])),
    notOne,
  ],
  'a directory': [file => mkdir(file), /is a directory: /],
  'a file in the place of its folder': [
    async (file, good) => {
      await cp(good, file)
      return `${file}/service.db`
    },
    /the folder .+ cannot be made \(E[A-Z]+\): /,
  ],
  'a read-only disk': [
    async (file, good) => {
      await cp(good, file)
      await makeReadOnly(file.slice(0, file.lastIndexOf('/')))
    },
    unwritable,
  ],
  'a read-only disk without the file': [file => makeReadOnly(file.slice(0, file.lastIndexOf('/'))), unwritable],
  'the database of a newer version': [
    (file, good) => change(file, good, "insert into kysely_migration values ('9999_later', '2031')"),
    /of a newer version, .+9999_later/,
  ],
  'the database of another program': [
    (file, good) => change(file, good, 'pragma journal_mode = wal; drop table kysely_migration'),
    /of another program .+already exists/,
  ],
  'a file of rates that is none': [
    async (file, good) => {
      await cp(good, file)
      await writeFile(`${file}-rates`, 'x'.repeat(1000))
    },
    /-rates is no SQLite database: .+may be removed/,
  ],
  'a file that another program has locked': [
    async (file, good) => {
      await cp(good, file)
      locks.push(lock(file))
    },
    /is locked by another program: /,
  ],
}

const locks: DatabaseSync[] = []

function lock(file: string): DatabaseSync {
  const database = new DatabaseSync(file)
  database.exec('begin exclusive')
  return database
}

async function change(file: string, good: string, sql: string): Promise<void> {
  await cp(good, file)
  const database = new DatabaseSync(file)
  database.exec(sql)
  database.close()
}

async function tryServers(): Promise<readonly Refusal[]> {
  const postgres = await startOwnPostgres({ password: 'hunter2' })
  const away = await freePort()
  const urls: Readonly<Record<string, readonly [url: string, expected: RegExp]>> = {
    'a wrong password': [postgres.url.replace('hunter2', 'hunter3'), /refuses the user or the password$/],
    'no password': [postgres.url.replace(':hunter2', ''), /refuses the user or the password$/],
    'no such PostgreSQL database': [postgres.url.replace(/postgres$/, 'elsewhere'), /has no such database: /],
    'no PostgreSQL there': [
      postgres.url.replace(String(postgres.port), String(away)),
      /does not answer \(ECONNREFUSED\): /,
    ],
    'no such host': [postgres.url.replace('127.0.0.1', 'db.invalid'), /does not answer \(E[A-Z_]+\): /],
  }
  const refusals: Refusal[] = []
  for (const [name, [databaseUrl, expected]] of Object.entries(urls)) {
    const line = await refusedBy({ databaseUrl })
    assert.match(line, expected, name)
    assert.doesNotMatch(line, /hunter/)
    refusals.push([name, line.replaceAll(/:\d{4,5}/g, ':…')])
  }
  await postgres.stop()
  return refusals
}

/** The one line that it says before it ends with 1. */
async function refusedBy(options: Parameters<typeof spawnService>[0]): Promise<string> {
  const running: Running = await spawnService(options)
  const timer = setTimeout(() => running.signal('SIGKILL'), longestStart)
  const { code, stdout, stderr } = await running.ended
  clearTimeout(timer)
  assert.deepEqual([code, stdout], [1, ''], stderr)
  assert.match(stderr, /^resource-api: DATABASE_URL: [^\n]+\n$/)
  return stderr.trim()
}

// Of a directory, that it is one.
const digestOf = async (file: string): Promise<string> =>
  existsSync(file) ? hash('sha256', await readFile(file).catch(() => Buffer.from('directory'))) : 'none'

async function startsWhereNothingIs(): Promise<void> {
  const folder = await newFolder()
  await writeFile(`${folder}/empty.db`, '')
  for (const path of ['empty.db', 'a/new/folder/service.db']) {
    const service = await startService({ databaseUrl: `sqlite:${folder}/${path}` })
    assert.equal((await service.stop()).code, 0)
  }
}
