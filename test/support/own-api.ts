// APIs that are created with `createApi`, as in an application, with a custom authentication scheme, on both databases.

import { after, before, suite } from 'node:test'
import Fastify, { type FastifyInstance } from 'fastify'
import {
  APIException,
  type ApiOptions,
  createApi,
  type Database,
  type ExceptionHandler,
  exceptionHandler,
  failure,
  type Identity,
  type Migrations,
  migrate,
  openDatabase,
  type Scheme,
  skip,
  success,
} from '../../src/framework/index.ts'
import { type Client, injectClient, socketClient } from './client.ts'
import { libraryMigrations } from './library.ts'
import { createDatabase, createFile } from './service.ts'

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
  /** Told of each line of the log; default: none is written. */
  readonly log?: (line: string) => void
  /** Called before the API is mounted. */
  readonly prepare?: (app: FastifyInstance) => void
}

/** Starts an API in a new Fastify application. */
export async function startApi(options: ApiOptions, start: StartOptions = {}): Promise<TestApi> {
  const { prefix, socket, trustProxy = false, prepare, log } = start
  const logger = log ? { logger: { stream: { write: log } } } : {}
  const app = Fastify({ exposeHeadRoutes: false, forceCloseConnections: true, trustProxy, ...logger })
  prepare?.(app)
  await app.register(createApi(options), prefix === undefined ? {} : { prefix })
  const client = socket ? await socketClient(app) : injectClient(app)
  return {
    client,
    app,
    async stop() {
      client.close()
      await app.close()
    },
  }
}

export interface StorageOptions extends StartOptions {
  /** The migrations; default: those of the library. */
  readonly migrations?: Migrations
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
export function onEachDatabase(
  options: (database: Database) => ApiOptions,
  define: (api: () => LibraryApi) => void,
  start: StorageOptions = {},
): void {
  const { migrations = libraryMigrations, observe } = start
  for (const [name, createStorage] of [
    ['SQLite', createFile],
    ['PostgreSQL', createDatabase],
  ] as const) {
    suite(name, () => {
      let api: LibraryApi
      before(async () => {
        const storage = await createStorage()
        const database = openDatabase(storage.url, observe && { observe })
        await migrate(database, migrations)
        const running = await startApi({ ...options(database), database }, start)
        const stop = async () => {
          await running.stop()
          await database.close()
          await storage.remove()
        }
        api = { ...running, ...access(database), url: storage.url, stop }
      })
      after(() => api?.stop())
      define(() => api)
    })
  }
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
export async function respondToError(raised: unknown, options: ApiOptions = {}) {
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
  const response = await client.get('/raise/')
  await stop()
  return response
}
