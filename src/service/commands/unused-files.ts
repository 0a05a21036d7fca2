// The command `unused-files`: lists the stored files that no object refers to, and removes them.

import { listUnusedFiles, type UnusedFile } from '#core'
import { assembleService } from '../create-service.ts'
import { print, warn } from '../logging/standard-streams.ts'
import { CommandError } from '../processes/error-messages.ts'
import type { Services } from '../services.ts'

export interface UnusedFilesOptions {
  readonly remove?: boolean
}

/** Prints one line per file, and removes the files if asked to. Throws CommandError unless it sees all profiles. */
export async function unusedFiles(services: Services, { remove = false }: UnusedFilesOptions): Promise<void> {
  const { profiles, configuredProfiles } = services.settings
  if (profiles.length < configuredProfiles.length)
    throw new CommandError('unused-files: a profile that is left out may refer to the files: run it with all profiles')
  const app = await assembleService(services)
  try {
    await app.ready()
    const files = await listUnusedFiles(app)
    for (const file of files) {
      if (remove) await file.remove()
      print(`${formatFile(file)}\n`)
    }
    warn(`${files.length} unused ${files.length === 1 ? 'file' : 'files'}${remove ? ' removed' : ''}.`)
  } finally {
    await app.close()
  }
}

const formatFile = ({ place, key, modified }: UnusedFile): string => `${place}: ${key}, ${modified.toISOString()}`
