// A job is work beside requests. Code enqueues it in the transaction of a write, and a process runs it later, at least once.

import {
  type CallContext,
  type Database,
  emptyContext,
  type FieldRecords,
  type Fields,
  type Identity,
  type MaybePromise,
  type OwnedMigrations,
  readFields,
  type TakenFields,
  type ValuesOf,
} from '#core'
import { type EnqueueOptions, enqueueJob } from './enqueue.ts'
import { createTimetable, type ScheduleOptions, type Timetable } from './timetable.ts'

/** What `run` gets besides the payload. It is the context for calls of actions, with all rights. */
export interface JobContext extends CallContext {
  readonly job: {
    /** The same for each attempt: services of others can recognize a repeated call by it. */
    readonly id: number
    /** 1 for the first attempt. */
    readonly attempt: number
  }
  /** Aborted when the time limit is over, or the process stops. */
  readonly signal: AbortSignal
  /** Finds an active user by the primary key. A service finds its accounts. */
  readonly findUser?: FindUser
}

/** Finds a user by the primary key; undefined if there is none, or the user may not log in. */
export type FindUser = (id: number | string) => MaybePromise<Identity | undefined>

export interface JobOptions<F extends Fields, Result = unknown> extends ScheduleOptions {
  /** The fields of the payload; default: none. */
  readonly payload?: F
  /** Does the work. What it returns is stored as JSON. If it throws or rejects, it is tried again. */
  readonly run: (payload: ValuesOf<F>, context: JobContext) => MaybePromise<Result>
  /** How often the job is tried again after a failure; default: 3. The pauses grow from 15 seconds to an hour. */
  readonly retries?: number
  /** The seconds after which an attempt counts as failed; default: 60. */
  readonly timeLimit?: number
  /** Jobs with a higher priority run first; default: 0. */
  readonly priority?: number
}

/** A declared job. */
export interface Job<F extends Fields = Fields> {
  readonly name: string
  readonly priority: number
  readonly retries: number
  /** In seconds. */
  readonly timeLimit: number
  readonly timetable: Timetable | undefined
  /** Whether there is work for which no code enqueues the job. The runner asks after each change of a table with a feed, and then does. */
  readonly isDue?: (database: Database) => Promise<boolean>
  /** The tables of its own, which a service migrates. */
  readonly tables?: OwnedMigrations
  /**
   * Stores the job, in the transaction of the context if there is one: it then runs only after the commit. Resolves to its id;
   * to null if `unique` names a job that waits already. Rejects with ValidationError if the payload is not valid.
   */
  enqueue(payload: TakenFields<FieldRecords<F>>, context: CallContext, options?: EnqueueOptions): Promise<number | null>
  /** Reads a stored payload, and does the work. */
  perform(payload: unknown, context: JobContext): Promise<unknown>
}

/**
 * Declares a job. A profile names it in its `jobs`.
 *
 * @example
 * const confirm = job('confirm', {
 *   payload: { order: integer() },
 *   retries: 5,
 *   run: ({ order }, { signal }) => sendConfirmation(order, signal),
 * })
 * const orders = resource('orders', {
 *   table: 'orders',
 *   fields: { id: key(), number: text() },
 *   afterSave: context => void confirm.enqueue({ order: context.key }, context),
 * })
 */
export function job<F extends Fields = Record<never, never>>(name: string, options: JobOptions<F>): Job<F> {
  const { payload: fields = {} as F, run, retries = 3, timeLimit = 60, priority = 0 } = options
  const place = `job "${name}"`
  if (!/^[a-z][a-z0-9_-]{0,99}$/.test(name))
    throw new Error(`${place}: the name must be lower-case letters, digits, hyphens and underscores`)
  if (typeof run !== 'function') throw new Error(`${place}: run must be a function: run(payload, context) { … }`)
  checkNumber(place, 'retries', retries, 0)
  checkNumber(place, 'timeLimit', timeLimit, 1)
  checkNumber(place, 'priority', priority, -1000)
  const timetable = createTimetable(place, options)
  if (timetable !== undefined && Object.values(fields).some(field => field.required))
    throw new Error(`${place}: nothing gives a scheduled job its payload: give each field a default`)
  const read = async (payload: unknown) =>
    readFields(fields, { kind: 'data', data: payload ?? {} }, { context: emptyContext })
  return Object.freeze<Job>({
    name,
    priority,
    retries,
    timeLimit,
    timetable,
    async enqueue(payload, context, enqueueOptions) {
      await read(payload)
      return enqueueJob({ name, priority, payload: payload ?? {} }, context, enqueueOptions)
    },
    perform: async (payload, context) => run((await read(payload)) as ValuesOf<F>, context),
  }) as unknown as Job<F>
}

function checkNumber(place: string, option: string, value: unknown, min: number): void {
  if (!Number.isSafeInteger(value) || (value as number) < min)
    throw new Error(`${place}: ${option} must be an integer of at least ${min}, not ${JSON.stringify(value)}`)
}
