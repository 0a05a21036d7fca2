// Opens the database for commands about its tables. They need no secret, and create no database.

import { existsSync } from 'node:fs'
import { type Database, findSqliteFile, openDatabase } from '#core'
import { CommandError } from '../processes/error-messages.ts'
import { openServices, type Services } from '../services.ts'
import type { Settings } from '../settings/settings.ts'

/** The caller has to call `close`. */
export function openServicesForTables(settings: Settings): Services {
  checkExists(settings.databaseUrl)
  // Nothing is encrypted or decrypted, so any secret works.
  return openServices({ ...settings, secretKey: settings.secretKey ?? '-'.repeat(32) })
}

/** Opens the database of a program that is no service. */
export function openExisting(url: string | undefined): Database {
  if (url === undefined) throw new CommandError('DATABASE_URL is not set: set it, or name the database with --database')
  checkExists(url)
  return openDatabase(url)
}

function checkExists(url: string): void {
  const file = findSqliteFile(url)
  if (file !== undefined && !existsSync(file))
    throw new CommandError(`DATABASE_URL: there is no file ${file}: create it with "resource-api migrate"`)
}
