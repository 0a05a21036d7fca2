// Our side: the packaged service as it is, both profiles at their own paths.

import type { FastifyInstance } from 'fastify'
import { cursor, type Paginator, pageNumber } from '../src/framework/index.ts'
import { createService, openParts, type Parts, type ReadySettings, readSettings } from '../src/service/index.ts'

/** The service over this SQLite file; its `close` closes the file too. */
export async function createOurs(path: string, snippetPagination: Paginator): Promise<FastifyInstance> {
  const parts = openParts({ ...settingsFor(`sqlite:${path}`), snippetPagination })
  const app = await createService(parts)
  app.addHook('onClose', () => parts.close())
  return app
}

/** How each side of ours cuts the list of snippets. */
export const paginators = {
  ours: pageNumber({ pageSize: 10 }),
  'ours, by cursor': cursorPages(10),
} as const satisfies Readonly<Record<string, Paginator>>

/** The cursors of one page size serve another as well. */
export function cursorPages(pageSize: number): Paginator {
  return cursor({ ordering: 'created', pageSize })
}

/** The parts over the database of this URL. */
export const openOurs = (databaseUrl: string): Parts => openParts(settingsFor(databaseUrl))

export const secretKey = 'a secret for measurements and nothing else'

/** The defaults, whatever the environment says. */
export const settingsFor = (databaseUrl: string): ReadySettings => ({
  ...readSettings({ file: { databaseUrl, logLevel: 'silent' } }),
  secretKey,
})
