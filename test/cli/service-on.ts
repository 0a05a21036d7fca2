// The service over the database that a command has worked on, asked in the process.

import { createService } from '../../src/service/create-service.ts'
import { openParts, type Parts } from '../../src/service/services.ts'
import { readSettings, type ServiceOptions } from '../../src/service/settings/settings.ts'
import { type Client, injectClient } from '../support/client.ts'

/** Asks a service on this database; a token's key is found by its digest, so the secret need not be the command's. */
export async function withServiceOn<Result>(
  databaseUrl: string,
  ask: (client: Client, parts: Parts) => Promise<Result>,
  options: ServiceOptions = {},
): Promise<Result> {
  const settings = readSettings({ file: { ...options, databaseUrl, logLevel: 'silent' } })
  const parts = openParts({ ...settings, secretKey: 'x'.repeat(40) })
  const app = await createService(parts)
  try {
    return await ask(injectClient(app), parts)
  } finally {
    await app.close()
    await parts.close()
  }
}
