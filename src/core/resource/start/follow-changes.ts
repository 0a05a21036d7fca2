// When Fastify becomes ready, the tables of feeds get their triggers.

import type { FastifyInstance } from 'fastify'
import { followTables } from '../../database/row-changes.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
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
