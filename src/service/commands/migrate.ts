import { warn } from '../logging/standard-streams.ts'
import type { Parts } from '../services.ts'

/** Brings the database to the newest form and says what was done. */
export async function migrateDatabase(parts: Parts): Promise<void> {
  const steps = await parts.migrate()
  warn(steps.length === 0 ? 'The database is up to date.' : `Applied ${steps.join(', ')}.`)
}
