// Runs the service in the test process, on the database of a command.

import { createService, openServices, readSettings, type ServiceOptions, type Services } from 'resource-api/service'
import defaultService from '../../src/seed/default-service.ts'
import { type Client, injectClient } from '../support/client.ts'

/**
 * Runs a service with this database. Tokens are found by their digests, so the secret may differ from the command's.
 */
export async function withServiceOn<Result>(
  databaseUrl: string,
  work: (client: Client, services: Services) => Promise<Result>,
  options: ServiceOptions = {},
): Promise<Result> {
  const settings = readSettings({ file: { ...defaultService, ...options, databaseUrl, logLevel: 'silent' } })
  const services = openServices({ ...settings, secretKey: 'x'.repeat(40) })
  const app = await createService(services)
  try {
    return await work(injectClient(app), services)
  } finally {
    await app.close()
    await services.close()
  }
}
