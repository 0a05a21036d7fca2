// Runs once before all test files. They share one PostgreSQL server, in which each file creates its own databases, one
// built executable, and one browser binary, which is unpacked only here.

import { fileURLToPath } from 'node:url'
import sparticuz from '@sparticuz/chromium'
import { buildProgram } from './built-program.ts'
import { startPostgres, type TestPostgres } from './postgres.ts'

let server: TestPostgres | undefined

export async function globalSetup(): Promise<void> {
  const [started, chromium, program] = await Promise.all([
    startPostgres(),
    chromiumPath(),
    process.env.TEST_PROGRAM ?? buildProgram(),
  ])
  server = started
  process.env.TEST_POSTGRES_URL = server.url
  process.env.TEST_POSTGRES_BIN = server.bin
  process.env.TEST_CHROMIUM = chromium
  process.env.TEST_PROGRAM = program
  // Each file runs in a separate process; with the compile cache, they compile shared code only once.
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../../node_modules/.cache/node', import.meta.url))
}

export async function globalTeardown(): Promise<void> {
  await server?.stop()
}

// The packaged binary is for Linux; on other systems, TEST_CHROMIUM has to name a browser.
async function chromiumPath(): Promise<string> {
  return process.env.TEST_CHROMIUM ?? (process.platform === 'linux' ? await sparticuz.executablePath() : '')
}
