// Announcements tell the processes that use one database that rows were committed, such as new jobs. They carry no content and may
// get lost, so a listener reads the rows, and also reads them from time to time.

import type { Announcements, Connection, Database } from './database.ts'
import { findTransaction } from './transaction.ts'

/** How a database tells other processes, and hears from them. */
export interface AnnouncementTransport {
  /** Adds the announcement to the transaction. */
  send?(topic: string, connection: Connection): Promise<void>
  /** Calls `hear` with the topic of each commit of another process; without a topic if it may have been any. Returns a function that ends this. */
  receive(hear: (topic?: string) => void): () => Promise<void>
}

/** Creates the announcements of a database. The transport receives as long as there is a listener. */
export function createAnnouncements(
  findDatabase: () => Database,
  { send, receive }: AnnouncementTransport,
): Announcements {
  const listeners = new Map<() => void, string>()
  let stopReceiving: (() => Promise<void>) | undefined
  const hear = (topic?: string) => {
    for (const [listener, own] of listeners) if (topic === undefined || own === topic) listener()
  }
  return {
    async announce(topic, connection) {
      await send?.(topic, connection)
      findTransaction(findDatabase(), connection)?.onCommit(() => hear(topic))
    },
    listen(topic, listener) {
      // Each call has a key of its own, also if the same function listens twice.
      const call = () => listener()
      listeners.set(call, topic)
      stopReceiving ??= receive(hear)
      return async () => {
        if (!listeners.delete(call) || listeners.size > 0) return
        const stop = stopReceiving
        stopReceiving = undefined
        await stop?.()
      }
    },
  }
}
