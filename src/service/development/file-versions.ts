// Tells whether a file has changed since a process read it.

import { statSync } from 'node:fs'

/** A file that the development server depends on. */
export interface WatchedFile {
  readonly path: string
  /** Differs after each change; see `readVersion`. */
  readonly version: string
}

/** Returns a text that differs after each change of the file, also if an editor replaces it with another file. */
export function readVersion(path: string): string {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? 'missing' : `${stats.ino}-${stats.size}-${stats.mtimeNs}`
}
