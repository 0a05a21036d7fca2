// Starts an application with a fresh database and a clock, and sends requests to it: the base of `testApp`, `testApi` and
// `testService`.

import type { FastifyInstance } from 'fastify'
import { type Database, observeApis } from '#core'
import { checkTransport } from './checked-transport.ts'
import { createTestClient, type RequestHeaders, type TestClient } from './client.ts'
import { createTestClock, type TestClock } from './clock.ts'
import { createRecorder } from './recorder.ts'
import { checkTestOptions, createTestDatabase, type DatabaseOptions } from './test-database.ts'
import { injectTransport, listenTransport } from './transport.ts'

export interface TestOptions extends DatabaseOptions {
  /**
   * The time at the start, which then stands still: `2026-01-01T00:00:00Z`; or a function that returns the time. Default:
   * the time of the system.
   */
  readonly clock?: string | Date | (() => Date)
  /** True: requests go over a socket, on a free port of this machine. Default: in the process. */
  readonly socket?: boolean
  /**
   * False: responses are not compared with the application's OpenAPI documents. By default, a response that a document does
   * not allow rejects.
   */
  readonly checkDocument?: boolean
  /** Called with each SQL statement, from the start on. */
  readonly observe?: (sql: string) => void
}

/** An application under test. Requests of the object itself are those of a caller without an identity. */
export interface TestApp extends TestClient, AsyncDisposable {
  readonly app: FastifyInstance
  readonly database: Database
  /** For a second connection. */
  readonly databaseUrl: string
  readonly clock: TestClock
  /** `http://host:port` as the application sees it. */
  readonly origin: string
  /** A caller with cookies of its own. The header fields are sent with each request. */
  client(options?: { readonly headers?: RequestHeaders }): TestClient
  /**
   * Returns the text of each SQL statement that runs until `work` ends, such as
   * `(await api.statements(() => api.get('/orders/'))).length`.
   */
  statements(work: () => unknown): Promise<readonly string[]>
  /** Closes the application, and removes its database. */
  close(): Promise<void>
}

/** What an application is created from. */
export interface Sources {
  readonly databaseUrl: string
  readonly observe: (sql: string) => void
  readonly clock: () => Date
  /** Closes what was opened, in reverse order. */
  readonly opened: AsyncDisposableStack
}

export interface CreatedApp {
  readonly app: FastifyInstance
  readonly database: Database
  /** The URL of the application as its links show it; default: the origin of the requests. */
  readonly publicUrl?: string | undefined
  /** The `Host` of requests; default: the host to which they are sent. */
  readonly host?: string | undefined
}

/** Rejects with the error of `create`; whatever was opened until then is closed and removed. */
export async function startApp(
  create: (sources: Sources) => Promise<CreatedApp>,
  options: TestOptions = {},
): Promise<TestApp> {
  checkTestOptions(options)
  await using opened = new AsyncDisposableStack()
  const clock = createTestClock(options.clock)
  const statements = createRecorder<string>()
  const observe = (sql: string) => {
    options.observe?.(sql)
    statements.add(sql)
  }
  const storage = opened.adopt(await createTestDatabase(pickDatabaseOptions(options)), ({ remove }) => remove())
  const databaseUrl = storage.url
  const { app, database, publicUrl, host } = await create({ databaseUrl, observe, clock: clock.now, opened })
  const errors = createRecorder<unknown>()
  observeApis(app, ({ status, error }) => void (status >= 500 && errors.add(error)))
  await app.ready()
  const { socket, checkDocument = true } = options
  const listening = socket ? await listenTransport(app) : injectTransport(app)
  const opening = opened.adopt(listening, ({ close }) => close())
  const transport = checkDocument ? checkTransport(opening, app) : opening

  const lifetime = opened.move()
  const checkOpen = () => {
    if (lifetime.disposed) throw new Error('this test API is closed: send requests before close()')
  }
  const client: TestApp['client'] = ({ headers } = {}) =>
    createTestClient({ transport, publicUrl, errors, clock: clock.now, checkOpen, headers: { host, ...headers } })
  const own = client()
  const close = () => lifetime.disposeAsync()
  return {
    ...own,
    get cookies() {
      return own.cookies
    },
    app,
    database,
    databaseUrl,
    clock,
    origin: transport.origin,
    client,
    async statements(work) {
      checkOpen()
      return (await statements.record(work)).items
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

const pickDatabaseOptions = ({ database, postgresUrl }: DatabaseOptions): DatabaseOptions => ({
  ...(database !== undefined && { database }),
  ...(postgresUrl !== undefined && { postgresUrl }),
})

/** Adds methods to an application under test. */
export const extendApp = <Methods extends object>(app: TestApp, methods: Methods): TestApp & Methods =>
  Object.defineProperties({ ...methods } as TestApp & Methods, Object.getOwnPropertyDescriptors(app))
