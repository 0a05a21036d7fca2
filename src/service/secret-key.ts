// The secret that seals tokens. Without one, development makes one beside the database and keeps it.

import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Settings } from './settings.ts'

/** The folder of the service's own files: the database's, or `data` where the database is elsewhere. */
export function dataFolder({ databaseUrl }: Pick<Settings, 'databaseUrl'>): string {
  return databaseUrl.startsWith('sqlite:') ? dirname(databaseUrl.slice('sqlite:'.length)) : 'data'
}

/** The secret of the settings, or that of the file beside the database; `say` is told when the file is made. */
export function secretKey(settings: Settings, say: (line: string) => void): string {
  if (settings.secretKey !== undefined) return settings.secretKey
  const file = join(dataFolder(settings), 'secret-key')
  const made = keepOnce(file, () => randomBytes(32).toString('base64url'))
  if (made) say(`SECRET_KEY is not set: made one for development, in ${file}`)
  return readFileSync(file, 'utf8').trim()
}

/** Writes the file, readable by its owner alone, unless it exists; answers whether it was written. */
export function keepOnce(file: string, make: () => string): boolean {
  mkdirSync(dirname(file), { recursive: true })
  try {
    writeFileSync(file, `${make()}\n`, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
