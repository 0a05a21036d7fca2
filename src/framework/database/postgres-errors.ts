// What the errors of PostgreSQL and of the way to it mean for the caller.

import type pg from 'pg'
import { InsufficientStorage, ServiceUnavailable, ValidationError } from '../errors/exceptions.ts'
import type { BrokenConstraint, ConstraintKind } from './catalogue.ts'
import { ConstraintViolation } from './database.ts'

const constraintKinds: Readonly<Record<string, ConstraintKind>> = {
  23001: 'foreign key',
  23502: 'not null',
  23503: 'foreign key',
  23505: 'unique',
  23514: 'check',
  // An exclusion constraint.
  '23P01': 'check',
}
// Beyond the range or the length of a column that is narrower than its field.
const dataCodes = new Set(['22003', '22001', '22008'])
const diskFull = '53100'
// Resources, timeouts, shutdown, deadlock, serialization, a server that only reads now, a statement that a pooler
// prepared elsewhere: the same request may succeed soon.
const transientCodes = /^(?:08...|53...|57...|55P03|40P01|40001|25P0[34]|25006|26000|42P05)$/
// The server ends the connection, or it is no longer the one to write to.
const endingCodes = /^(?:08...|57P0[1-5]|25P0[34]|25006)$/
// Of the operating system: `ECONNREFUSED`, `EAI_AGAIN`. Node's own mistakes begin with `ERR_`.
const systemCodes = /^E(?!RR_)[A-Z_]+$/
// The client reports these without a code.
const lostMessages =
  /^(?:Connection terminated|Query read timeout|Client has encountered a connection error|Client was)/

const codeOf = (error: unknown): string => (error as { code?: string } | undefined)?.code ?? ''

/**
 * Is the connection of no more use? What it was doing may or may not have been done: the server, or the way to it, said
 * nothing about the statement.
 */
export function isLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { severity } = error as { severity?: string }
  const code = codeOf(error)
  return (
    severity === 'FATAL' ||
    severity === 'PANIC' ||
    endingCodes.test(code) ||
    systemCodes.test(code) ||
    lostMessages.test(error.message)
  )
}

/** Does the server not know a statement by its name, or know it already? A pooler changes the server in between. */
export const isUnknownStatement = (error: unknown): boolean => ['26000', '42P05'].includes(codeOf(error))

/** Did the server, or what is between, not answer in time? */
export const isSilent = (error: unknown): boolean => error instanceof Error && error.message === 'Query read timeout'

/** Were all connections in use, so that the server was not even asked? */
export const isExhausted = (error: unknown): boolean =>
  error instanceof ServiceUnavailable &&
  (error.cause === undefined || (error.cause as Error).message === 'timeout exceeded when trying to connect')

/** Has a replica given a statement up because of what it had to replay? */
export const isRecoveryConflict = (error: unknown): boolean =>
  ['40001', '40P01'].includes(codeOf(error)) || (error instanceof Error && /conflict with recovery/.test(error.message))

/** What a caller can do something about, as it is known above; anything else as it is. */
export function translate(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const code = codeOf(error)
  if (code.startsWith('23')) return new ConstraintViolation(error.message, brokenConstraint(error), { cause: error })
  if (dataCodes.has(code)) return Object.assign(new ValidationError('A value is out of range.'), { cause: error })
  if (code === diskFull) return Object.assign(new InsufficientStorage(), { cause: error })
  return transientCodes.test(code) || isLost(error) ? unavailable(error) : error
}

function brokenConstraint(error: DatabaseError): BrokenConstraint {
  const kind = constraintKinds[codeOf(error)] ?? 'other'
  return { kind, table: error.table, label: kind === 'not null' ? error.column : error.constraint }
}

/** What the server says beside the message. */
type DatabaseError = Error & Partial<Pick<pg.DatabaseError, 'table' | 'column' | 'constraint'>>

/** The answer while the database is away or exhausted. */
export const unavailable = (cause: unknown): ServiceUnavailable => Object.assign(new ServiceUnavailable(), { cause })

/** The answer when the connection was lost while it wrote: nobody knows whether the write is there. */
export const outcomeUnknown = (cause: unknown): ServiceUnavailable =>
  Object.assign(new ServiceUnavailable(1, unknownMessage, 'outcome_unknown'), { cause })

const unknownMessage =
  'The connection to the database was lost. The change may or may not have been made: look before you try again.'
