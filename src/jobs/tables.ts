import { choice, dateTime, integer, json, key, table, tables, text } from '#core'
import { jobSteps } from './steps.ts'

export const jobStates = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const

export const jobTable = table('jobs', {
  columns: {
    id: key(),
    name: text({ max: 100 }),
    payload: json(),
    state: choice(jobStates),
    priority: integer(),
    attempts: integer(),
    /** Names a waiting job, so that it is stored once. */
    unique_name: text({ max: 255, nullable: true }),
    /** The first time at which it may run. */
    run_at: dateTime(),
    /** The process that runs it, and the time until which it has to say that it still does. */
    worker: text({ max: 40, nullable: true }),
    locked_until: dateTime({ nullable: true }),
    created_at: dateTime(),
    ended_at: dateTime({ nullable: true }),
    error: text({ nullable: true, multiline: true }),
    result: json({ nullable: true }),
  },
  indexes: [
    { columns: ['-priority', 'run_at', 'id'], where: { state: 'waiting' } },
    { columns: ['locked_until'], where: { state: 'running' } },
    { columns: ['name', 'unique_name'], unique: true, where: { state: 'waiting' } },
    ['ended_at'],
  ],
})

const schedules = table('job_schedules', {
  key: ['name'],
  columns: { name: text({ max: 100 }), timetable: text(), next_at: text() },
})

/** The tables of jobs. */
export const jobTables = tables({ owner: 'jobs', tables: [jobTable, schedules], migrations: jobSteps })
