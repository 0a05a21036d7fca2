// Takes due jobs from the database and runs them. Any number of processes may do so: the database gives each job to one of them. A
// process that stops saying that it still runs a job loses it after a minute, and the job is tried again.

import { randomUUID } from 'node:crypto'
import { type CallContext, type Database, feedTopic, formatDateTime } from '#core'
import { createAttempts, Stopping } from './attempt.ts'
import { jobsTopic } from './enqueue.ts'
import type { Job, JobContext } from './job.ts'
import { createSchedules } from './schedules.ts'
import { compileJobStatements } from './statements.ts'
import { createWakeUps } from './wake-ups.ts'

export interface JobRunnerOptions {
  readonly database: Database
  readonly jobs: readonly Job[]
  /** Creates the context in which a job calls actions. */
  readonly createContext: (job: Job) => CallContext & Pick<JobContext, 'findUser'>
  /** How many jobs run at the same time in this process; default: 10. */
  readonly concurrency?: number
  readonly clock?: () => Date
  /** Called with each failed attempt, and with an error of the database. */
  readonly onError?: (error: Error) => void
}

export interface JobRunner {
  start(): void
  /** Runs what is due, and what that enqueues, until nothing is due. */
  runDue(): Promise<void>
  /** Lets others take the jobs of processes that have ended. A started runner does so by itself. */
  releaseLost(): Promise<void>
  /** Reports the jobs that no process seems to run: they have waited for a minute, and are none of these. A started runner does so by itself. */
  reportUnknown(): Promise<void>
  /** Takes no further job, and waits for those that run. After `seconds`, they are given back, to be run by others. */
  stop(seconds: number): Promise<void>
}

/** Seconds after which a process that says nothing has lost its jobs. */
const lockTime = 60
/** Milliseconds after which a process looks for jobs even if nothing was announced. */
const interval = 1000
const hour = 3_600_000
/** How long ended jobs are kept. */
const retention = 7 * 24 * hour

/**
 * Creates the runner of jobs for an application without a service. The database needs the tables of `jobTables`.
 *
 * @example
 * const runner = createJobRunner({ database, jobs: [confirm], createContext: () => createContext(app, { user: system }) })
 * runner.start()
 * app.addHook('onClose', () => runner.stop(10))
 */
export function createJobRunner(options: JobRunnerOptions): JobRunner {
  const { database, jobs, clock = () => new Date(), onError = () => undefined } = options
  const statements = compileJobStatements(
    database,
    jobs.map(({ name }) => name),
  )
  const worker = randomUUID()
  const wakeUps = createWakeUps()
  const schedules = createSchedules(database, jobs)
  const attempts = startAttempts({ ...options, clock, onError, statements, worker, wake: wakeUps.wake })
  const after = (milliseconds: number) => formatDateTime(new Date(clock().getTime() + milliseconds))!
  const runDue = async () => {
    await schedules.enqueueDue(clock())
    const isDue = attempts.free() > 0 && (await database.latest(statements.findDue, { now: after(0) })) !== undefined
    if (!isDue) return
    const values = { now: after(0), count: attempts.free(), worker, lockedUntil: after(lockTime * 1000) }
    for (const taken of await database.write(statements.take, values)) attempts.start(taken)
  }
  const releaseLost = async () => {
    const released = await database.write(statements.release, { now: after(0) })
    if (released.length > 0) wakeUps.wake()
  }
  const reported = new Set<string>()
  const reportUnknown = async () => {
    const unknown = await database.run(statements.findUnknown, { dueBefore: after(-lockTime * 1000) })
    for (const [name] of unknown.filter(([name]) => !reported.has(name))) {
      reported.add(name)
      onError(
        new Error(
          `jobs named "${name}" wait, but no profile of this process has a job with this name: add it to "jobs"`,
        ),
      )
    }
  }
  const keep = async () => {
    if (attempts.size() > 0) await database.write(statements.keep, { worker, lockedUntil: after(lockTime * 1000) })
    await releaseLost()
  }
  let stopLoop = async () => {}
  return {
    releaseLost,
    reportUnknown,
    start() {
      const sweep = () => database.write(statements.sweep, { endedBefore: after(-retention) })
      const timers = [
        repeat((lockTime * 1000) / 4, keep, onError),
        repeat(lockTime * 1000, reportUnknown, onError),
        repeat(hour, sweep, onError),
      ]
      const topics = [jobsTopic, ...(jobs.some(job => job.isDue !== undefined) ? [feedTopic] : [])]
      const listeners = topics.map(topic => database.announcements.listen(topic, wakeUps.wake))
      const loop = startLoop(() => runDue().catch(onError), wakeUps.wait)
      stopLoop = async () => {
        for (const timer of timers) clearInterval(timer)
        loop.stop()
        wakeUps.wake()
        await loop.ended
        for (const stopListening of listeners) await stopListening()
      }
    },
    async runDue() {
      do {
        await runDue()
        await attempts.whenIdle()
      } while ((await database.latest(statements.findDue, { now: after(0) })) !== undefined)
    },
    async stop(seconds) {
      await stopLoop()
      await attempts.stop(seconds)
    },
  }
}

type StartOptions = Parameters<typeof createAttempts>[0] &
  Pick<JobRunnerOptions, 'jobs' | 'concurrency'> & { readonly wake: () => void }

/** The attempts that run in this process. */
function startAttempts({ jobs, concurrency = 10, wake, ...options }: StartOptions) {
  const byName = new Map(jobs.map(job => [job.name, job]))
  const attempt = createAttempts(options)
  const running = new Map<AbortController, Promise<void>>()
  const whenIdle = async () => void (await Promise.all(running.values()))
  return {
    size: () => running.size,
    free: () => concurrency - running.size,
    whenIdle,
    start(taken: Parameters<typeof attempt>[1]) {
      const controller = new AbortController()
      const ended = attempt(byName.get(taken[1])!, taken, controller)
        .catch(options.onError)
        .finally(() => {
          running.delete(controller)
          wake()
        })
      running.set(controller, ended)
    },
    async stop(seconds: number) {
      const abort = () => {
        for (const controller of running.keys()) controller.abort(new Stopping('The process stops.'))
      }
      const timer = setTimeout(abort, seconds * 1000)
      await whenIdle()
      clearTimeout(timer)
    },
  }
}

function startLoop(work: () => Promise<void>, wait: (milliseconds: number) => Promise<void>) {
  let isStopping = false
  const run = async () => {
    while (!isStopping) {
      await work()
      if (!isStopping) await wait(interval)
    }
  }
  return {
    ended: run(),
    stop() {
      isStopping = true
    },
  }
}

const repeat = (milliseconds: number, work: () => Promise<unknown>, onError: (error: Error) => void): NodeJS.Timeout =>
  setInterval(() => void work().catch(onError), milliseconds).unref()
