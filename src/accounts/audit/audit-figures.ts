// Figures of the stored audit events: failed logins and refused requests per day, and the last changes. Each statement reads a
// bounded part of an index, however many events there are.

import { sql } from 'kysely'
import { compile, type Database, formatDateTime, parameter, type Statement, timeSlices } from '#core'
import { createChangeObject, type StoredChange } from './object-history.ts'

/** The events of one day, which begins at midnight UTC. */
export interface DayFigures {
  /** `YYYY-MM-DD` */
  readonly day: string
  /** At most `maxDayEvents`, as all counts. */
  readonly failed_logins: number
  /** Requests with wrong credentials, without permission, or beyond a rate. */
  readonly refused_requests: number
}

/** A change, and the object that it changed. */
export interface LastChange extends StoredChange {
  readonly resource: string
  readonly object_key: string
  readonly object_name: string | null
}

export interface AuditFigures {
  /** The days until `moment`, the oldest first. */
  readDays(moment: Date): Promise<readonly DayFigures[]>
  /** The newest change is first. */
  readLastChanges(): Promise<readonly LastChange[]>
}

/** The number of days with figures. */
const dayCount = 14
/** The maximum number of counted events of one kind and day. */
export const maxDayEvents = 10_000
const changeCount = 10
const day = 24 * 60 * 60 * 1000

/** Creates the figures of a database with the table of `auditTables`. */
export function createAuditFigures(database: Database): AuditFigures {
  const { ofDay, lastChanges } = compileFigures(database)
  const readDay = async (start: Date): Promise<DayFigures> => {
    const from = formatDateTime(start)!
    const until = formatDateTime(new Date(start.getTime() + day))!
    const [row] = await timeSlices.run(() => database.run(ofDay, { from, until }))
    const [failedLogins, refusedRequests] = row!.map(Number) as [number, number]
    return { day: from.slice(0, 10), failed_logins: failedLogins, refused_requests: refusedRequests }
  }
  return {
    async readDays(moment) {
      const today = Math.floor(moment.getTime() / day) * day
      const days: DayFigures[] = []
      for (let back = dayCount - 1; back >= 0; back--) days.push(await readDay(new Date(today - back * day)))
      return days
    },
    async readLastChanges() {
      const rows = await database.run(lastChanges, {})
      return rows.map(([change]) => JSON.parse(change) as LastChange)
    },
  }
}

function compileFigures(database: Database): {
  readonly ofDay: Statement<readonly [failedLogins: number | string, refusedRequests: number | string]>
  readonly lastChanges: Statement<readonly [change: string]>
} {
  const count = (...events: readonly string[]) =>
    sql`(select count(*) from (select 1 from audit_log where outcome = 'failure' and event in (${sql.join(events.map(event => sql.lit(event)))}) and created >= ${parameter('from')} and created < ${parameter('until')} limit ${sql.lit(maxDayEvents)}) as found)`
  const change = createChangeObject(database, ['resource', 'object_key', 'object_name'])
  return {
    ofDay: compile(
      database,
      sql`select ${count('login', 'token made')}, ${count('authentication', 'permission denied', 'throttled')}`,
    ),
    lastChanges: compile(
      database,
      () =>
        sql`select ${database.dialect.text(change)} from audit_log where object_table is not null order by id desc limit ${sql.lit(changeCount)}`,
    ),
  }
}
