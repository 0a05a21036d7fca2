// A connection of its own listens, because those of the pool serve other callers. A pooler in transaction mode passes no
// announcements on, so listeners hear only those of their own process then.

import { sql } from 'kysely'
import type { AnnouncementTransport } from '../announcements.ts'
import type { PoolOptions } from './pool-options.ts'
import { loadDriver, type PostgresPool } from './postgres-pool.ts'

const channel = 'resource_api'
/** Milliseconds before a lost connection is opened again. */
const pause = 1000

/** Sends announcements with the commit, and hears those of all processes. */
export const createPostgresTransport = (
  pool: Pick<PostgresPool, 'report'>,
  { url, pooler }: PoolOptions,
): AnnouncementTransport => ({
  async send(topic, { kysely }) {
    await sql`select pg_notify(${channel}, ${topic})`.execute(kysely)
  },
  receive: hear => (pooler === 'transaction' ? async () => undefined : receive(pool, url, hear)),
})

function receive(
  { report }: Pick<PostgresPool, 'report'>,
  url: string,
  hear: (topic?: string) => void,
): () => Promise<void> {
  const { Client } = loadDriver()
  const stopped = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let connected: Promise<void> = Promise.resolve()
  const connect = async () => {
    const client = new Client({ connectionString: url, keepAlive: true, application_name: 'resource-api listener' })
    let isLost = false
    const retry = (error: Error) => {
      if (isLost || stopped.signal.aborted) return
      isLost = true
      report(error)
      timer = setTimeout(open, pause).unref()
    }
    client.on('error', retry)
    client.on('end', () => retry(new Error('the connection that listens for announcements was closed')))
    client.on('notification', ({ payload }) => hear(payload))
    stopped.signal.addEventListener('abort', () => void client.end().catch(() => undefined))
    try {
      await client.connect()
      await client.query(`listen ${channel}`)
      // What was announced before is unknown.
      hear()
    } catch (error) {
      retry(error as Error)
      await client.end().catch(() => undefined)
    }
  }
  const open = () => {
    connected = connect()
  }
  open()
  return async () => {
    stopped.abort()
    clearTimeout(timer)
    await connected
  }
}
