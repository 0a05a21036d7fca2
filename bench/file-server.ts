// One side of the comparison of transfers, as a process: `node file-server.ts <side> <folder>`. `files` is a resource with a
// file; `streams` is a route by hand in the same application, with a body that is the file itself. Both flush the file and its
// folder to the disk before they respond.

import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pipeline } from 'node:stream/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import { createApi, fastifyOptions, file, folder, migrate, openDatabase, resource } from 'resource-api'

/** The memory of the process in bytes, and its processor time in microseconds. */
export interface Usage {
  readonly memory: number
  readonly processor: number
}

const [side, path] = process.argv.slice(2) as ['files' | 'streams', string]
const maxSize = 1024 * 1024 * 1024

/** Bytes that wait for the disk or come from it at once. Transfers with Node's default of 64 KiB are slower. */
const chunkSize = 1024 * 1024

async function createFiles(prefix = ''): Promise<FastifyInstance> {
  const app = Fastify(fastifyOptions())
  const database = openDatabase(`sqlite:${join(path, 'files.db')}`)
  await migrate(database, [
    {
      owner: 'bench',
      steps: {
        async '0001_documents'(kysely, { key, json }) {
          await kysely.schema.createTable('documents').addColumn('id', key).addColumn('content', json).execute()
        },
      },
    },
  ])
  const documents = resource('documents', {
    table: 'documents',
    fields: { content: file({ store: folder(join(path, 'files')), maxSize }) },
  })
  await app.register(createApi({ database, resources: [documents] }), { prefix })
  return app
}

// The API is registered below another prefix, so that both applications have as many objects: the garbage collector runs because of
// the chunks, and takes longer the more objects there are.
async function createStreams(): Promise<FastifyInstance> {
  const app = await createFiles('/api')
  const database = new DatabaseSync(join(path, 'streams.db'))
  database.exec('pragma journal_mode = wal; create table documents (id integer primary key, path text, size integer)')
  const insert = database.prepare('insert into documents (path, size) values (?, ?) returning id')
  const select = database.prepare('select path, size from documents where id = ?')
  await app.register(async routes => {
    routes.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    routes.post('/documents/', { bodyLimit: maxSize }, async (request, reply) => {
      const target = join(path, randomUUID())
      const writing = createWriteStream(target, { flush: true, highWaterMark: chunkSize })
      await pipeline(request.body as NodeJS.ReadableStream, writing)
      await using parent = await open(path)
      await parent.sync()
      const { id } = insert.get(target, (await stat(target)).size) as { id: number }
      return reply.code(201).header('location', `/documents/${id}/`).send({ id })
    })
    routes.get<{ Params: { id: string } }>('/documents/:id/content/', (request, reply) => {
      const { path: source, size } = select.get(request.params.id) as { path: string; size: number }
      const reading = createReadStream(source, { highWaterMark: chunkSize })
      return reply.header('content-length', size).type('application/octet-stream').send(reading)
    })
  })
  return app
}

const app = side === 'files' ? await createFiles() : await createStreams()
process.send!(Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port))
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send!({ memory: process.memoryUsage.rss(), processor: user + system } satisfies Usage)
})
process.on('disconnect', () => process.exit())
