// A process that serves documents with files and kills itself on request: in the transaction of a write (`X-Crash: inside`),
// after its commit and before a replaced file is removed (`X-Crash: remove`), or while a file is written (`X-Crash: write`).

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import Fastify from 'fastify'
import { createApi, fastifyOptions, file, folder, openDatabase, resource, text } from 'resource-api'

const [databaseUrl, path] = process.argv.slice(2) as [string, string]
const crash = () => process.kill(process.pid, 'SIGKILL')
let wanted: unknown

const stored = folder(path)
const store = {
  ...stored,
  write: (key: string, content: AsyncIterable<Uint8Array>, options: { readonly type: string }) =>
    stored.write(key, wanted === 'write' ? crashAfterStart(content, key) : content, options),
  remove: async (key: string) => {
    if (wanted === 'remove') crash()
    await stored.remove(key)
  },
}

async function* crashAfterStart(content: AsyncIterable<Uint8Array>, key: string): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    yield chunk
    while (!hasBytes(join(path, key.slice(0, 2), key))) await setImmediate()
    crash()
  }
}

const hasBytes = (written: string): boolean => (statSync(written, { throwIfNoEntry: false })?.size ?? 0) > 0

const documents = resource('documents', {
  table: 'documents',
  fields: { title: text(), report: file({ store, nullable: true }) },
  afterSave() {
    if (wanted === 'inside') crash()
  },
})

const app = Fastify(fastifyOptions())
app.addHook('onRequest', async ({ headers }) => {
  wanted = headers['x-crash']
})
await app.register(createApi({ database: openDatabase(databaseUrl), resources: [documents] }))
process.send!(await app.listen({ port: 0 }))
