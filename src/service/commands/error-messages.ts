// Explains the error that a command failed with, in one line.

import { ConstraintViolation } from '../../framework/database/database.ts'
import { UnusableDatabase } from '../../framework/database/unusable-database.ts'
import { ServiceUnavailable } from '../../framework/errors/exceptions.ts'
import { type Settings, SettingsError } from '../settings/settings.ts'

/** A mistake in how a command was used; its message explains it fully. */
export class CommandError extends Error {
  override name = 'CommandError'
}

/**
 * The line for an error; `settings` as far as they could be read. It names what to change, and holds no secret. With
 * DEBUG in the environment, an error that is not explained has its stack.
 */
export function formatError(error: unknown, settings?: Pick<Settings, 'databaseUrl'>): string {
  if (!(error instanceof Error)) return String(error)
  if ([CommandError, SettingsError, ConstraintViolation].some(type => error instanceof type)) return error.message
  const reason = settings && explainDatabase(error, settings.databaseUrl)
  if (reason !== undefined) return `DATABASE_URL: ${reason}`
  const { cause } = error
  const further = cause instanceof Error ? `: ${cause.message || codeOf(cause)}` : ''
  return process.env.DEBUG ? (error.stack ?? error.message) : `${error.message}${further}`
}

function explainDatabase(error: Error, url: string): string | undefined {
  const isFile = url.startsWith('sqlite:')
  const place = isFile ? url.slice('sqlite:'.length) : placeOf(url)
  if (error instanceof UnusableDatabase) {
    if (error.message.includes('-rates ')) return `${error.message} (it only counts requests, and may be removed)`
    return error.message.startsWith('the database') ? `${error.message} (${place})` : error.message
  }
  const { syscall, path } = error as NodeJS.ErrnoException
  if (isFile && syscall === 'mkdir')
    return `the folder ${path} cannot be made (${codeOf(error)}): make it, and let the user who runs this write to it`
  return isFile ? explainSqlite(error, place) : explainPostgres(error, place)
}

// Errors after the database was opened.
function explainSqlite(error: Error, place: string): string | undefined {
  const { errcode, message } = (error.cause ?? error) as Error & { errcode?: number }
  if (errcode === undefined) return undefined
  if (errcode === 5 || errcode === 6) return `${place} is locked by another program: end that one, or try again`
  return errcode === 13 ? `${place} cannot be written: the disk is full` : `${place} cannot be used: ${message}`
}

function explainPostgres(error: Error, place: string): string | undefined {
  const cause = error.cause instanceof Error ? error.cause : error
  const code = codeOf(cause)
  if (/^28/.test(code) || /client password must be/.test(cause.message))
    return `PostgreSQL at ${place} refuses the user or the password`
  if (code === '3D000') return `PostgreSQL at ${place} has no such database: make it with createdb, or name another`
  if (/^E[A-Z_]+$/.test(code)) return `PostgreSQL at ${place} does not answer (${code}): start it, or name another`
  const isOfServer = 'severity' in cause || (error instanceof ServiceUnavailable && cause !== error)
  return isOfServer ? `PostgreSQL at ${place}: ${cause.message}` : undefined
}

/** Host, port and database, without the user and the password. */
function placeOf(url: string): string {
  const parsed = URL.parse(url)
  return parsed === null ? 'its host' : `${parsed.host || 'its socket'}${parsed.pathname}`
}

const codeOf = (error: Error): string => (error as { code?: string }).code ?? ''
