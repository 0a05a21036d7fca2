// When Fastify becomes ready, the tables of feeds get their triggers.

import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Database } from '../../database/database.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import { createChangeLog } from '../feed/change-log.ts'
import { endEventStreams } from '../feed/event-stream.ts'
import { findFollowedTable } from '../feed/feed-events.ts'

const hour = 3_600_000

/** Records the changes of the tables of resources with feeds, from the start on, and deletes old ones from time to time. */
export function followWhenReady(fastify: FastifyInstance, boundResources: readonly BoundResource[]): void {
  const followed = boundResources.filter(({ resource }) => resource.feed === true)
  const [first] = followed
  if (first === undefined) return
  const { database, clock } = first
  let timer: NodeJS.Timeout | undefined
  fastify.addHook('onReady', async () => {
    await followTables(database, followed)
    const log = createChangeLog(database)
    // The next sweep may succeed.
    timer = setInterval(() => void log.sweep(clock()).catch(() => undefined), hour).unref()
  })
  // Fastify waits for open responses before it closes.
  fastify.addHook('preClose', async () => endEventStreams(fastify.server))
  fastify.addHook('onClose', async () => clearInterval(timer))
}

async function followTables(database: Database, resources: readonly BoundResource[]): Promise<void> {
  const { dialect } = database
  await database.transaction(async ({ kysely }) => {
    await dialect.lock('feeds')?.execute(kysely)
    let isNew = false
    for (const bound of resources) isNew = (await dialect.rowChanges.follow(kysely, findFollowedTable(bound))) || isNew
    // What was written before is unknown.
    if (isNew)
      await sql`insert into feed_changes (table_name, row_key, action, moment, created_at) values ('', '', 'expired', ${dialect.rowChanges.moment}, ${dialect.columns.now})`.execute(
        kysely,
      )
  })
}
