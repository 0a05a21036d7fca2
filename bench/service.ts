// The service with its default settings, with its two profiles at their default paths, and two more: one watches
// snippets, and one has rows with keys of several kinds.

import type { FastifyInstance } from 'fastify'
import { cursor, pageNumber } from 'resource-api'
import { directory } from 'resource-api/directory'
import type { Paginator } from 'resource-api/extend'
import { createService, openServices, type Profile, readSettings, type Services } from 'resource-api/service'
import { snippets } from 'resource-api/snippets'
import type { ServicesOptions } from '../src/service/services.ts'
import type { ReadySettings } from '../src/service/settings/settings.ts'
import { keyed } from './keyed.ts'
import { queried } from './queried.ts'
import { validated } from './validated.ts'
import { watching } from './watching.ts'

/** The service over this SQLite file, with these limits instead of the defaults; its `close` closes the file too. */
export function createServiceSide(
  path: string,
  snippetPagination: Paginator,
  limits: Partial<ReadySettings['limits']> = {},
): Promise<FastifyInstance> {
  const settings = settingsFor(`sqlite:${path}`, snippetPagination)
  return createSide(openServices({ ...settings, limits: { ...settings.limits, ...limits } }))
}

/** The service without an OpenAPI document. */
export const createUndescribedSide = (path: string): Promise<FastifyInstance> =>
  createSide(openServices({ ...settingsFor(`sqlite:${path}`, paginators.service), openapi: false }))

/** The service with the list of orders only, over the database at this URL; its `close` closes the database too. */
export const createQueriedSide = (url: string): Promise<FastifyInstance> => createSide(openQueriedServices(url))

async function createSide(services: Services): Promise<FastifyInstance> {
  const app = await createService(services)
  app.addHook('onClose', () => services.close())
  return app
}

/** The paginators of the snippet list, by side. */
export const paginators = {
  service: pageNumber({ pageSize: 10 }),
  'service, by cursor': cursorPages(10),
} as const satisfies Readonly<Record<string, Paginator>>

/** Cursor pagination; a cursor is valid for every page size. */
export function cursorPages(pageSize: number): Paginator {
  return cursor({ ordering: 'id', pageSize })
}

/** Opens the services with the database at this URL. */
export const openBenchServices = (databaseUrl: string): Services => openServices(settingsFor(databaseUrl))

/** The same with the profile of orders only. */
export const openQueriedServices = (databaseUrl: string, options?: ServicesOptions): Services =>
  openServices(createSettings(databaseUrl, [queried()]), options)

export const secretKey = 'a secret that is only used by the benchmark'

/** The default settings, independent of the environment. */
export const settingsFor = (databaseUrl: string, pagination?: Paginator): ReadySettings =>
  createSettings(databaseUrl, [directory(), snippets({ pagination }), watching(), keyed(), validated()])

const createSettings = (databaseUrl: string, profiles: readonly Profile[]): ReadySettings => ({
  ...readSettings({ file: { profiles, databaseUrl, logLevel: 'silent' } }),
  secretKey,
})
