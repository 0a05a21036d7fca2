// A Fastify application with a fresh database and a clock, for tests: the base of `testApi` and `testService`.

import type { FastifyInstance } from 'fastify'
import { type Database, openDatabase } from 'resource-api'
import { observeApis } from 'resource-api/extend'
import { createTestClient, type RequestHeaders, type TestClient } from './client.ts'
import { createTestClock, type TestClock } from './clock.ts'
import { createRecorder } from './recorder.ts'
import { createTestDatabase, type DatabaseOptions } from './test-database.ts'
import { injectTransport, listenTransport } from './transport.ts'

export interface TestOptions extends DatabaseOptions {
  /** The time at the start, which then stands still: `2026-01-01T00:00:00Z`. Default: the time of the system. */
  readonly clock?: string | Date
  /** True: requests go over a socket, on a free port of this machine. Default: in the process. */
  readonly socket?: boolean
}

/** What an application can use. */
export interface TestParts {
  /** The fresh database, which is closed at the end. */
  readonly database: Database
  /** Its URL, for an application that opens it itself: `openDatabase(databaseUrl, { observe })`. */
  readonly databaseUrl: string
  /** Records the statements of a database that the application opened. */
  readonly observe: (sql: string) => void
  /** For options named `clock`, of throttle stores for example. */
  readonly clock: () => Date
}

/** An application under test. Its own requests have no identity. */
export interface TestApp extends TestClient, AsyncDisposable {
  readonly app: FastifyInstance
  readonly database: Database
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

/**
 * Starts any Fastify application for tests. The application is closed at the end.
 *
 * @example
 * await using api = await testApp(({ database, clock }) => createShop({ database, clock }), { database: 'postgres' })
 * await api.get('/orders/').expect(200)
 */
export async function testApp(
  create: (parts: TestParts) => FastifyInstance | Promise<FastifyInstance>,
  options: TestOptions = {},
): Promise<TestApp> {
  // If the application does not start, whatever was opened before is removed.
  await using opened = new AsyncDisposableStack()
  const clock = createTestClock(options.clock)
  const { add, record } = createRecorder<string>()
  const storage = opened.adopt(await createTestDatabase(options), ({ remove }) => remove())
  const database = opened.adopt(openDatabase(storage.url, { observe: add }), ({ close }) => close())
  const app = opened.adopt(
    await create({ database, databaseUrl: storage.url, observe: add, clock: clock.now }),
    application => application.close(),
  )
  const errors = createRecorder<unknown>()
  observeApis(app, ({ status, error }) => void (status >= 500 && errors.add(error)))
  await app.ready()
  const transport = opened.adopt(options.socket ? await listenTransport(app) : injectTransport(app), ({ close }) =>
    close(),
  )

  const lifetime = opened.move()
  const checkOpen = () => {
    if (lifetime.disposed) throw new Error('this test API is closed: send requests before close()')
  }
  const client: TestApp['client'] = ({ headers } = {}) =>
    createTestClient({ transport, errors, clock: clock.now, checkOpen, ...(headers && { headers }) })
  const own = client()
  const close = () => lifetime.disposeAsync()
  return {
    ...own,
    get cookies() {
      return own.cookies
    },
    app,
    database,
    clock,
    origin: transport.origin,
    client,
    async statements(work) {
      checkOpen()
      return (await record(work)).items
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
