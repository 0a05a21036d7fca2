// Formats the error of a failed command as one line.

import {
  ConstraintViolation,
  FailedMigration,
  NoWayBack,
  ServiceUnavailable,
  UnusableDatabase,
  WrongAnswer,
} from '#core'
import { type Settings, SettingsError } from '../settings/settings.ts'
import { listOwnFrames } from './own-frames.ts'

/** A command failed for a reason that its user can understand. The message is shown as it is. */
export class CommandError extends Error {
  override name = 'CommandError'
}

/**
 * Returns a line that names the fix and contains no secret. `settings` is undefined if they could not be read. If the
 * environment variable DEBUG is set, the stack of an unexpected error is added.
 */
export function formatError(error: unknown, settings?: Pick<Settings, 'databaseUrl'>): string {
  if (!(error instanceof Error)) return String(error)
  if (process.env.DEBUG && error instanceof SettingsError && error.cause instanceof Error)
    return `${error.message}\n${error.cause.stack}`
  if (
    [CommandError, SettingsError, ConstraintViolation, FailedMigration, NoWayBack, WrongAnswer].some(
      type => error instanceof type,
    )
  )
    return error.message
  const reason = settings && explainDatabase(error, settings.databaseUrl)
  if (reason !== undefined) return `DATABASE_URL: ${reason}`
  return process.env.DEBUG ? (error.stack ?? error.message) : `${error.message}${formatReason(error)}`
}

// Node's message about a missing package adds nothing to one that names the package, and lists the files that need it.
function formatReason({ message, cause }: Error): string {
  if (
    !(cause instanceof Error) ||
    (cause.message !== '' && message.includes(cause.message)) ||
    /MODULE_NOT_FOUND$/.test(readCode(cause))
  )
    return ''
  return `: ${cause.message || readCode(cause)}`
}

/**
 * Returns lines that show where in the application an error and its causes were thrown, for development: frames, and
 * the source line of a syntax error.
 */
export function formatOwnStack(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return []
  const [, source = ''] = /^\S.*:\d+\n([\s\S]+?)\n\n?SyntaxError/.exec(error.stack ?? '') ?? []
  const lines = [...source.split('\n').filter(line => line !== ''), ...listOwnFrames(error)]
  const { cause } = error
  // The message of a cause that a config error contains already is not repeated.
  const title = cause instanceof Error && !error.message.includes(cause.message) ? [`caused by: ${cause.message}`] : []
  return [...lines.map(line => `    ${line}`), ...title.map(line => `  ${line}`), ...formatOwnStack(cause)]
}

function explainDatabase(error: Error, url: string): string | undefined {
  const isFile = url.startsWith('sqlite:')
  const target = isFile ? url.slice('sqlite:'.length) : formatServer(url)
  if (error instanceof UnusableDatabase) {
    if (error.message.includes('-rates '))
      return `${error.message} (this file only counts requests, and may be removed)`
    return error.message.startsWith('the database') ? `${error.message} (${target})` : error.message
  }
  const { syscall, path } = error as NodeJS.ErrnoException
  if (isFile && syscall === 'mkdir')
    return `the folder ${path} cannot be created (${readCode(error)}): create it, and let the user of this process write to it`
  return isFile ? explainSqlite(error, target) : explainPostgres(error, target)
}

// Explains errors that occur after the database has been opened. Codes: 5 SQLITE_BUSY, 6 SQLITE_LOCKED, 13 SQLITE_FULL.
function explainSqlite(error: Error, target: string): string | undefined {
  const { errcode, message } = (error.cause ?? error) as Error & { errcode?: number }
  if (errcode === undefined) return undefined
  if (errcode === 5 || errcode === 6) return `${target} is locked by another program: stop that program, or try again`
  return errcode === 13 ? `${target} cannot be written: the disk is full` : `${target} cannot be used: ${message}`
}

function explainPostgres(error: Error, target: string): string | undefined {
  const cause = error.cause instanceof Error ? error.cause : error
  const code = readCode(cause)
  if (/^28/.test(code) || /client password must be/.test(cause.message))
    return `PostgreSQL at ${target} refuses the user or the password`
  if (code === '3D000')
    return `PostgreSQL at ${target} has no such database: create it with createdb, or set another URL`
  // Node's own codes begin with `ERR_`.
  if (/^E(?!RR_)[A-Z_]+$/.test(code))
    return `PostgreSQL at ${target} does not respond (${code}): start it, or set another URL`
  const isServerError = 'severity' in cause || (error instanceof ServiceUnavailable && cause !== error)
  return isServerError ? `PostgreSQL at ${target}: ${cause.message}` : undefined
}

/** Returns host, port and database, without the user and the password. */
function formatServer(url: string): string {
  const parsed = URL.parse(url)
  return parsed === null ? 'its host' : `${parsed.host || 'its socket'}${parsed.pathname}`
}

const readCode = (error: Error): string => (error as { code?: string }).code ?? ''
