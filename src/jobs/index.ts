// Work beside requests: jobs that are stored in the database and run later, also on a schedule.

export { type EnqueueOptions, jobsTopic } from './enqueue.ts'
export { type Job, type JobContext, type JobOptions, job } from './job.ts'
export type { Mail, Mailer } from './mailer.ts'
export { neededTables } from './needed-tables.ts'
export { createJobRunner, type JobRunner, type JobRunnerOptions } from './runner.ts'
export { jobTable, jobTables } from './tables.ts'
