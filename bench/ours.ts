// Our side: the packaged service as it is, both profiles at their own paths.

import type { FastifyInstance } from 'fastify'
import { createService, openParts, type Parts, type ReadySettings, readSettings } from '../src/service/index.ts'

/** The service over this SQLite file; its `close` closes the file too. */
export async function createOurs(path: string): Promise<FastifyInstance> {
  const parts = openOurs(path)
  const app = await createService(parts)
  app.addHook('onClose', () => parts.close())
  return app
}

export const openOurs = (path: string): Parts => openParts(settingsFor(path))

/** The settings of both sides: the defaults, whatever the environment says. */
export const settingsFor = (path: string): ReadySettings => ({
  ...readSettings({ file: { databaseUrl: `sqlite:${path}`, logLevel: 'warn' } }),
  secretKey: 'a secret for measurements and nothing else',
})
