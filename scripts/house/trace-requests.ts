// Runs the service of this repository in a process whose functions say when they are entered, and counts for seven requests the
// files that they enter, and how often the next function is in another file.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** The counts of one traced request. */
export interface Trace {
  readonly name: string
  readonly functions: number
  readonly files: number
  readonly changes: number
}

/** Traces the requests, each of which has run before, so that statements are compiled. */
export async function traceRequests(): Promise<readonly Trace[]> {
  const program = new URL('traced-service.ts', import.meta.url).pathname
  const hook = new URL('trace-hook.ts', import.meta.url).href
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', '--import', hook, program], {
    maxBuffer: 2 ** 24,
  })
  return JSON.parse(stdout)
}
