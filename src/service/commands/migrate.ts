import { warn } from '../logging/standard-streams.ts'
import type { Services } from '../services.ts'

/** Applies missing migrations, and prints their names. */
export async function migrateDatabase(services: Services): Promise<void> {
  const steps = await services.migrate()
  warn(steps.length === 0 ? 'The database is up to date.' : `Applied ${steps.join(', ')}.`)
}
