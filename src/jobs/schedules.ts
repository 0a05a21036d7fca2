// Enqueues the jobs for which there is work, and scheduled ones. Whichever process first moves the next time of a job forward enqueues
// it, so it runs once.

import { type Database, formatDateTime } from '#core'
import { insertJob } from './enqueue.ts'
import type { Job } from './job.ts'

export interface Schedules {
  /** Enqueues what is due. Resolves to the next time at which something is. */
  enqueueDue(now: Date): Promise<Date | undefined>
}

/** The jobs without a timetable are left out. */
export function createSchedules(database: Database, jobs: readonly Job[]): Schedules {
  const watched = jobs.filter(job => job.isDue !== undefined)
  const scheduled = jobs.filter(job => job.timetable !== undefined)
  const times = new Map<string, Date>()
  return {
    async enqueueDue(now) {
      for (const job of watched) if (await job.isDue!(database)) await enqueueOnce(database, job, now)
      for (const job of scheduled) {
        const known = times.get(job.name)
        if (known === undefined || known <= now) times.set(job.name, await enqueueIfDue(database, job, now))
      }
      return [...times.values()].toSorted((left, right) => left.getTime() - right.getTime())[0]
    },
  }
}

// A job that failed waits for its next attempt, and does the new work then.
async function enqueueOnce(database: Database, { name, priority }: Job, now: Date): Promise<void> {
  const waiting = database.kysely
    .selectFrom('jobs')
    .select('id')
    .where('name', '=', name)
    .where('state', '=', 'waiting')
  if ((await waiting.executeTakeFirst()) !== undefined) return
  await database.transaction(connection =>
    insertJob(database, connection, { name, payload: {}, priority, now }, { unique: 'due' }),
  )
}

/** Resolves to the next time. */
async function enqueueIfDue(database: Database, job: Job, now: Date): Promise<Date> {
  const { name } = job
  const { text: timetable, next } = job.timetable!
  const next_at = formatDateTime(next(now))!
  return database.transaction(async connection => {
    const table = connection.kysely
    const row: { timetable: string; next_at: string } | undefined = await table
      .selectFrom('job_schedules')
      .select(['timetable', 'next_at'])
      .where('name', '=', name)
      .executeTakeFirst()
    if (row === undefined) {
      await table
        .insertInto('job_schedules')
        .values({ name, timetable, next_at })
        .onConflict(conflict => conflict.column('name').doNothing())
        .execute()
      return new Date(next_at)
    }
    const isDue = row.timetable === timetable && new Date(row.next_at) <= now
    if (row.timetable === timetable && !isDue) return new Date(row.next_at)
    const moved = await table
      .updateTable('job_schedules')
      .set({ timetable, next_at })
      .where('name', '=', name)
      .where('timetable', '=', row.timetable)
      .where('next_at', '=', row.next_at)
      .returning('name')
      .executeTakeFirst()
    if (isDue && moved !== undefined)
      await insertJob(database, connection, { name, payload: {}, priority: job.priority, now }, {})
    return new Date(next_at)
  })
}
