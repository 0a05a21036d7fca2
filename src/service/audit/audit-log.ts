// The audit's events in the database, so that superusers can look for them. No request waits for it, and none fails with
// it: events are written together, once a second at most, for on SQLite each write has the lists counted anew
// (decision 013). What is too much, or comes while the database is away for long, is in the log alone.

import { sql } from 'kysely'
import { compile, type Database, parameter, type SqlValue } from '../../framework/database/database.ts'
import type { Migrations } from '../../framework/database/migrate.ts'
import { formatDateTime } from '../../framework/fields/date-time.ts'
import { timeSlices } from '../../framework/time-slices.ts'
import type { Audit, AuditEvent } from './audit.ts'

export interface AuditLogOptions {
  readonly database: Database
  /** For how many days events are kept. */
  readonly retention: number
  readonly clock: () => Date
}

export interface AuditLog {
  /** Has the event written soon. */
  readonly note: Audit
  /** Writes what is waiting. */
  settle(): Promise<void>
}

const delay = 1000
const mostRemoved = 2000
/** Events that wait to be written; what comes beyond them is in the log alone. */
export const mostWaiting = 1000
/** Strangers cause events too: beyond these, the oldest go whatever their age. */
export const mostKept = 1_000_000
const mostCharacters = 500
const day = 24 * 60 * 60 * 1000

export const auditMigrations: Migrations = {
  async '0007_audit_log'(kysely, { key, text, dateTime }) {
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
  },
}

export function createAuditLog({ database, retention, clock }: AuditLogOptions): AuditLog {
  const { insert, removeOldest } = compileStatements(database)
  let waiting: Row[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  const write = async () => {
    const rows = waiting
    if (rows.length === 0) return
    waiting = []
    try {
      await database.transaction(async connection => {
        for (const row of rows) await timeSlices.run(() => connection.run(insert, row))
        const expired = formatDateTime(new Date(clock().getTime() - retention * day))!
        await timeSlices.run(() => connection.run(removeOldest, { expired }))
      })
    } catch {
      waiting = [...rows, ...waiting].slice(0, mostWaiting)
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
    timer ??= setTimeout(flush, delay).unref()
  }

  return {
    note(event) {
      if (waiting.length >= mostWaiting) return
      waiting.push(rowOf(event, clock()))
      schedule()
    },
    async settle() {
      await flush()
      stop()
    },
  }
}

type Row = Readonly<Record<(typeof columns)[number], SqlValue>>

const columns = ['created', 'event', 'outcome', 'user', 'address', 'target', 'status'] as const

function rowOf({ event, outcome, user, address, target, status }: AuditEvent, moment: Date): Row {
  return {
    created: formatDateTime(moment)!,
    event,
    outcome,
    user: user === null ? null : storable(user),
    address,
    target: storable(target),
    status: status ?? null,
  }
}

// A name that somebody tried to log in with may be any text.
const storable = (text: string): string => text.slice(0, mostCharacters).replaceAll('\0', '\ufffd').toWellFormed()

// Rows are written in the order of their keys, or nearly so: whoever looks at the first ones sees the oldest.
function compileStatements(database: Database) {
  const isTooMany = sql`id <= (select max(id) from audit_log) - ${sql.lit(mostKept)}`
  return {
    insert: compile(
      database,
      sql`insert into audit_log (${sql.join(columns.map(name => sql.id(name)))}) values (${sql.join(columns.map(name => parameter(name)))})`,
    ),
    removeOldest: compile(
      database,
      sql`delete from audit_log where id in (select id from (select id, created from audit_log order by id limit ${sql.lit(mostRemoved)}) as oldest where created <= ${parameter('expired')} or ${isTooMany})`,
    ),
  }
}
