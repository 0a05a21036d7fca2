// One attempt at a job: it does the work within its time limit, and stores how it ended.

import { type CallContext, type Database, formatDateTime, ValidationError } from '#core'
import type { Job, JobContext } from './job.ts'
import type { JobStatements, TakenJob } from './statements.ts'

export interface AttemptOptions {
  readonly database: Database
  readonly statements: JobStatements
  /** The id of the process. */
  readonly worker: string
  readonly clock: () => Date
  readonly createContext: (job: Job) => CallContext & Pick<JobContext, 'findUser'>
  readonly onError: (error: Error) => void
}

/** Aborts attempts because the process stops: they are given back, to be run by another process. */
export class Stopping extends Error {}

/** In milliseconds. */
const [firstPause, longestPause] = [15_000, 3_600_000]
const maxErrorLength = 4000

/** Creates the function that makes an attempt. It resolves when the result is stored. */
export function createAttempts(options: AttemptOptions) {
  const { database, statements, worker, clock, createContext, onError } = options
  const format = (milliseconds: number) => formatDateTime(new Date(milliseconds))!

  const end = async (job: Job, id: number, values: { state: string; error: string | null; result: string | null }) => {
    const rows = await database.write(statements.end, { id, worker, now: format(clock().getTime()), ...values })
    if (rows.length === 0) onError(new Error(`job "${job.name}" ${id} took so long that another process runs it too`))
  }
  const postpone = (id: number, { pause, ...values }: { pause: number; error: string | null; attempts: number }) =>
    database.write(statements.postpone, { id, worker, runAt: format(clock().getTime() + pause), ...values })
  const fail = async (job: Job, id: number, attempts: number, error: unknown) => {
    const { name, retries } = job
    const message = `job "${name}" ${id} failed at attempt ${attempts}: ${error instanceof Error ? error.message : error}`
    onError(new Error(message, { cause: error }))
    const text = formatJobError(error)
    // Another attempt would get the same payload.
    if (attempts > retries || error instanceof ValidationError)
      await end(job, id, { state: 'failed', error: text, result: null })
    else await postpone(id, { pause: findPause(attempts), error: text, attempts })
  }

  return async (job: Job, [rawId, , payload, attempts]: TakenJob, controller: AbortController): Promise<void> => {
    const id = Number(rawId)
    if (attempts > job.retries + 1) return fail(job, id, attempts, new Error('The process ended during each attempt.'))
    try {
      const context = { ...createContext(job), job: { id, attempt: attempts }, signal: controller.signal }
      const given = typeof payload === 'string' ? JSON.parse(payload) : payload
      const result = await limitTime(job.timeLimit, controller, () => job.perform(given, context))
      await end(job, id, { state: 'done', error: null, result: result === undefined ? null : JSON.stringify(result) })
    } catch (error) {
      if (controller.signal.reason instanceof Stopping)
        await postpone(id, { pause: 0, error: null, attempts: attempts - 1 })
      else await fail(job, id, attempts, error)
    }
  }
}

async function limitTime<Result>(
  seconds: number,
  controller: AbortController,
  work: () => Promise<Result>,
): Promise<Result> {
  const { signal } = controller
  const timer = setTimeout(() => controller.abort(new Error(`It took longer than ${seconds} seconds.`)), seconds * 1000)
  const aborted = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => aborted.reject(signal.reason), { once: true })
  try {
    return await Promise.race([work(), aborted.promise])
  } finally {
    clearTimeout(timer)
  }
}

// Jobs that failed together should not come back together.
const findPause = (attempts: number): number =>
  Math.min(firstPause * 2 ** (attempts - 1), longestPause) * (1 + Math.random() / 4)

function formatJobError(error: unknown): string {
  if (error instanceof ValidationError) return `The payload is not valid: ${JSON.stringify(error.errors)}`
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return text.slice(0, maxErrorLength)
}
