import { warn } from '../logging/standard-streams.ts'
import type { Services } from '../services.ts'

export interface MigrateCommandOptions {
  /** Applied steps, as `owner/step`, that have changed and still do the same. */
  readonly accept?: readonly string[]
  /** The last step to apply, as `owner/step`. */
  readonly to?: string
}

/** Applies missing migrations, and prints their names: one line per owner. */
export async function migrateDatabase(services: Services, { accept = [], to }: MigrateCommandOptions): Promise<void> {
  const sentences = accept.map(step => `Accepted ${step}.`)
  await services.migrate({ accept, to, report: sentence => void sentences.push(sentence) })
  warn(sentences.length === 0 ? 'The database is up to date.' : sentences.join('\n'))
}
