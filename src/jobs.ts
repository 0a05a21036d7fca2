// The public door 'resource-api/jobs': work beside requests.

export type { EnqueueOptions } from './jobs/enqueue.ts'
export { type Job, type JobContext, job } from './jobs/job.ts'
export { createMailer, type Mail, type Mailer } from './jobs/mailer.ts'
export { createJobRunner, type JobRunner } from './jobs/runner.ts'
export { jobTables } from './jobs/tables.ts'
export { createWebhooks } from './jobs/webhooks/webhooks.ts'
