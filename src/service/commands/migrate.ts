import type { Parts } from '../parts.ts'
import { warn } from '../run.ts'

/** Brings the database to the newest form and says what was done. */
export async function migrateDatabase(parts: Parts): Promise<void> {
  const steps = await parts.migrate()
  warn(steps.length === 0 ? 'The database is up to date.' : `Applied ${steps.join(', ')}.`)
}
