// Runs the service in the process, with the database of a command.

import { createService } from '../../src/service/create-service.ts'
import { openParts, type Parts } from '../../src/service/services.ts'
import { readSettings, type ServiceOptions } from '../../src/service/settings/settings.ts'
import { type Client, injectClient } from '../support/client.ts'

/** Runs a service with this database. Tokens are found by their digests, so the secret may differ from the command's. */
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
