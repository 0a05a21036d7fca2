// Translates SQLite's errors into exceptions for responses, and into advice for the operator at start.

import { resolve } from 'node:path'
import { InsufficientStorage, ServiceUnavailable } from '../../errors/exceptions.ts'
import type { BrokenConstraint, ConstraintKind } from '../catalogue.ts'
import { ConstraintViolation } from '../database.ts'
import { createErrorReporter } from '../error-reporter.ts'
import { UnusableDatabase } from '../unusable-database.ts'

const constraintCode = 19
const constraintKinds: Readonly<Record<number, ConstraintKind>> = {
  275: 'check',
  787: 'foreign key',
  1299: 'not null',
  1555: 'unique', // PRIMARY KEY
  2067: 'unique',
}
// The disk is full, or has no room for the index of the write-ahead log (SQLITE_IOERR_SHMSIZE).
const fullCodes = new Set([13, 4874])
// This and the following sets contain primary codes, which are the low byte of the extended codes.
// SQLITE_BUSY and SQLITE_LOCKED.
const busyCodes = new Set([5, 6])
// SQLITE_NOMEM, SQLITE_READONLY, SQLITE_IOERR, SQLITE_CANTOPEN and SQLITE_PROTOCOL (file locking fails).
const brokenCodes = new Set([7, 8, 10, 14, 15])
// SQLITE_READONLY without an extended code, as `pragma query_only` causes it.
const readOnlyCode = 8
// SQLITE_CORRUPT and SQLITE_NOTADB.
const damagedCodes = new Set([11, 26])

const readCode = (error: unknown): number | undefined => (error as { errcode?: number } | undefined)?.errcode

const readPrimaryCode = (error: unknown): number => (readCode(error) ?? 0) & 0xff

export const isBusy = (error: unknown): boolean => busyCodes.has(readPrimaryCode(error))

/** True if the storage of an SQLite database has failed, as opposed to a statement. */
export function isStorageFailure(error: unknown): boolean {
  const sqliteError = readCode(error) === undefined ? (error as Error | undefined)?.cause : error
  const code = readPrimaryCode(sqliteError)
  return fullCodes.has(readCode(sqliteError) ?? 0) || brokenCodes.has(code) || damagedCodes.has(code)
}

/** Converts SQLite's errors to exceptions; returns any other error unchanged. Reports storage failures to `onError`. */
export type Translate = (error: unknown) => unknown

export function createTranslate(path: string, onError: ((error: Error) => void) | undefined): Translate {
  const report = createErrorReporter(onError)
  return error => {
    if (readCode(error) !== undefined && isStorageFailure(error))
      report(new Error(`${path}: ${(error as Error).message}`, { cause: error }))
    return translate(error)
  }
}

/** For a connection with `query_only`: a write is a mistake of the application, and not a failure of the storage. */
export const createReadTranslate =
  (translate: Translate): Translate =>
  error =>
    readCode(error) === readOnlyCode
      ? new Error('this connection only reads: write with database.transaction(({ kysely }) => …)', { cause: error })
      : translate(error)

// The error of a damaged database stays unchanged, so the response is 500: a retry would not help.
function translate(error: unknown): unknown {
  const code = readCode(error)
  if (code === undefined) return error
  if (readPrimaryCode(error) === constraintCode) {
    const { message } = error as Error
    return new ConstraintViolation(message, parseConstraint(code, message), { cause: error })
  }
  if (fullCodes.has(code)) return Object.assign(new InsufficientStorage(), { cause: error })
  if (isBusy(error)) return Object.assign(new ServiceUnavailable(), { cause: error })
  return brokenCodes.has(readPrimaryCode(error))
    ? Object.assign(new ServiceUnavailable(brokenRetryAfter), { cause: error })
    : error
}

// "UNIQUE constraint failed: books.title, books.author_id"
function parseConstraint(code: number, message: string): BrokenConstraint {
  const [, label] = /^[A-Z ]+ constraint failed: (.*)$/s.exec(message) ?? []
  // SQLite implements RESTRICT with a trigger, so the extended code is SQLITE_CONSTRAINT_TRIGGER.
  if (message === 'FOREIGN KEY constraint failed') return { kind: 'foreign key' }
  return { kind: constraintKinds[code] ?? 'other', label }
}

/** `Retry-After` in seconds; the operator has to repair the storage first. */
const brokenRetryAfter = 10

/** Converts an error of opening a file to UnusableDatabase, with the reason and the fix; others stay unchanged. */
export function explainUnusable(path: string, error: unknown): unknown {
  const reason = reasons[readPrimaryCode(error)] ?? reasons[(error as { code?: string }).code ?? '']
  if (reason === undefined) return error
  return new UnusableDatabase(`${resolve(path)} ${reason}`, { cause: error })
}

const readOnly = 'cannot be written: give the user who runs this read and write permission to it and to its folder'

const reasons: Readonly<Record<string | number, string>> = {
  5: 'is locked by another program: end that program first',
  8: readOnly,
  10: 'cannot be read or written: the disk reports an error',
  11: 'is a damaged SQLite database: restore it from a backup; it was not changed',
  13: 'cannot be opened: the disk is full',
  14: readOnly,
  26: 'is not a SQLite database: use a different file, or restore it from a backup; it was not changed',
  EACCES: readOnly,
  EPERM: readOnly,
  EROFS: readOnly,
  EISDIR: 'is a directory: use a file in it',
  ELOOP: 'cannot be opened: it is a link that leads back to itself',
  ENOTREG: 'is not a regular file: use a different file',
  ENOENT: 'cannot be created: its folder does not exist',
  ENOTDIR: 'cannot be created: the path of its folder is a file',
}
