// Runs steps on SQLite, and checks after each that it lost nothing: SQLite removes the indexes and triggers of a table that is
// dropped, and while foreign keys are off, it accepts rows that refer to nothing (decision 090).

import { constants, type DatabaseSync } from 'node:sqlite'
import { dropRowChanges } from '../sqlite-row-changes.ts'
import { describeDamage, type StepTrace } from './sqlite-damage.ts'
import { withLegacyRename } from './sqlite-settings.ts'
import { type DatabaseState, readObjects, readState, type SchemaObject, toKey } from './sqlite-state.ts'

/** Runs the steps of one transaction. */
export interface StepRunner {
  /** Rejects with the error of the step, or with an Error that describes what the step damaged. */
  runStep<Result>(step: () => Promise<Result>): Promise<Result>
  /** Runs a statement of a step. */
  runStatement<Result>(run: () => Result): Result
}

/** Creates the runner for a transaction on a connection that `StepSettings` has prepared. */
export function createStepRunner(handle: DatabaseSync): StepRunner {
  let running: RunningStep | undefined
  /** The counts after the last step that could change them. */
  let counts: DatabaseState['counts'] | undefined
  return {
    async runStep(step) {
      dropRowChanges(handle)
      const current: RunningStep = { trace: createTrace(), before: undefined }
      running = current
      handle.setAuthorizer((action, name, table) =>
        observe(current.trace, action, toKey(name ?? ''), toKey(table ?? '')),
      )
      let result: Awaited<ReturnType<typeof step>>
      try {
        result = await step()
      } finally {
        running = undefined
        handle.setAuthorizer(null)
        handle.exec('pragma legacy_alter_table = 0')
      }
      if (current.before !== undefined) counts = checkStep(handle, current.before, current.trace)
      return result
    },
    runStatement(run) {
      if (running === undefined) return run()
      const { trace } = running
      // The authorizer has seen the statement when it was prepared. Most steps only create tables and indexes.
      if (trace.mayDamage) running.before ??= readState(handle, counts)
      try {
        return run()
      } catch (error) {
        if (trace.hasEndedTransaction) {
          trace.hasEndedTransaction = false
          throw new Error(endAdvice, { cause: error })
        }
        if (!isRenameOfRebuilt(error, trace)) throw error
        return withLegacyRename(handle, run)
      }
    },
  }
}

interface RunningStep {
  readonly trace: WritableTrace
  /** The state before the first statement that may damage something. */
  before: DatabaseState | undefined
}

// Repairs what SQLite removes with a table. Throws if the step damaged something; otherwise returns the counts.
function checkStep(handle: DatabaseSync, before: DatabaseState, trace: WritableTrace): DatabaseState['counts'] {
  if (trace.dropped.size > 0) {
    restoreObjects(handle, before, trace)
    restoreLastKeys(handle, before)
  }
  const after = readState(handle)
  const damage = describeDamage(before, after, trace)
  if (damage !== undefined) throw new Error(damage)
  return after.counts
}

const endAdvice =
  'a step cannot begin, commit or roll back a transaction, because it runs in one: remove that statement'

interface WritableTrace extends StepTrace {
  readonly created: Set<string>
  readonly dropped: Set<string>
  /** The indexes and triggers that the step dropped itself. */
  readonly removed: Set<string>
  /** Whether the step may have lost rows, references and the like. */
  mayDamage: boolean
  hasEndedTransaction: boolean
}

const createTrace = (): WritableTrace => ({
  created: new Set(),
  dropped: new Set(),
  removed: new Set(),
  mayDamage: false,
  hasEndedTransaction: false,
})

/** SQLite calls it for each thing that a statement is going to do, when it compiles the statement. */
function observe(trace: WritableTrace, action: number, name: string, table: string): number {
  switch (action) {
    case constants.SQLITE_TRANSACTION:
      trace.hasEndedTransaction = true
      return constants.SQLITE_DENY
    case constants.SQLITE_CREATE_TABLE:
      trace.created.add(name)
      break
    case constants.SQLITE_DROP_TABLE:
    case constants.SQLITE_DROP_VIEW:
      trace.dropped.add(name)
      trace.mayDamage = true
      break
    case constants.SQLITE_DROP_INDEX:
      trace.removed.add(name)
      break
    case constants.SQLITE_DROP_TRIGGER:
      // With a table, SQLite drops its triggers.
      if (!trace.dropped.has(table)) trace.removed.add(name)
      break
    case constants.SQLITE_ALTER_TABLE:
      // While foreign keys are off, a new column that refers to a table may have a default value.
      trace.mayDamage = true
      break
    case constants.SQLITE_INSERT:
    case constants.SQLITE_UPDATE:
    case constants.SQLITE_DELETE:
      if (!name.startsWith('sqlite_')) trace.mayDamage = true
      break
  }
  return constants.SQLITE_OK
}

// A view or a trigger needs the table that the step has dropped, and that this statement is about to provide.
function isRenameOfRebuilt(error: unknown, { dropped }: StepTrace): boolean {
  const { message } = error as Error
  const [, table] = /^error in (?:view|trigger) .+: no such table: (?:main\.)?(.+)$/s.exec(message) ?? []
  return table !== undefined && dropped.has(toKey(table))
}

// Creates the indexes and triggers that disappeared with their table, if a table has its name again.
function restoreObjects(handle: DatabaseSync, before: DatabaseState, { removed }: StepTrace): void {
  const objects = readObjects(handle)
  for (const [key, object] of before.objects) {
    if (!['index', 'trigger'].includes(object.type) || object.sql === null) continue
    if (objects.has(key) || removed.has(key) || !objects.has(toKey(object.table))) continue
    restoreObject(handle, object)
  }
}

function restoreObject(handle: DatabaseSync, { type, name, table, sql }: SchemaObject): void {
  try {
    handle.exec(sql!)
  } catch (error) {
    throw new Error(
      `the ${type} "${name}" disappeared with the table "${table}" and cannot be created again (${(error as Error).message}): drop it at the beginning of the step, and create the one that you want`,
      { cause: error },
    )
  }
}

// Otherwise a new table would use the keys of deleted rows again.
function restoreLastKeys(handle: DatabaseSync, before: DatabaseState): void {
  const objects = readObjects(handle)
  if (!objects.has('sqlite_sequence')) return
  for (const [key, last] of before.lastKeys) {
    const { name, sql } = objects.get(key) ?? {}
    if (name === undefined || !/autoincrement/i.test(sql ?? '')) continue
    const row = handle.prepare('select seq from sqlite_sequence where name = ?').get(name)
    if (row === undefined) handle.prepare('insert into sqlite_sequence (name, seq) values (?, ?)').run(name, last)
    else handle.prepare('update sqlite_sequence set seq = ? where name = ? and seq < ?').run(last, name, last)
  }
}
