// Stores audit events in the database, where superusers can search them. A change of an object is stored in the transaction of
// its write, with the old and new values (decision 082). The response to another successful request waits until its event is
// stored. Refused requests do not wait: their events are written in batches, at most once a second, because each write to SQLite
// invalidates the cached counts of lists (decisions 013 and 018). Events that do not fit in the queue are only in the log.

import { type Database, formatDateTime, type RecordChanges, type RecordedWrite, timeSlices } from '#core'
import { type AuditListener, findChangeEvent, findUsername } from './audit.ts'
import { type AuditRow, addChange, compileAuditStatements, createEventRow } from './audit-rows.ts'

export interface AuditLogOptions {
  readonly database: Database
  /** The number of days for which events are stored. */
  readonly retention: number
  readonly clock?: () => Date
}

export interface AuditLog {
  /** Queues the event. Returns a promise of its storage for a success; a failure is written within about a second. */
  readonly record: AuditListener
  /** Stores the changes of a write in its transaction: the option `recordChanges` of `createApi`. */
  readonly recordChanges: RecordChanges
  /** Writes all queued events. */
  flush(): Promise<void>
}

/** Milliseconds between two writes. */
const writeInterval = 1000
/** The maximum number of queued events; further events are only in the log. */
export const maxWaitingEvents = 1000
const day = 24 * 60 * 60 * 1000

/**
 * Creates the log of a database with the table of `auditTables`.
 *
 * @example
 * const log = createAuditLog({ database, retention: 90 })
 * const audit = createAudit(log.record)
 * const options = { observe: audit.observe, recordChanges: log.recordChanges }
 * app.addHook('onClose', log.flush)
 */
export function createAuditLog({ database, retention, clock = () => new Date() }: AuditLogOptions): AuditLog {
  const { insert, formatRows, deleteOldest } = compileAuditStatements(database)
  let queue: AuditRow[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  // Changes are stored in their own transactions, but they too make the table exceed its maximum.
  let hasNewRows = false

  const write = async () => {
    const rows = queue
    if (rows.length === 0 && !hasNewRows) return
    queue = []
    hasNewRows = false
    try {
      await database.transaction(async connection => {
        if (rows.length > 0) await timeSlices.run(() => connection.run(insert, { rows: formatRows(rows) }))
        const expired = formatDateTime(new Date(clock().getTime() - retention * day))!
        await timeSlices.run(() => connection.run(deleteOldest, { expired }))
      })
    } catch {
      queue = [...rows, ...queue].slice(0, maxWaitingEvents)
      schedule()
    }
  }
  const stop = () => {
    clearTimeout(timer)
    timer = undefined
  }
  const flush = () => {
    stop()
    writing = writing.then(write)
    return writing
  }
  const schedule = () => {
    timer ??= setTimeout(flush, writeInterval).unref()
  }

  const recordChanges = async ({ user, request, method, path, auditEvent, connection, changes }: RecordedWrite) => {
    const event = findChangeEvent(method, auditEvent)
    if (event === undefined) return
    const row = createEventRow(
      {
        event,
        outcome: 'success',
        user: findUsername(user),
        address: request?.ip ?? null,
        target: `${method} ${path}`,
      },
      clock(),
    )
    await connection.run(insert, { rows: formatRows(changes.map(change => addChange(row, change))) })
    hasNewRows = true
    schedule()
  }

  return {
    record(event) {
      if (event.isStored || queue.length >= maxWaitingEvents) return
      queue.push(createEventRow(event, clock()))
      if (event.outcome === 'success') return flush()
      schedule()
    },
    recordChanges: Object.assign(recordChanges, { isBrief: true }),
    async flush() {
      await flush()
      stop()
    },
  }
}
