// The tables of feeds get their triggers by `migrate`, or when Fastify becomes ready.

import type { FastifyInstance } from 'fastify'
import type { Database } from '../../database/database.ts'
import { followTables } from '../../database/row-changes.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import type { Resource } from '../declare/resource.ts'
import { findChangeListener } from '../feed/change-listener.ts'
import { endEventStreams } from '../feed/event-stream.ts'
import { findFollowedTable } from '../sql/feed.ts'

const hour = 3_600_000

/** Records the changes of the tables of resources with feeds, from the start on, and deletes old ones from time to time. */
export function followWhenReady(fastify: FastifyInstance, boundResources: readonly BoundResource[]): void {
  const followed = boundResources.filter(({ resource }) => resource.feed === true)
  const [first] = followed
  if (first === undefined) return
  const { database, clock } = first
  let timer: NodeJS.Timeout | undefined
  fastify.addHook('onReady', async () => {
    await followTables(database, followed.map(findFollowedTable))
    // The next sweep may succeed.
    timer = setInterval(
      () =>
        void findChangeListener(database)
          .sweep(clock())
          .catch(() => undefined),
      hour,
    ).unref()
  })
  // Fastify waits for open responses before it closes.
  fastify.addHook('preClose', async () => endEventStreams(fastify.server))
  fastify.addHook('onClose', async () => clearInterval(timer))
}

/** Creates the missing triggers now, by a role that owns the tables: the role of the service may have fewer rights. */
export async function followResources(database: Database, resources: readonly Resource[]): Promise<void> {
  const followed = resources.filter(({ feed }) => feed === true)
  if (followed.length === 0) return
  const tables = await database.catalogue.tables(followed.map(({ table }) => table))
  const existing = followed.filter(({ table }) => tables.has(table))
  await followTables(
    database,
    existing.map(resource => findFollowedTable({ resource, tables })),
  )
}
