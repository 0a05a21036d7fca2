// Figures of the stored audit events: failed logins and refused requests per day, and the last changes. Each statement reads a
// bounded part of an index, however many events there are.

import { sql } from 'kysely'
import { compile, type Database, formatDateTime, parameter, type Statement, timeSlices } from '#core'
import { createStoredChanges, type LastChange, shortenChange } from './object-history.ts'

/** The events of one day, which begins at midnight UTC. */
export interface DayFigures {
  /** `YYYY-MM-DD` */
  readonly day: string
  /** At most `maxDayEvents`, as all counts. */
  readonly failed_logins: number
  /** Requests with wrong credentials, without permission, or beyond a rate. */
  readonly refused_requests: number
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
const changeCount = 60
const day = 24 * 60 * 60 * 1000

/** Creates the figures of a database with the table of `auditTables`. */
export function createAuditFigures(database: Database): AuditFigures {
  const ofDay = compileDay(database)
  const stored = createStoredChanges(database)
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
      return (await stored.read({ limit: changeCount })).map(shortenChange)
    },
  }
}

function compileDay(
  database: Database,
): Statement<readonly [failedLogins: number | string, refusedRequests: number | string]> {
  const count = (...events: readonly string[]) =>
    sql`(select count(*) from (select 1 from audit_log where outcome = 'failure' and event in (${sql.join(events.map(event => sql.lit(event)))}) and created >= ${parameter('from')} and created < ${parameter('until')} limit ${sql.lit(maxDayEvents)}) as found)`
  return compile(
    database,
    sql`select ${count('login', 'token made')}, ${count('authentication', 'permission denied', 'throttled')}`,
  )
}
