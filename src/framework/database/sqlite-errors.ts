// What SQLite's errors mean: for a caller during a request, and for people at the start.

import { resolve } from 'node:path'
import { InsufficientStorage, ServiceUnavailable } from '../errors/exceptions.ts'
import type { BrokenConstraint, ConstraintKind } from './catalogue.ts'
import { ConstraintViolation } from './database.ts'
import { quietReporter } from './quiet-reporter.ts'
import { UnusableDatabase } from './unusable-database.ts'

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
// Primary codes: the low byte of the extended ones.
const busyCodes = new Set([5, 6])
/** No memory, may only read, the disk fails, a file beside the database cannot be made, its locks do not work. */
const brokenCodes = new Set([7, 8, 10, 14, 15])
const damagedCodes = new Set([11, 26])

const errorCode = (error: unknown): number | undefined => (error as { errcode?: number } | undefined)?.errcode

const primaryCode = (error: unknown): number => (errorCode(error) ?? 0) & 0xff

export const isBusy = (error: unknown): boolean => busyCodes.has(primaryCode(error))

/** Is it the storage of an SQLite database that fails, whatever was asked of it? */
export function isStorageFailure(error: unknown): boolean {
  const raw = errorCode(error) === undefined ? (error as Error | undefined)?.cause : error
  const code = primaryCode(raw)
  return fullCodes.has(errorCode(raw) ?? 0) || brokenCodes.has(code) || damagedCodes.has(code)
}

/** Gives an error the form in which it is known above; tells `onError` first where the storage fails. */
export type Translate = (error: unknown) => unknown

export function createTranslate(path: string, onError: ((error: Error) => void) | undefined): Translate {
  const report = quietReporter(onError)
  return error => {
    if (errorCode(error) !== undefined && isStorageFailure(error))
      report(new Error(`${path}: ${(error as Error).message}`, { cause: error }))
    return translate(error)
  }
}

// A damaged database stays a fault like any other: to ask again does not help.
function translate(error: unknown): unknown {
  const code = errorCode(error)
  if (code === undefined) return error
  if (primaryCode(error) === constraintCode) {
    const { message } = error as Error
    return new ConstraintViolation(message, brokenConstraint(code, message), { cause: error })
  }
  if (fullCodes.has(code)) return Object.assign(new InsufficientStorage(), { cause: error })
  if (isBusy(error)) return Object.assign(new ServiceUnavailable(), { cause: error })
  return brokenCodes.has(primaryCode(error))
    ? Object.assign(new ServiceUnavailable(brokenWait), { cause: error })
    : error
}

// "UNIQUE constraint failed: books.title, books.author_id"
function brokenConstraint(code: number, message: string): BrokenConstraint {
  const [, label] = /^[A-Z ]+ constraint failed: (.*)$/s.exec(message) ?? []
  // RESTRICT is a trigger inside SQLite.
  if (message === 'FOREIGN KEY constraint failed') return { kind: 'foreign key' }
  return { kind: constraintKinds[code] ?? 'other', label }
}

/** In seconds: until somebody has looked after the disk. */
const brokenWait = 10

/** Why a file cannot be opened, with what to do; the file stays as it is. */
export function whyUnusable(path: string, error: unknown): unknown {
  const reason = reasons[primaryCode(error)] ?? reasons[(error as { code?: string }).code ?? '']
  if (reason === undefined) return error
  return new UnusableDatabase(`${resolve(path)} ${reason}`, { cause: error })
}

const readOnly = 'cannot be written: let the user who runs this read and write it and its folder'

const reasons: Readonly<Record<string | number, string>> = {
  5: 'is locked by another program: end that one first',
  8: readOnly,
  10: 'cannot be read or written: the disk reports an error',
  11: 'is a damaged SQLite database: restore it from a backup; it was left as it is',
  13: 'cannot be opened: the disk is full',
  14: readOnly,
  26: 'is no SQLite database: name another file, or restore it from a backup; it was left as it is',
  EACCES: readOnly,
  EPERM: readOnly,
  EROFS: readOnly,
  EISDIR: 'is a directory: name a file in it',
  ELOOP: 'cannot be opened: its name is a link that leads back to itself',
  ENOTREG: 'is not a regular file: name another one',
  ENOENT: 'cannot be made: its folder does not exist',
  ENOTDIR: 'cannot be made: what should be its folder is a file',
}
