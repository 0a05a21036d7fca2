// Starts the service for tests: on SQLite and on a real PostgreSQL, in the process and over a real socket.

import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite } from 'node:test'
import type { FastifyInstance } from 'fastify'
import pg from 'pg'
import { hashPassword } from 'resource-api/accounts'
import {
  createService,
  openServices,
  type Profile,
  type ReadySettings,
  readSettings,
  type ServiceOptions,
  type Services,
} from 'resource-api/service'
import defaultService from '../../src/default-service.ts'
import { type Client, injectClient, socketClient } from './client.ts'

/** A running service with its users. */
export interface TestService {
  readonly client: Client
  readonly services: Services
  readonly app: FastifyInstance
  /** The text of every SQL statement so far, without those that store the audit log in the background. */
  readonly statements: string[]
  /** Creates a user who can log in with `password`, and a token for the user. */
  createUser(
    username: string,
    options?: { staff?: boolean; superuser?: boolean; active?: boolean; remoteIdentity?: string },
  ): Promise<{ id: number; key: string }>
}

export const password = 'correct horse battery staple'
const passwordHash = await hashPassword(password)

/** Settings, with profiles of the test, or the names of those of this repository; default: both of them. */
export interface TestOptions extends Omit<ServiceOptions, 'profiles'> {
  readonly profiles?: readonly ('directory' | 'snippets')[] | readonly Profile[] | undefined
}

/** Reads the settings of a test. */
export function readTestSettings({ profiles: given, ...options }: TestOptions): ReadySettings {
  const profiles = given ?? []
  const names = profiles.filter(profile => typeof profile === 'string')
  const own = profiles.filter(profile => typeof profile !== 'string')
  const settings = readSettings({
    file: { logLevel: 'silent', ...(own.length === 0 ? defaultService : { profiles: own }), ...options },
    ...(names.length > 0 && { environment: { PROFILES: names.join(',') } }),
  })
  return { ...settings, secretKey: settings.secretKey ?? 'x'.repeat(40) }
}

interface Kind {
  readonly database: 'SQLite' | 'PostgreSQL'
  readonly transport: 'in the process' | 'over a socket'
}

const kinds: readonly Kind[] = [
  { database: 'SQLite', transport: 'in the process' },
  { database: 'SQLite', transport: 'over a socket' },
  { database: 'PostgreSQL', transport: 'in the process' },
  { database: 'PostgreSQL', transport: 'over a socket' },
]

/** Defines the tests once per database and transport; `service()` works once they run. */
export function onEveryService(options: TestOptions, define: (service: () => TestService) => void): void {
  for (const kind of kinds) {
    suite(`${kind.database}, ${kind.transport}`, () => {
      let running: RunningService
      before(async () => {
        running = await startService(kind, options)
      })
      after(() => running?.stop())
      define(() => running)
    })
  }
}

/** Defines the tests once per database, in the process; the service uses `clock`. */
export function onEveryDatabase(
  options: TestOptions,
  define: (service: () => TestService) => void,
  clock?: () => Date,
): void {
  for (const kind of kinds.filter(({ transport }) => transport === 'in the process')) {
    suite(kind.database, () => {
      let running: RunningService
      before(async () => {
        running = await startService(kind, options, clock)
      })
      after(() => running?.stop())
      define(() => running)
    })
  }
}

export interface RunningService extends TestService {
  stop(): Promise<void>
}

/** Starts a separate service; the caller has to stop it. */
export async function startService(
  { database, transport }: Kind,
  options: TestOptions,
  clock?: () => Date,
): Promise<RunningService> {
  const storage = database === 'SQLite' ? await createFile() : await createDatabase()
  const statements: string[] = []
  const settings = readTestSettings({ ...options, databaseUrl: storage.url })
  const observe = (sql: string) => void (sql.includes('audit_log') || statements.push(sql))
  const services = openServices(settings, { observe, ...(clock && { clock }) })
  await services.prepare()
  const app = await createService(services, clock)
  const client = transport === 'in the process' ? injectClient(app) : await socketClient(app)
  return {
    client,
    services,
    app,
    statements,
    createUser: (username, { staff = false, superuser = false, active = true, remoteIdentity } = {}) =>
      services.database.transaction(async connection => {
        const rights = { isStaff: staff, isSuperuser: superuser, isActive: active }
        const linked = remoteIdentity !== undefined && { remoteIdentity }
        const id = await services.accounts.users.create({ username, passwordHash, ...rights, ...linked }, connection)
        return { id, key: await services.accounts.tokens.getOrCreate(id, connection) }
      }),
    async stop() {
      client.close()
      await app.close()
      await services.close()
      await storage.remove()
    },
  }
}

export interface Storage {
  readonly url: string
  remove(): Promise<void>
}

/** A path for a new SQLite database. */
export async function createFile(): Promise<Storage> {
  const folder = await mkdtemp(join(tmpdir(), 'resource-api-test-'))
  return {
    url: `sqlite:${join(folder, 'test.db')}`,
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** A new, empty database on the tests' PostgreSQL server. */
export async function createDatabase(): Promise<Storage> {
  const server = process.env.TEST_POSTGRES_URL
  if (server === undefined) throw new Error('TEST_POSTGRES_URL is not set: run the tests with `npm test`')
  const name = `test_${randomBytes(8).toString('hex')}`
  await administrate(server, `create database ${name}`)
  return {
    url: server.replace(/\/postgres$/, `/${name}`),
    remove: () => administrate(server, `drop database ${name} with (force)`),
  }
}

async function administrate(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
