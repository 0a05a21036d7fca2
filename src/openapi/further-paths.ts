// Paths of a server that are not those of views, such as health checks. Plugins describe them, and the documents of the APIs
// above them contain them.

import type { FastifyInstance } from 'fastify'
import type { PathItem } from '#core'

type Server = FastifyInstance['server']

const pathsByServer = new WeakMap<Server, Map<string, PathItem>>()

/**
 * Describes a route that is not one of an API, for the OpenAPI documents of the server. Call it before Fastify is ready. `path`: on
 * the server, with parameters as in `/files/{name}`.
 */
export function describeRoute({ server }: FastifyInstance, path: string, item: PathItem): void {
  const paths = pathsByServer.get(server) ?? new Map<string, PathItem>()
  pathsByServer.set(server, paths)
  paths.set(path, item)
}

/** The described paths below a prefix, without it. */
export const listFurtherPaths = (server: Server, prefix: string): Readonly<Record<string, PathItem>> =>
  Object.fromEntries(
    [...(pathsByServer.get(server) ?? [])].flatMap(([path, item]) =>
      path.startsWith(`${prefix}/`) ? [[path.slice(prefix.length), item]] : [],
    ),
  )
