// Translates the errors of PostgreSQL, and network errors on the way to it, into exceptions.

import type pg from 'pg'
import { InsufficientStorage, ServiceUnavailable } from '../../errors/exceptions.ts'
import { frameworkMessages } from '../../messages/english.ts'
import type { BrokenConstraint, ConstraintKind } from '../catalogue.ts'
import { ConstraintViolation, TransactionConflict, ValueOutOfRange } from '../database.ts'

const constraintKinds: Readonly<Record<string, ConstraintKind>> = {
  23001: 'foreign key',
  23502: 'not null',
  23503: 'foreign key',
  23505: 'unique',
  23514: 'check',
  // An exclusion constraint.
  '23P01': 'check',
}
// The value exceeds the range or length of a column that is narrower than its field.
const dataCodes = new Set(['22003', '22001', '22008'])
const diskFull = '53100'
// A statement that ran into its time limit, or that an administrator canceled.
const canceled = '57014'
// A serialization failure, and a deadlock.
const conflictCodes = new Set(['40001', '40P01'])
// Resources, timeouts, shutdown, a server that became read-only, a statement that was prepared on another server connection:
// the same request may soon succeed.
const transientCodes = /^(?:08...|53...|57...|55P03|25P0[34]|25006|26000|42P05)$/
// The server ends the connection, or has become read-only.
const endingCodes = /^(?:08...|57P0[1-5]|25P0[34]|25006)$/
// Codes of the operating system, such as `ECONNREFUSED`. Node's own codes begin with `ERR_`.
const systemCodes = /^E(?!RR_)[A-Z_]+$/
// The client reports these without a code.
const lostMessages =
  /^(?:Connection terminated|Query read timeout|Client has encountered a connection error|Client was)/

const readCode = (error: unknown): string => (error as { code?: string } | undefined)?.code ?? ''

/** True if the connection can no longer be used. Its last statement may or may not have taken effect. */
export function isLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { severity } = error as { severity?: string }
  const code = readCode(error)
  return (
    severity === 'FATAL' ||
    severity === 'PANIC' ||
    endingCodes.test(code) ||
    systemCodes.test(code) ||
    lostMessages.test(error.message)
  )
}

/** True if a prepared statement is missing or already exists: a pooler has changed the server connection. */
export const isUnknownStatement = (error: unknown): boolean => ['26000', '42P05'].includes(readCode(error))

/** True if no response arrived from the server in time. */
export const isResponseTimeout = (error: unknown): boolean =>
  error instanceof Error && error.message === 'Query read timeout'

/** True if all connections were in use, so the statement was never sent. */
export const isPoolExhausted = (error: unknown): boolean =>
  error instanceof ServiceUnavailable &&
  (error.cause === undefined || (error.cause as Error).message === 'timeout exceeded when trying to connect')

/** True if a replica canceled a statement because it conflicted with the replay of the log. */
export const isRecoveryConflict = (error: unknown): boolean =>
  conflictCodes.has(readCode(error)) || (error instanceof Error && /conflict with recovery/.test(error.message))

/** Returns the exception for the response; returns any other error unchanged. */
export function translate(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const code = readCode(error)
  if (code.startsWith('23')) return new ConstraintViolation(error.message, parseConstraint(error), { cause: error })
  if (dataCodes.has(code)) return Object.assign(new ValueOutOfRange(), { cause: error })
  if (code === canceled) return createTimeout(error)
  if (code === diskFull) return Object.assign(new InsufficientStorage(), { cause: error })
  if (conflictCodes.has(code)) return Object.assign(new TransactionConflict(), { cause: error })
  return transientCodes.test(code) || isLost(error) ? createUnavailable(error) : error
}

function parseConstraint(error: DatabaseError): BrokenConstraint {
  const kind = constraintKinds[readCode(error)] ?? 'other'
  return { kind, table: error.table, label: kind === 'not null' ? error.column : error.constraint }
}

/** An error with the details that PostgreSQL adds to the message. */
type DatabaseError = Error & Partial<Pick<pg.DatabaseError, 'table' | 'column' | 'constraint'>>

/** The exception if the database is unreachable or out of resources. */
export const createUnavailable = (cause: unknown): ServiceUnavailable =>
  Object.assign(new ServiceUnavailable(), { cause })

const createTimeout = (cause: unknown): ServiceUnavailable =>
  Object.assign(new ServiceUnavailable(1, frameworkMessages('statement_timeout')), { cause })

/** The exception if the connection was lost during a write, which may or may not have been committed. */
export const createOutcomeUnknown = (cause: unknown): ServiceUnavailable =>
  Object.assign(new ServiceUnavailable(1, frameworkMessages('outcome_unknown')), { cause })
