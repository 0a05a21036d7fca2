// A new, empty database for one test API, which is removed with it.

import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTemporaryDatabase, type Database, dropTemporaryDatabase, openPostgres } from '#core'

/** `sqlite`: a file in a temporary folder. `memory`: SQLite in memory. `postgres`: a database of a running server. */
export type DatabaseKind = 'sqlite' | 'memory' | 'postgres'

export interface DatabaseOptions {
  /** Default `sqlite`. */
  readonly database?: DatabaseKind
  /**
   * The PostgreSQL server, with a user who may create databases: `postgres://user:password@host:port/postgres`. Default:
   * the environment variable TEST_POSTGRES_URL.
   */
  readonly postgresUrl?: string
}

export interface TestDatabase {
  /** For `openDatabase`. */
  readonly url: string
  remove(): Promise<void>
}

/** The caller has to call `remove`, after every connection is closed. Rejects with TypeError for wrong options. */
export async function createTestDatabase(options: DatabaseOptions = {}): Promise<TestDatabase> {
  checkTestOptions(options)
  const { database = 'sqlite', postgresUrl = process.env.TEST_POSTGRES_URL, ...others } = options
  const [unknown] = Object.keys(others)
  if (unknown !== undefined)
    throw new TypeError(`createTestDatabase() has no option "${unknown}": the options are database, postgresUrl`)
  if (database === 'sqlite') return createFile()
  if (database === 'memory') return { url: 'sqlite::memory:', remove: async () => undefined }
  if (database === 'postgres') return createOnServer(postgresUrl)
  throw new TypeError(`the database "${database}" is unknown: use 'sqlite', 'memory' or 'postgres'`)
}

/** Throws TypeError unless the options are an object. Node runs TypeScript without checking types. */
export function checkTestOptions(options: object): void {
  if (typeof options === 'object' && options !== null && !Array.isArray(options)) return
  throw new TypeError(`the options are ${JSON.stringify(options)}: write an object, such as { database: 'postgres' }`)
}

async function createFile(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'resource-api-test-'))
  return {
    url: `sqlite:${join(folder, 'test.db')}`,
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

async function createOnServer(server: string | undefined): Promise<TestDatabase> {
  if (server === undefined || server === '')
    throw new Error(
      "database 'postgres' needs a PostgreSQL server: set TEST_POSTGRES_URL or the option postgresUrl, or start a server in a global setup with startPostgres() of resource-api/testing",
    )
  const url = new URL(server)
  const name = `test_${randomBytes(8).toString('hex')}`
  url.pathname = `/${name}`
  await administrate(server, database => createTemporaryDatabase(database, name))
  return { url: url.href, remove: () => administrate(server, database => dropTemporaryDatabase(database, name)) }
}

// On a busy machine, work in a test takes longer than a service lets a request wait. Creating databases takes a lock, so
// many tests that start at the same time wait for each other.
const patience = 60_000

/** Time limits of connections to PostgreSQL that a busy machine does not exceed, in milliseconds. */
export const patientTimeouts = {
  connectionTimeout: patience,
  lockTimeout: patience,
  statementTimeout: 2 * patience,
  idleInTransactionTimeout: 2 * patience,
} as const

async function administrate(url: string, work: (server: Database) => Promise<unknown>): Promise<void> {
  const server = openPostgres({ url, poolSize: 1, ...patientTimeouts })
  try {
    await work(server)
  } finally {
    await server.close()
  }
}
