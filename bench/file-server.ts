// One side of the comparison of transfers, as a process: `node file-server.ts <side> <folder>`. `files` is a resource with a
// file; `streams` does the same by hand, as far as a client sees it, with a body that is the file itself. Both flush the file
// and its folder to the disk before they respond.

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

async function createFiles(): Promise<FastifyInstance> {
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
  await app.register(createApi({ database, resources: [documents] }))
  return app
}

function createStreams(): FastifyInstance {
  const app = Fastify({ bodyLimit: maxSize })
  const database = new DatabaseSync(join(path, 'streams.db'))
  database.exec('pragma journal_mode = wal; create table documents (id integer primary key, path text, size integer)')
  const insert = database.prepare('insert into documents (path, size) values (?, ?) returning id')
  const select = database.prepare('select path, size from documents where id = ?')
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
  app.post('/documents/', async (request, reply) => {
    const target = join(path, randomUUID())
    await pipeline(request.body as NodeJS.ReadableStream, createWriteStream(target, { flush: true }))
    await using parent = await open(path)
    await parent.sync()
    const { id } = insert.get(target, (await stat(target)).size) as { id: number }
    return reply.code(201).header('location', `/documents/${id}/`).send({ id })
  })
  app.get<{ Params: { id: string } }>('/documents/:id/content/', (request, reply) => {
    const { path: source, size } = select.get(request.params.id) as { path: string; size: number }
    return reply.header('content-length', size).type('application/octet-stream').send(createReadStream(source))
  })
  return app
}

const app = side === 'files' ? await createFiles() : createStreams()
process.send!(Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port))
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send!({ memory: process.memoryUsage.rss(), processor: user + system } satisfies Usage)
})
process.on('disconnect', () => process.exit())
