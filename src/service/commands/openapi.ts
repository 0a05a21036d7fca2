// The command `openapi`: prints the OpenAPI document of the service, or compares it with an older one, without serving requests.

import { readFileSync } from 'node:fs'
import type { OpenApiDocument } from '#core'
import { findBreakingChanges, findDocument, formatYaml, parseDocument } from '#openapi'
import { assembleService } from '../create-service.ts'
import { print } from '../logging/standard-streams.ts'
import { CommandError } from '../processes/error-messages.ts'
import { openServices } from '../services.ts'
import type { Settings } from '../settings/settings.ts'

export interface OpenApiOptions {
  /** `json` (default) or `yaml`. */
  readonly format?: string
  /** The file with an older document, as JSON. */
  readonly against?: string
}

/**
 * Prints the document. With `against`, prints the changes that break clients of the older document instead, and sets the exit code 1
 * if there are any. The document describes declarations and no data, so with SQLite, the database is an empty one in memory.
 * Throws CommandError if the service has no document.
 */
export async function printDocument(settings: Settings, { format = 'json', against }: OpenApiOptions): Promise<void> {
  if (format !== 'json' && format !== 'yaml')
    throw new CommandError(`openapi: --format must be json or yaml, not ${JSON.stringify(format)}`)
  if (settings.openapi === false) throw new CommandError('openapi: the service has no document: remove openapi: false')
  const old = against === undefined ? undefined : readDocument(against)
  const document = await createDocument(settings)
  if (old !== undefined) printChanges(old, document)
  else print(format === 'yaml' ? formatYaml(document) : `${JSON.stringify(document, null, 2)}\n`)
}

async function createDocument(settings: Settings): Promise<OpenApiDocument> {
  const isSqlite = settings.databaseUrl.startsWith('sqlite:')
  const services = openServices({
    ...settings,
    // Nothing is encrypted or decrypted here, so any secret works.
    secretKey: settings.secretKey ?? '-'.repeat(32),
    ...(isSqlite && { databaseUrl: 'sqlite::memory:' }),
  })
  try {
    if (isSqlite) await services.migrate()
    const app = await assembleService(services)
    try {
      await app.ready()
      return findDocument(app)
    } finally {
      await app.close()
    }
  } finally {
    await services.close()
  }
}

type OldDocument = ReturnType<typeof parseDocument>

function readDocument(file: string): OldDocument {
  try {
    return parseDocument(readFileSync(file, 'utf8'), file)
  } catch (error) {
    throw new CommandError(`openapi: --against: ${(error as Error).message}`)
  }
}

function printChanges(old: OldDocument, current: OpenApiDocument): void {
  const changes = findBreakingChanges(old, { ...current })
  for (const { pointer, message } of changes) print(`${pointer} ${message}\n`)
  if (changes.length > 0) process.exitCode = 1
}
