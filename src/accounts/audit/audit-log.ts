// Stores audit events in the database, where superusers can search them. Requests do not wait for this, and do not fail
// if it fails: events are written in batches, at most once a second, because each write to SQLite invalidates the
// cached counts of lists (decision 013). Events that do not fit in the queue are only in the log.

import { sql } from 'kysely'
import { type Database, formatDateTime, type MigrationStep, type OwnedMigrations } from 'resource-api'
import { compile, parameter, type SqlValue, timeSlices } from 'resource-api/extend'
import type { AuditEvent, AuditListener } from './audit.ts'

export interface AuditLogOptions {
  readonly database: Database
  /** The number of days for which events are stored. */
  readonly retention: number
  readonly clock?: () => Date
}

export interface AuditLog {
  /** Queues the event; it is written within about a second. */
  readonly record: AuditListener
  /** Writes all queued events. */
  flush(): Promise<void>
}

/** Milliseconds between two writes. */
const writeInterval = 1000
/** The maximum number of rows that one write deletes. */
const maxDeleted = 2000
/** The maximum number of queued events; further events are only in the log. */
export const maxWaitingEvents = 1000
/**
 * The maximum number of stored events. Anonymous clients cause events too, so beyond it the oldest are deleted early.
 */
export const maxStoredEvents = 1_000_000
/** The maximum length of a stored username or target; longer texts are cut. */
const maxCharacters = 500
const day = 24 * 60 * 60 * 1000

export const auditMigrations: OwnedMigrations = {
  owner: 'audit',
  steps: { '0001_audit_log': Object.assign(createTable, { formerNames: ['0007_audit_log'] }) },
}

async function createTable(...[kysely, { key, text, dateTime }]: Parameters<MigrationStep>): Promise<void> {
  await kysely.schema
    .createTable('audit_log')
    .addColumn('id', key)
    .addColumn('created', dateTime, column => column.notNull())
    .addColumn('event', text, column => column.notNull())
    .addColumn('outcome', text, column => column.notNull())
    .addColumn('user', text)
    .addColumn('address', text)
    .addColumn('target', text, column => column.notNull())
    .addColumn('status', 'integer')
    .execute()
}

/**
 * Creates the log of a database with the table of `auditMigrations`.
 *
 * @example
 * const log = createAuditLog({ database, retention: 90 })
 * const audit = createAudit(log.record)
 * app.addHook('onClose', log.flush)
 */
export function createAuditLog({ database, retention, clock = () => new Date() }: AuditLogOptions): AuditLog {
  const { insert, deleteOldest } = compileStatements(database)
  let queue: Row[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  const write = async () => {
    const rows = queue
    if (rows.length === 0) return
    queue = []
    try {
      await database.transaction(async connection => {
        for (const row of rows) await timeSlices.run(() => connection.run(insert, row))
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

  return {
    record(event) {
      if (queue.length >= maxWaitingEvents) return
      queue.push(toRow(event, clock()))
      schedule()
    },
    async flush() {
      await flush()
      stop()
    },
  }
}

type Row = Readonly<Record<(typeof columns)[number], SqlValue>>

const columns = ['created', 'event', 'outcome', 'user', 'address', 'target', 'status'] as const

function toRow({ event, outcome, user, address, target, status }: AuditEvent, moment: Date): Row {
  return {
    created: formatDateTime(moment)!,
    event,
    outcome,
    user: user === null ? null : toStorable(user),
    address,
    target: toStorable(target),
    status: status ?? null,
  }
}

// The username of a failed login may be any text; PostgreSQL rejects NUL and lone surrogates.
const toStorable = (text: string): string => text.slice(0, maxCharacters).replaceAll('\0', '\ufffd').toWellFormed()

// Ids increase with time, so the rows with the smallest ids are the oldest.
function compileStatements(database: Database) {
  const isBeyondMaximum = sql`id <= (select max(id) from audit_log) - ${sql.lit(maxStoredEvents)}`
  return {
    insert: compile(
      database,
      sql`insert into audit_log (${sql.join(columns.map(name => sql.id(name)))}) values (${sql.join(columns.map(name => parameter(name)))})`,
    ),
    deleteOldest: compile(
      database,
      sql`delete from audit_log where id in (select id from (select id, created from audit_log order by id limit ${sql.lit(maxDeleted)}) as oldest where created <= ${parameter('expired')} or ${isBeyondMaximum})`,
    ),
  }
}
