// The rows of the table `audit_log`, and the statements that write them.

import { sql } from 'kysely'
import {
  compile,
  type Database,
  formatDateTime,
  formatJson,
  type ObjectChange,
  parameter,
  type SqlValue,
  type Statement,
} from '#core'
import type { AuditEvent } from './audit.ts'

/**
 * The maximum number of stored events. Anonymous clients cause events too, so beyond it the oldest are deleted early.
 */
export const maxStoredEvents = 1_000_000
/** The maximum number of rows that one statement deletes. */
const maxDeleted = 2000
/** The maximum length of a stored username, target or name; longer texts are cut. */
const maxCharacters = 500

/** The columns of a change, which are null in the row of another event. */
const changeColumns = ['action', 'resource', 'object_table', 'object_key', 'object_name', 'changes'] as const

const columns = ['created', 'event', 'outcome', 'user', 'address', 'target', 'status', ...changeColumns] as const

export type AuditRow = Readonly<Record<(typeof columns)[number], SqlValue>>

const noChange = Object.fromEntries(changeColumns.map(name => [name, null])) as Pick<
  AuditRow,
  (typeof changeColumns)[number]
>

/** Creates the row of an event without the values of a change. */
export const createEventRow = (event: StoredEvent, moment: Date): AuditRow => ({
  ...noChange,
  created: formatDateTime(moment)!,
  event: event.event,
  outcome: event.outcome,
  user: event.user === null ? null : toStorable(event.user),
  address: event.address,
  target: toStorable(event.target),
  status: event.status ?? null,
})

type StoredEvent = Pick<AuditEvent, 'event' | 'outcome' | 'user' | 'address' | 'target' | 'status'>

/** Adds a change to the row of its event. */
export const addChange = (
  row: AuditRow,
  { action, resource, table, key, objectName, values }: ObjectChange,
): AuditRow => ({
  ...row,
  action,
  resource,
  object_table: table,
  object_key: String(key),
  object_name: objectName === null ? null : toStorable(objectName),
  changes: formatJson(values),
})

// The username of a failed login may be any text; PostgreSQL rejects NUL and lone surrogates.
const toStorable = (text: string): string => text.slice(0, maxCharacters).replaceAll('\0', '\ufffd').toWellFormed()

const jsonColumns: ReadonlySet<string> = new Set(['changes'])

export interface AuditStatements {
  /** The parameter `rows` is the result of `formatRows`. */
  readonly insert: Statement
  formatRows(rows: readonly AuditRow[]): string
  /** Deletes some of the rows that were created until `expired`, or that are too many. */
  readonly deleteOldest: Statement
}

// Ids increase with time, so the rows with the smallest ids are the oldest.
export function compileAuditStatements(database: Database): AuditStatements {
  const { dialect } = database
  const names = sql.join(columns.map(name => sql.id(name)))
  const isBeyondMaximum = sql`id <= (select max(id) from audit_log) - ${sql.lit(maxStoredEvents)}`
  return {
    insert: compile(
      database,
      () =>
        sql`insert into audit_log (${names}) select ${names} from (${dialect.records('audit_log', columns, parameter('rows'))}) as given`,
    ),
    formatRows: rows =>
      dialect.formatRecords(
        rows.map(row => columns.map(name => row[name])),
        columns,
        jsonColumns,
      ),
    deleteOldest: compile(
      database,
      sql`delete from audit_log where id in (select id from (select id, created from audit_log order by id limit ${sql.lit(maxDeleted)}) as oldest where created <= ${parameter('expired')} or ${isBeyondMaximum})`,
    ),
  }
}
