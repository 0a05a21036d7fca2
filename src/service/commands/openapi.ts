// The command `openapi`: prints the OpenAPI document of the service, without serving requests.

import { findDocument } from 'resource-api'
import { formatYaml } from 'resource-api/extend'
import { createService } from '../create-service.ts'
import { print } from '../logging/standard-streams.ts'
import { openServices } from '../services.ts'
import type { Settings } from '../settings/settings.ts'
import { CommandError } from './error-messages.ts'

export interface OpenApiOptions {
  /** `json` (default) or `yaml`. */
  readonly format?: string
}

/**
 * Prints the document. It describes declarations and no data, so with SQLite, the database is an empty one in memory. Throws
 * CommandError if the service has no document.
 */
export async function printDocument(settings: Settings, { format = 'json' }: OpenApiOptions): Promise<void> {
  if (format !== 'json' && format !== 'yaml')
    throw new CommandError(`openapi: --format must be json or yaml, not ${JSON.stringify(format)}`)
  if (settings.openapi === false) throw new CommandError('openapi: the service has no document: remove openapi: false')
  const isSqlite = settings.databaseUrl.startsWith('sqlite:')
  const services = openServices({
    ...settings,
    // Nothing is encrypted or decrypted here, so any secret works.
    secretKey: settings.secretKey ?? '-'.repeat(32),
    ...(isSqlite && { databaseUrl: 'sqlite::memory:' }),
  })
  try {
    if (isSqlite) await services.migrate()
    const app = await createService(services)
    try {
      await app.ready()
      const document = findDocument(app)
      print(format === 'yaml' ? formatYaml(document) : `${JSON.stringify(document, null, 2)}\n`)
    } finally {
      await app.close()
    }
  } finally {
    await services.close()
  }
}
