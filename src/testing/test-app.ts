// Any Fastify application on a fresh database, for tests.

import type { FastifyInstance } from 'fastify'
import { type Database, openDatabase } from '#core'
import { startApp, type TestApp, type TestOptions } from './running-app.ts'
import { patientTimeouts } from './test-database.ts'

/** What an application under test can use. */
export interface TestParts {
  /** The fresh database, which is closed at the end. */
  readonly database: Database
  /** Its URL, for an application that opens it itself: `openDatabase(databaseUrl, { observe, postgres: patientTimeouts })`. */
  readonly databaseUrl: string
  /** Records the statements of a database that the application opened. */
  readonly observe: (sql: string) => void
  /** For options named `clock`, such as those of throttle stores. */
  readonly clock: () => Date
}

/**
 * Starts any Fastify application for tests. The application is closed at the end.
 *
 * @example
 * await using api = await testApp(({ database, clock }) => createShop({ database, clock }), { database: 'postgres' })
 * await api.get('/orders/').expect(200)
 */
export function testApp(
  create: (parts: TestParts) => FastifyInstance | Promise<FastifyInstance>,
  options?: TestOptions,
): Promise<TestApp> {
  return startApp(async ({ opened, ...sources }) => {
    const { databaseUrl, observe } = sources
    const database = opened.adopt(openDatabase(databaseUrl, { observe, postgres: patientTimeouts }), ({ close }) =>
      close(),
    )
    const app = opened.adopt(await create({ ...sources, database }), application => application.close())
    return { app, database }
  }, options)
}
