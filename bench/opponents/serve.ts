// An opponent as a program: `serve.ts <by hand|bare> <SQLite file> <port>`.

import { enableCompileCache } from 'node:module'

enableCompileCache()
const [name, path, port] = process.argv.slice(2) as [string, string, string]
const address = { host: '127.0.0.1', port: Number(port) }
if (name === 'bare') {
  const { createBare } = await import('./bare.ts')
  createBare(path).listen(address)
} else {
  const { createByHand } = await import('./by-hand.ts')
  await createByHand(path).listen(address)
}
