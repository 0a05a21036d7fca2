// Imports programs, in a child process that the documentation's test starts: one process loads the framework only once.
// Reports each program to the parent: its port if it is a server, or the error with which it failed.

import type { AddressInfo } from 'node:net'

export interface Outcome {
  readonly file: string
  readonly port?: number
  readonly failure?: string
}

for (const file of process.argv.slice(2)) process.send!(await run(file))

async function run(file: string): Promise<Outcome> {
  try {
    const { app } = await import(file)
    return { file, ...(app && { port: (app.server.address() as AddressInfo).port }) }
  } catch (error) {
    return { file, failure: String(error instanceof Error ? error.stack : error) }
  }
}
