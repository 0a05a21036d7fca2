// Runs once before all test files. They share one PostgreSQL server, in which each file creates its own databases, one
// built executable, one browser binary, which is unpacked only here, and a folder for temporary files.

import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import sparticuz from '@sparticuz/chromium'
import { buildProgram } from './built-program.ts'
import { createMemoryFolder } from './memory-folder.ts'
import { startPostgres, type TestPostgres } from './postgres.ts'

let server: TestPostgres | undefined

export async function globalSetup(): Promise<void> {
  // The browser stays in the system's folder for temporary files, where the next run finds it.
  process.env.TEST_CHROMIUM = await chromiumPath()
  if (process.env.TMPDIR === undefined) moveTemporaryFiles()
  const [started, program] = await Promise.all([startPostgres(), process.env.TEST_PROGRAM ?? buildProgram()])
  server = started
  process.env.TEST_POSTGRES_URL = server.url
  process.env.TEST_POSTGRES_BIN = server.bin
  process.env.TEST_PROGRAM = program
  // Processes that load the same sources share their compiled form.
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../../node_modules/.cache/tests', import.meta.url))
}

export async function globalTeardown(): Promise<void> {
  await server?.stop()
}

function moveTemporaryFiles(): void {
  const folder = createMemoryFolder()
  if (folder === undefined) return
  process.env.TMPDIR = folder
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
}

// The packaged binary is for Linux; on other systems, TEST_CHROMIUM has to name a browser.
async function chromiumPath(): Promise<string> {
  return process.env.TEST_CHROMIUM ?? (process.platform === 'linux' ? await sparticuz.executablePath() : '')
}
