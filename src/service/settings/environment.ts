// Reads the environment of the process: the permissions of its files, and its user.

import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { dataFolder } from './secret-key.ts'
import type { Settings } from './settings.ts'

export interface Environment {
  readonly isRoot: boolean
  /** Files with data or secrets that every user of the machine can read or write. */
  readonly exposedFiles: readonly string[]
  /** The secret that was generated for development; undefined if there is none. */
  readonly developmentSecret: string | undefined
}

/** Reads the environment. Does not change or create files. */
export function readEnvironment(settings: Settings): Environment {
  const secretFile = join(dataFolder(settings), 'secret-key')
  return {
    isRoot: process.getuid?.() === 0,
    exposedFiles: [secretFile, ...databaseFiles(settings)].filter(isExposed),
    developmentSecret: readMode(secretFile) === undefined ? undefined : readFileSync(secretFile, 'utf8').trim(),
  }
}

function databaseFiles({ databaseUrl }: Settings): readonly string[] {
  if (!databaseUrl.startsWith('sqlite:')) return []
  const path = databaseUrl.slice('sqlite:'.length)
  return ['', '-wal', '-rates'].map(suffix => path + suffix)
}

const [mayReadOrWrite, mayEnter] = [0o006, 0o001]

// A file is safe if other users cannot enter its folder.
function isExposed(file: string): boolean {
  const [mode, folder] = [readMode(file), readMode(dirname(file))]
  return mode !== undefined && (mode & mayReadOrWrite) !== 0 && (folder! & mayEnter) !== 0
}

const readMode = (file: string): number | undefined =>
  process.platform === 'win32' ? undefined : statSync(file, { throwIfNoEntry: false })?.mode
