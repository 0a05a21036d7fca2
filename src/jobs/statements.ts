// The statements with which a process takes jobs and reports on them. Only the process that has a job may change it.

import { type Kysely, sql } from 'kysely'
import { compile, type Database, parameter, type Statement } from '#core'

/** A job that a process has taken. `payload`: an object, or its JSON if the database has no type for it. */
export type TakenJob = readonly [id: number, name: string, payload: unknown, attempts: number]

type Id = readonly [id: number]

export interface JobStatements {
  /** Whether a job is due. Parameters: now. */
  readonly findDue: Statement<Id>
  /** Takes jobs that are due. Parameters: now, count, worker, lockedUntil. */
  readonly take: Statement<TakenJob>
  /** Says that the process still runs its jobs. Parameters: worker, lockedUntil. */
  readonly keep: Statement
  /** Lets others take the jobs of processes that have ended. Parameters: now. */
  readonly release: Statement<Id>
  /** Parameters: id, worker, state, now, error, result. Returns no row if another process has taken the job meanwhile. */
  readonly end: Statement<Id>
  /** Parameters: id, worker, runAt, error, attempts. */
  readonly postpone: Statement
  /** The names of jobs that were due before `dueBefore`, and are none of these. */
  readonly findUnknown: Statement<readonly [name: string]>
  /** Deletes up to 1000 ended jobs. Parameters: endedBefore. */
  readonly sweep: Statement
}

// biome-ignore lint/suspicious/noExplicitAny: parameters stand for the values of all columns
type Tables = { jobs: Record<string, any>; due: { id: number } }

// Literals, because the planner does not match a parameter with the condition of a partial index.
const [waiting, running] = [sql.lit('waiting'), sql.lit('running')]
const unlocked = { worker: null, locked_until: null }
const maxRows = 1000

/** Compiles the statements for jobs of these names. */
export function compileJobStatements(database: Database, names: readonly string[]): JobStatements {
  const { kysely, dialect } = database
  const tables = kysely as Kysely<Tables>
  const due = tables
    .selectFrom('jobs')
    .select('id')
    .where('state', '=', waiting)
    .where('run_at', '<=', parameter('now'))
    .where('name', 'in', names)
    .orderBy('priority', 'desc')
    .orderBy('run_at')
    .orderBy('id')
  const take = tables
    .with('due', () => due.limit(parameter('count')).modifyEnd(dialect.skipLocked))
    .updateTable('jobs')
    .set(({ eb }) => ({
      state: 'running',
      attempts: eb('attempts', '+', 1),
      worker: parameter('worker'),
      locked_until: parameter('lockedUntil'),
      unique_name: null,
    }))
    .where('id', 'in', tables.selectFrom('due').select('due.id'))
    .returning(['id', 'name', 'payload', 'attempts'])
  return {
    findDue: compile(database, due.limit(1)),
    take: compile(database, take),
    findUnknown: compile(
      database,
      tables
        .selectFrom('jobs')
        .select('name')
        .distinct()
        .where('state', '=', waiting)
        .where('run_at', '<=', parameter('dueBefore'))
        .where('name', 'not in', names),
    ),
    ...compileReports(database, tables),
    ...compileUpkeep(database, tables),
  }
}

function compileReports(database: Database, tables: Kysely<Tables>): Pick<JobStatements, 'end' | 'postpone'> {
  const own = tables
    .updateTable('jobs')
    .where('id', '=', parameter('id'))
    .where('worker', '=', parameter('worker'))
    .where('state', '=', running)
  const [error, result, ended_at] = [parameter('error'), parameter('result'), parameter('now')]
  return {
    end: compile(
      database,
      own.set({ state: parameter('state'), ended_at, error, result, ...unlocked }).returning('id'),
    ),
    postpone: compile(
      database,
      own.set({
        state: 'waiting',
        run_at: parameter('runAt'),
        attempts: parameter('attempts'),
        error,
        ...unlocked,
      }),
    ),
  }
}

function compileUpkeep(database: Database, tables: Kysely<Tables>): Pick<JobStatements, 'keep' | 'release' | 'sweep'> {
  const { skipLocked } = database.dialect
  const lost = tables
    .selectFrom('jobs as lost')
    .select('lost.id')
    .where('lost.state', '=', running)
    .where('lost.locked_until', '<', parameter('now'))
    .limit(maxRows)
    .modifyEnd(skipLocked)
  const old = tables
    .selectFrom('jobs as old')
    .select('old.id')
    .where('old.ended_at', '<=', parameter('endedBefore'))
    .limit(maxRows)
    .modifyEnd(skipLocked)
  const error = 'The process that ran the job has ended.'
  return {
    keep: compile(
      database,
      tables
        .updateTable('jobs')
        .set({ locked_until: parameter('lockedUntil') })
        .where('worker', '=', parameter('worker'))
        .where('state', '=', running),
    ),
    release: compile(
      database,
      tables
        .updateTable('jobs')
        .set({ state: 'waiting', error, ...unlocked })
        .where('id', 'in', lost)
        .returning('id'),
    ),
    sweep: compile(database, tables.deleteFrom('jobs').where('id', 'in', old)),
  }
}
