// An API of the framework on a fresh database, for tests. Its callers are users of the application's own type.

import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import { type AnonymousOption, type ApiOptions, createApi } from '#api'
import { defaultSchemes, fastifyOptions, type Identity, type Migrations, migrate, type OwnedMigrations } from '#core'
import type { TestClient } from './client.ts'
import {
  addCallersToResource,
  addCallersToView,
  addCallersToViews,
  createIdentifiedCallers,
  type IdentifiedCallers,
} from './identified-callers.ts'
import { extendApp, type TestApp, type TestOptions } from './running-app.ts'
import { type TestParts, testApp } from './test-app.ts'

/** The options of `createApi`, and the migrations that create its tables. */
export interface TestedApi<User extends Identity = Identity> extends Omit<ApiOptions<User>, 'migrations'> {
  /** The steps of the application, or of several owners. */
  readonly migrations?: Migrations | readonly OwnedMigrations[]
  /** The declared tables of the application. Their steps run before `migrations`. */
  readonly tables?: OwnedMigrations
}

export interface TestApiOptions extends TestOptions {
  /** Where the API is mounted, such as `/api`. The paths of requests include it. Default: at the root. */
  readonly prefix?: string
  /** Options of the Fastify server, such as `{ logger: true }`. */
  readonly fastify?: FastifyServerOptions
  /** Called before the API is mounted, to add plugins. */
  readonly prepare?: (app: FastifyInstance) => void
}

/** An API under test, whose callers are of the type `User`. Its own requests are anonymous. */
export interface TestApi<User extends Identity = Identity> extends TestApp {
  /** Sends requests as this user, whatever schemes the API has. Returns the same client, with its cookies, each time. */
  as(user: User): TestClient
}

type Declaration<User extends Identity> = TestedApi<NoInfer<User>> & AnonymousOption<User>

/**
 * Starts an API for tests. If the declaration needs the database or the clock, pass a function.
 *
 * @example
 * await using api = await testApi({ resources: [orders], migrations }, { database: 'postgres' })
 * const ada = { isAuthenticated: true, id: 1, username: 'ada', isStaff: false }
 * await api.as(ada).post('/orders/', { number: '1' }).expect(201)
 *
 * @example
 * const api = await testApi(
 *   ({ clock }) => ({ views, throttles: [anonThrottle({ rates: '2/day', store: memoryStore({ clock }) })] }),
 *   { clock: '2026-01-01T00:00:00Z' },
 * )
 */
export async function testApi<User extends Identity = Identity>(
  declaration: Declaration<User> | ((parts: TestParts) => Declaration<User>),
  options: TestApiOptions = {},
): Promise<TestApi<User>> {
  const callers = createIdentifiedCallers<User>()
  let identifiesCallers = true
  const create = async (parts: TestParts) => {
    const declared = typeof declaration === 'function' ? declaration(parts) : declaration
    identifiesCallers = declared.authentication?.length !== 0
    // As in `createApi`, the type of the declaration ensures that its callers are of the type User.
    return start(declared as unknown as TestedApi, parts, callers, options)
  }
  const started = await testApp(create, options)
  const clients = new Map<User, TestClient>()
  const as = (user: User) => {
    checkUser(user)
    if (!identifiesCallers)
      throw new Error('api.as() has no effect on an API with `authentication: []`: remove it, or give it schemes')
    const client = clients.get(user) ?? started.client({ headers: callers.identify(user) })
    clients.set(user, client)
    return client
  }
  return extendApp(started, { as })
}

type Callers = Pick<IdentifiedCallers<never>, 'addTo' | 'scheme'>

async function start(
  { migrations, tables, ...declared }: TestedApi,
  parts: TestParts,
  callers: Callers,
  { prefix, fastify, prepare }: TestApiOptions,
): Promise<FastifyInstance> {
  const { database, clock } = parts
  checkDeclaration(declared, parts)
  await migrate(database, [...(tables ? [tables] : []), ...listOwners(migrations)])
  const app = Fastify(fastifyOptions({ forceCloseConnections: true, pluginTimeout: 300_000, ...fastify }))
  prepare?.(app)
  const api = createApi({ ...declared, ...addCallers(declared, callers), database, clock })
  await app.register(api, prefix === undefined ? {} : { prefix })
  return app
}

function listOwners(migrations: TestedApi['migrations'] = []): readonly OwnedMigrations[] {
  if (isList(migrations)) return migrations
  // Node runs TypeScript without checking types.
  if (typeof migrations.owner === 'string')
    throw new Error(
      `testApi(): \`migrations\` is the owner "${migrations.owner}": write a list of owners, migrations: [${migrations.owner}], or tables: ${migrations.owner} for declared tables`,
    )
  return [{ owner: 'application', steps: migrations }]
}

const isList = (migrations: object): migrations is readonly OwnedMigrations[] => Array.isArray(migrations)

function addCallers(
  { authentication, accounts, resources, views, root }: ApiOptions,
  callers: Callers,
): Pick<ApiOptions, 'authentication' | 'resources' | 'views' | 'root'> {
  const { addTo, scheme } = callers
  const schemes = authentication ?? (accounts && defaultSchemes(accounts))
  return {
    authentication: schemes === undefined ? [scheme] : addTo(schemes),
    ...(resources && { resources: resources.map(resource => addCallersToResource(resource, callers)) }),
    ...(views && { views: addCallersToViews(views, callers) }),
    ...(root && { root: addCallersToView(root, callers) }),
  }
}

function checkDeclaration(declared: Pick<ApiOptions, 'database' | 'clock'>, parts: TestParts): void {
  if (declared.database !== undefined && declared.database !== parts.database)
    throw new Error(
      "testApi() opens a new database for each API: remove `database` from the first argument, choose its kind in the second ({ database: 'sqlite' }), and if the declaration needs it, pass a function: testApi(({ database }) => ({ … }))",
    )
  if (declared.clock !== undefined && declared.clock !== parts.clock)
    throw new Error(
      "testApi() sets the clock: remove `clock` from the first argument, and set the time in the second ({ clock: '2026-01-01T00:00:00Z' })",
    )
}

function checkUser(user: Identity | null | undefined): void {
  if (typeof user === 'object' && user !== null && typeof user.isAuthenticated === 'boolean') return
  throw new TypeError(
    `api.as() needs a user such as { isAuthenticated: true, id: 1, username: 'ada', isStaff: false }, not ${formatWrongUser(user)}`,
  )
}

const formatWrongUser = (user: unknown): string =>
  user instanceof Promise ? 'a promise: await it first' : (JSON.stringify(user) ?? String(user))
