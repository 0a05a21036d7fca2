// APIs that are created with `createApi`, as in an application, with a custom authentication scheme, on both databases.

import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import {
  APIException,
  type ApiOptions,
  createApi,
  type Database,
  type ExceptionHandler,
  exceptionHandler,
  type Identity,
  type Migrations,
  type OwnedMigrations,
} from 'resource-api'
import { failure, type Scheme, skip, success } from 'resource-api/extend'
import { type DatabaseKind, testApi } from 'resource-api/testing'
import type { AnonymousOption } from '#api'
import type { TestedApi } from '../../src/testing/test-api.ts'
import { type Client, connectTo, injectClient, type RequestOptions, socketClient } from './client.ts'
import { defineSuite } from './define-suite.ts'
import { libraryMigrations } from './library.ts'
import { patience } from './patience.ts'
import { eitherDatabase } from './repetitions.ts'

export interface TestApi {
  readonly client: Client
  readonly app: FastifyInstance
  stop(): Promise<void>
}

export interface StartOptions {
  readonly prefix?: string
  /** Over a real socket; default: in the process. */
  readonly socket?: boolean
  /** The trusted proxies; default: none. */
  readonly trustProxy?: string
  /** False: responses in the process are not compared with the OpenAPI document. */
  readonly checkDocument?: boolean
  /** Told of each line of the log; default: none is written. */
  readonly log?: (line: string) => void
  /** Called before the API is mounted. */
  readonly prepare?: (app: FastifyInstance) => void
}

/** Starts an API in a new Fastify application. */
export async function startApi<User extends Identity = Identity>(
  options: ApiOptions<NoInfer<User>> & AnonymousOption<User>,
  start: StartOptions = {},
): Promise<TestApi> {
  const { prefix, socket, prepare } = start
  const app = Fastify(createServerOptions(start))
  prepare?.(app)
  await app.register(createApi<User>(options), prefix === undefined ? {} : { prefix })
  const client = socket ? await socketClient(app) : injectClient(app, start.checkDocument)
  return {
    client,
    app,
    async stop() {
      client.close()
      await app.close()
    },
  }
}

const createServerOptions = ({ trustProxy, log }: StartOptions): FastifyServerOptions => ({
  exposeHeadRoutes: false,
  forceCloseConnections: true,
  // A busy machine takes long to start an API.
  pluginTimeout: patience,
  trustProxy: trustProxy ?? false,
  // At the level `silent`, the cause of an intended 500 is not printed.
  logger: log === undefined ? { level: 'silent' } : { stream: { write: log } },
})

export interface StorageOptions extends StartOptions {
  /** The migrations; default: those of the library. */
  readonly migrations?: Migrations
  /** The migrations of other owners. */
  readonly owners?: readonly OwnedMigrations[]
  /** Called for every statement. */
  readonly observe?: (sql: string) => void
}

/** An API with the tables of the library. */
export interface LibraryApi extends TestApi {
  readonly database: Database
  /** The URL of the database, for a second connection. */
  readonly url: string
  /** All rows of a table, as they are stored. */
  rows(table: string): Promise<readonly Record<string, unknown>[]>
  /** Inserts rows into a table, and returns their keys. */
  insert(table: string, rows: readonly object[]): Promise<readonly number[]>
}

/** Defines the tests once per database; `api()` works once they run. */
export const onEachDatabase = <User extends Identity = Identity>(
  options: ApiFactory<User>,
  define: (api: () => LibraryApi) => void,
  start: StorageOptions = {},
): void => defineTests(['SQLite', 'PostgreSQL'], options, define, start)

/** Defines tests that do the same on either database: `npm test` and the thorough run choose different ones. */
export const onEitherDatabase = <User extends Identity = Identity>(
  options: ApiFactory<User>,
  define: (api: () => LibraryApi) => void,
  start: StorageOptions = {},
): void => defineTests([eitherDatabase], options, define, start)

type ApiFactory<User extends Identity> = (database: Database) => ApiOptions<NoInfer<User>> & AnonymousOption<User>

function defineTests<User extends Identity>(
  databases: readonly (keyof typeof databaseKinds)[],
  options: ApiFactory<User>,
  define: (api: () => LibraryApi) => void,
  start: StorageOptions,
): void {
  for (const name of databases) defineSuite(name, () => startLibrary<User>(databaseKinds[name], options, start), define)
}

const databaseKinds = { SQLite: 'sqlite', PostgreSQL: 'postgres' } as const

async function startLibrary<User extends Identity>(
  database: DatabaseKind,
  options: ApiFactory<User>,
  { migrations = libraryMigrations, owners = [], ...start }: StorageOptions,
): Promise<LibraryApi> {
  let clock = () => new Date()
  const api = await testApi<User>(
    parts => {
      const { clock: own = clock, ...declared } = options(parts.database)
      clock = own
      return { ...declared, migrations: [{ owner: 'library', steps: migrations }, ...owners] } as TestedApi<
        NoInfer<User>
      > &
        AnonymousOption<User>
    },
    { ...start, database, fastify: createServerOptions(start), clock: () => clock() },
  )
  const client = start.socket ? connectTo(api.origin, api.app) : injectClient(api.app, start.checkDocument)
  const stop = () => {
    client.close()
    return api.close()
  }
  return { app: api.app, client, ...access(api.database), url: api.databaseUrl, stop }
}

function access(database: Database): Pick<LibraryApi, 'database' | 'rows' | 'insert'> {
  return {
    database,
    rows: table => database.kysely.selectFrom(table).selectAll().orderBy('id').execute() as never,
    insert: (table, rows) =>
      database.transaction(async ({ kysely }) => {
        const inserted = await kysely.insertInto(table).values(rows).returning('id').execute()
        return inserted.map(({ id }) => id as number)
      }),
  }
}

const person = (id: number, username: string, isStaff = false): Identity & { readonly id: number } =>
  Object.freeze({ isAuthenticated: true, id, username, isStaff })

/** The users who can call the API. */
export const people = { ann: person(1, 'ann'), bob: person(2, 'bob'), sue: person(3, 'sue', true) }

/** `X-User: ann` identifies Ann; an unknown name is a failed attempt. */
export const userScheme: Scheme & { challenge: string } = Object.freeze({
  name: 'user',
  challenge: 'User',
  varyOn: ['x-user'],
  authenticate(request: { headers: Record<string, unknown> }) {
    const name = request.headers['x-user']
    if (name === undefined) return skip
    return Object.hasOwn(people, name as string)
      ? success(people[name as keyof typeof people], 'a header')
      : failure('Nobody has this name.')
  },
})

/** Returns request options that identify a caller. */
export const asUser = (name: keyof typeof people | 'nobody') => ({ headers: { 'x-user': name } })

/** Returns the default error responses, but with the code and message of each error (ERR-MSG-p1). */
export const fullDetailsHandler: ExceptionHandler = (error, context) => {
  const response = exceptionHandler(error, context)
  return response && error instanceof APIException ? { ...response, body: error.fullDetails as object } : response
}

/** Requests a view that throws `raised`, and returns the response. */
export async function respondToError(raised: unknown, options: ApiOptions = {}, request: RequestOptions = {}) {
  const handlers = {
    GET: () => {
      throw raised
    },
  }
  const { client, stop } = await startApi({
    authentication: [userScheme],
    ...options,
    views: { '/raise/': { name: 'Raise', handlers } },
  })
  const response = await client.get('/raise/', request)
  await stop()
  return response
}
