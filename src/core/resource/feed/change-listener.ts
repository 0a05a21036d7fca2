// Lets the open feeds of a database wait for changes together: one question to the database answers all of them.

import type { Database } from '../../database/database.ts'
import { type Changes, createChangeLog, feedTopic, formatPosition, isAfter, type Position } from './change-log.ts'

/** Milliseconds after which the log is read even if nothing was announced. */
const interval = 1000
/** The same while a change waits for an earlier transaction. */
const shortInterval = 50

export interface ChangeListener extends Pick<ReturnType<typeof createChangeLog>, 'findEnd' | 'read' | 'sweep'> {
  /** As `read`; feeds at the same position share one read. */
  readTogether(table: string, after: Position): Promise<Changes | undefined>
  /** Keeps the listener awake until the returned function is called. */
  open(): () => void
  /** Resolves at the next change, at once if there are changes after the position. After this time, or when the signal aborts, it resolves to false. */
  wait(after: Position, milliseconds: number, signal: AbortSignal): Promise<boolean>
}

const listeners = new WeakMap<object, ChangeListener>()

/** The listener of a database, which all its feeds share. */
export function findChangeListener(database: Database): ChangeListener {
  const found = listeners.get(database.catalogue) ?? createChangeListener(database)
  listeners.set(database.catalogue, found)
  return found
}

function createChangeListener(database: Database): ChangeListener {
  const log = createChangeLog(database)
  const reads = new Map<string, Promise<Changes | undefined>>()
  const waiting = new Set<() => void>()
  let end: Position | undefined
  let openFeeds = 0
  let stop = () => {}
  const look = async () => {
    const found = await log.findEnd()
    if (end !== undefined && !isAfter(found.end, end)) return found.isUnsettled
    end = found.end
    reads.clear()
    for (const wake of [...waiting]) wake()
    return found.isUnsettled
  }
  return {
    ...log,
    readTogether(table, after) {
      const key = `${formatPosition(after)} ${table}`
      const reading = reads.get(key) ?? log.read(table, after)
      reads.set(key, reading)
      reading.catch(() => reads.delete(key))
      return reading
    },
    open() {
      if (openFeeds++ === 0) stop = listen(database, look)
      return () => {
        if (--openFeeds > 0) return
        stop()
        reads.clear()
        end = undefined
      }
    },
    async wait(after, milliseconds, signal) {
      if (signal.aborted) return false
      if (end !== undefined && isAfter(end, after)) return true
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const wake = () => resolve(true)
      const give = () => resolve(false)
      const timer = setTimeout(give, milliseconds)
      waiting.add(wake)
      signal.addEventListener('abort', give)
      const isWoken = await promise
      waiting.delete(wake)
      signal.removeEventListener('abort', give)
      clearTimeout(timer)
      return isWoken
    },
  }
}

/** Calls `look` at each announcement, and from time to time. Returns a function that ends this. */
function listen(database: Database, look: () => Promise<boolean>): () => void {
  let isStopped = false
  let isLooking = false
  let isAnnounced = false
  let timer: NodeJS.Timeout | undefined
  const run = async () => {
    if (isLooking) {
      isAnnounced = true
      return
    }
    isLooking = true
    clearTimeout(timer)
    let pause = interval
    do {
      isAnnounced = false
      // The next look may succeed.
      pause = (await look().catch(() => false)) ? shortInterval : interval
    } while (isAnnounced && !isStopped)
    isLooking = false
    if (!isStopped) timer = setTimeout(run, pause).unref()
  }
  const stopListening = database.announcements.listen(feedTopic, () => void run())
  void run()
  return () => {
    isStopped = true
    clearTimeout(timer)
    void stopListening()
  }
}
