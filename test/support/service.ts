// Starts the service for tests: on SQLite and on a real PostgreSQL, in the process and over a real socket.

import type { FastifyInstance } from 'fastify'
import { directory } from 'resource-api/directory'
import type { Profile, ServiceOptions, Services } from 'resource-api/service'
import { snippets } from 'resource-api/snippets'
import { createTestDatabase, type TestDatabase, testPassword, testService } from 'resource-api/testing'
import defaultService from '../../src/seed/default-service.ts'
import { type Client, connectTo, injectClient } from './client.ts'
import { defineSuite } from './define-suite.ts'
import { anHour } from './patience.ts'
import { eitherDatabase, isThorough } from './repetitions.ts'

export { defaultService }

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

export const password = testPassword

/** Settings, with profiles of the test, or the names of those of this repository; default: both of them. */
export interface TestOptions extends Omit<ServiceOptions, 'profiles'> {
  readonly profiles?: readonly ('directory' | 'snippets')[] | readonly Profile[] | undefined
}

// On a slow machine, the service would refuse some requests of a page, and highlight nothing.
const patientService: ServiceOptions = {
  ...defaultService,
  profiles: [directory(), snippets({ highlightingTime: anHour, highlightingWait: anHour })],
}

function toConfig({ profiles: given = [], ...options }: TestOptions): readonly [ServiceOptions, string] {
  const names = given.filter(profile => typeof profile === 'string')
  const profiles = given.filter(profile => typeof profile !== 'string')
  const limits = { overloadDelay: anHour, ...options.limits }
  return [{ ...(profiles.length === 0 ? patientService : { profiles }), ...options, limits }, names.join(',')]
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

// The transport does not depend on the database, so two of the four kinds have both transports and both databases.
const chosenKinds = kinds.filter(
  ({ database, transport }) => isThorough || (database === 'SQLite') === (transport === 'over a socket'),
)

/** Defines the tests on both databases and over both transports; `service()` works once they run. */
export function onEveryService(options: TestOptions, define: (service: () => TestService) => void): void {
  for (const kind of chosenKinds)
    defineSuite(`${kind.database}, ${kind.transport}`, () => startService(kind, options), define)
}

/** Defines the tests once per database, in the process; the service uses `clock`. */
export const onEveryDatabase = (
  options: TestOptions,
  define: (service: () => TestService) => void,
  clock?: () => Date,
): void => defineInProcess(['SQLite', 'PostgreSQL'], options, define, clock)

/** Defines tests that do the same on either database: `npm test` and the thorough run choose different ones. */
export const onEitherService = (
  options: TestOptions,
  define: (service: () => TestService) => void,
  clock?: () => Date,
): void => defineInProcess([eitherDatabase], options, define, clock)

function defineInProcess(
  databases: readonly Kind['database'][],
  options: TestOptions,
  define: (service: () => TestService) => void,
  clock?: () => Date,
): void {
  for (const database of databases)
    defineSuite(database, () => startService({ database, transport: 'in the process' }, options, clock), define)
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
  const statements: string[] = []
  const socket = transport === 'over a socket'
  const [config, profileNames] = toConfig(options)
  const api = await testService(config, {
    environment: { PROFILES: profileNames },
    database: database === 'SQLite' ? 'sqlite' : 'postgres',
    socket,
    observe: sql => void statements.push(sql),
    ...(clock && { clock }),
  })
  const client = socket ? connectTo(api.origin, api.app) : injectClient(api.app)
  return {
    client,
    services: api.services,
    app: api.app,
    statements,
    async createUser(username, rights) {
      const { id, token } = await api.user(username, rights)
      return { id, key: token }
    },
    stop() {
      client.close()
      return api.close()
    },
  }
}

export type { TestDatabase as Storage } from 'resource-api/testing'

/** A path for a new SQLite database. */
export const createFile = (): Promise<TestDatabase> => createTestDatabase({ database: 'sqlite' })

/** A new, empty database on the tests' PostgreSQL server. */
export const createDatabase = (): Promise<TestDatabase> => createTestDatabase({ database: 'postgres' })
