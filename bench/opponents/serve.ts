// Runs an opponent: `serve.ts <hand-written|bare> <SQLite file> <port>`.

import { enableCompileCache } from 'node:module'

enableCompileCache()
const [name, path, port] = process.argv.slice(2) as [string, string, string]
const address = { host: '127.0.0.1', port: Number(port) }
if (name === 'bare') {
  const { createBare } = await import('./bare.ts')
  createBare(path).listen(address)
} else {
  const { createHandWritten } = await import('./hand-written.ts')
  await createHandWritten(path).listen(address)
}
