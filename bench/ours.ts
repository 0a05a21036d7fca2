// Our side: the packaged service as it is, both profiles at their own paths.

import type { FastifyInstance } from 'fastify'
import { cursor, type Paginator, pageNumber } from '../src/framework/index.ts'
import { createService, openParts, type Parts, type ReadySettings, readSettings } from '../src/service/index.ts'

/** The service over this SQLite file; its `close` closes the file too. */
export async function createOurs(path: string, snippetPagination: Paginator): Promise<FastifyInstance> {
  const parts = openParts({ ...settingsFor(path), snippetPagination })
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

export const openOurs = (path: string): Parts => openParts(settingsFor(path))

/** The settings of both sides: the defaults, whatever the environment says. */
export const settingsFor = (path: string): ReadySettings => ({
  ...readSettings({ file: { databaseUrl: `sqlite:${path}`, logLevel: 'silent' } }),
  secretKey: 'a secret for measurements and nothing else',
})
