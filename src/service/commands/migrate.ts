import { warn } from '../logging/standard-streams.ts'
import type { Services } from '../services.ts'

/** Applies missing migrations, and prints their names: one line per owner. */
export async function migrateDatabase(services: Services): Promise<void> {
  const applied = await services.migrate()
  const lines = applied.map(({ owner, steps }) => `Applied ${owner}: ${steps.join(', ')}.`)
  warn(lines.length === 0 ? 'The database is up to date.' : lines.join('\n'))
}
