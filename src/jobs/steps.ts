import { type DeclaredStep, step } from '#core'

/** The steps that make the tables of jobs. */
export const jobSteps: Readonly<Record<string, DeclaredStep>> = {
  '0001_jobs': step({
    change: [
      {
        createTable: 'jobs',
        columns: {
          id: 'key',
          name: 'text',
          payload: 'json',
          state: 'text',
          priority: 'integer',
          attempts: 'integer',
          unique_name: { type: 'text', nullable: true },
          run_at: 'dateTime',
          worker: { type: 'text', nullable: true },
          locked_until: { type: 'dateTime', nullable: true },
          created_at: 'dateTime',
          ended_at: { type: 'dateTime', nullable: true },
          error: { type: 'text', nullable: true },
          result: { type: 'json', nullable: true },
        },
        indexes: {
          jobs_priority_desc_run_at_id: { columns: ['-priority', 'run_at', 'id'], where: '"state" = \'waiting\'' },
          jobs_locked_until: { columns: ['locked_until'], where: '"state" = \'running\'' },
          jobs_name_unique_name_unique: {
            columns: ['name', 'unique_name'],
            unique: true,
            where: '"state" = \'waiting\'',
          },
          jobs_ended_at: { columns: ['ended_at'] },
        },
      },
      { createTable: 'job_schedules', columns: { name: 'text', timetable: 'text', next_at: 'text' }, key: ['name'] },
    ],
  }),
}
