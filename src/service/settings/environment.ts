// Reads the environment of a deployed service: its files, and the user that it runs as.

import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { dataFolder } from './secret-key.ts'
import type { Settings } from './settings.ts'

export interface Environment {
  readonly isRoot: boolean
  /** Files with data or secrets that every user of the machine may read or write. */
  readonly exposedFiles: readonly string[]
  /** The secret that development made, where it has made one. */
  readonly developmentSecret: string | undefined
}

/** Reads the environment and changes nothing. */
export function readEnvironment(settings: Settings): Environment {
  const secretFile = join(dataFolder(settings), 'secret-key')
  return {
    isRoot: process.getuid?.() === 0,
    exposedFiles: [secretFile, ...databaseFiles(settings)].filter(isExposed),
    developmentSecret: modeOf(secretFile) === undefined ? undefined : readFileSync(secretFile, 'utf8').trim(),
  }
}

function databaseFiles({ databaseUrl }: Settings): readonly string[] {
  if (!databaseUrl.startsWith('sqlite:')) return []
  const path = databaseUrl.slice('sqlite:'.length)
  return ['', '-wal', '-rates'].map(end => path + end)
}

const [mayReadOrWrite, mayEnter] = [0o006, 0o001]

// A file is safe if other users may not enter its folder.
function isExposed(file: string): boolean {
  const [mode, folder] = [modeOf(file), modeOf(dirname(file))]
  return mode !== undefined && (mode & mayReadOrWrite) !== 0 && (folder! & mayEnter) !== 0
}

const modeOf = (file: string): number | undefined =>
  process.platform === 'win32' ? undefined : statSync(file, { throwIfNoEntry: false })?.mode
