import { readFile } from 'node:fs/promises'
import { type Loaded, loadData } from '../data/load-data.ts'
import { warn } from '../logging/standard-streams.ts'
import { CommandError } from '../processes/error-messages.ts'
import type { Services } from '../services.ts'
import { prepareNew } from './prepare-new.ts'

/** Loads a data file, all or nothing, and prints the number of rows. */
export async function loadDataFile(services: Services, file: string): Promise<void> {
  const data = await readJson(file)
  await prepareNew(services)
  const loaded = await loadData(services, data)
  warn(`Loaded ${formatCounts(loaded)} from ${file}.`)
}

const listFormat = new Intl.ListFormat('en-GB', { type: 'conjunction' })

const formatCounts = (loaded: Loaded): string =>
  listFormat.format(Object.entries(loaded).map(([list, count]) => `${count} ${list}`))

async function readJson(file: string): Promise<unknown> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${file}: ${error.code === 'ENOENT' ? 'there is no such file' : error.message}`)
  })
  try {
    // `fatal` rejects a file that is not UTF-8, instead of replacing its characters.
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    throw new CommandError(`${file}: not JSON: ${(error as Error).message}`)
  }
}
