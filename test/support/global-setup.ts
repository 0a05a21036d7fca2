// Runs once before all test files: they share one PostgreSQL server, in which each makes databases of its own, and the
// program of one browser, which is unpacked here, where nobody else does so.

import { fileURLToPath } from 'node:url'
import sparticuz from '@sparticuz/chromium'
import { startPostgres, type TestPostgres } from './postgres.ts'

let server: TestPostgres | undefined

export async function globalSetup(): Promise<void> {
  const [started, chromium] = await Promise.all([startPostgres(), chromiumPath()])
  server = started
  process.env.TEST_POSTGRES_URL = server.url
  process.env.TEST_POSTGRES_BIN = server.bin
  process.env.TEST_CHROMIUM = chromium
  // Each file is a process of its own: what one has compiled, the others need not.
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../../node_modules/.cache/node', import.meta.url))
}

export async function globalTeardown(): Promise<void> {
  await server?.stop()
}

// The packaged one is for Linux; elsewhere, whoever runs the tests names one.
async function chromiumPath(): Promise<string> {
  return process.env.TEST_CHROMIUM ?? (process.platform === 'linux' ? await sparticuz.executablePath() : '')
}
