// Answers requests until the process is told to stop; then what has begun is finished.

import type { FastifyInstance } from 'fastify'
import { prepareDemo } from '../demo/demo.ts'
import { CommandError, warn } from '../run.ts'
import { createService, type Parts } from '../service.ts'
import { unsafeSettings } from '../unsafe-settings.ts'

export interface ServeOptions {
  readonly demo?: boolean
}

export async function serve(parts: Parts, { demo = false }: ServeOptions): Promise<void> {
  if (parts.settings.production) for (const warning of unsafeSettings(parts.settings)) warn(`warning: ${warning}`)
  await parts.migrate()
  const introduce = demo ? await prepareDemo(parts) : undefined
  const app = await createService(parts)
  const url = await listen(app, parts)
  const stopped = new Promise<NodeJS.Signals>(resolve => {
    process.once('SIGTERM', resolve)
    process.once('SIGINT', resolve)
  })
  if (introduce === undefined) warn(`Listening on ${url}`)
  else process.stdout.write(introduce(url))
  warn(`${await stopped}: stopping`)
  await app.close()
}

async function listen(app: FastifyInstance, { settings: { host, port } }: Parts): Promise<string> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new CommandError(`PORT: ${port} is taken by another program; choose another with --port`)
    throw error
  }
  const { port: actual } = app.server.address() as { port: number }
  return `http://${host.includes(':') ? `[${host}]` : host}:${actual}`
}
