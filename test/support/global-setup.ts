// Runs once before all test files: they share one PostgreSQL server, and each makes databases of its own in it.

import { startPostgres, type TestPostgres } from './postgres.ts'

let server: TestPostgres | undefined

export async function globalSetup(): Promise<void> {
  server = await startPostgres()
  process.env.TEST_POSTGRES_URL = server.url
}

export async function globalTeardown(): Promise<void> {
  await server?.stop()
}
